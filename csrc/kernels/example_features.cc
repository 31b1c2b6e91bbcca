#include "kernels/example_features.h"

#include <algorithm>
#include <array>

#include "io/text.h"

namespace fastpipe {
namespace {

struct ValueType {
  DType dtype;
  FeatureKind kind;
};

constexpr std::array<ValueType, 3> kValueTypes = {{
    {DType::kFloat32, FeatureKind::kFloat},
    {DType::kInt64, FeatureKind::kInt64},
    {DType::kString, FeatureKind::kBytes},
}};

constexpr std::array<const char*, 4> kKindNames = {"fixed", "sequence", "sparse", "ragged"};

enum Field : size_t { kName, kKind, kDtype, kShape, kDefault, kSplits, kOptional, kFields };

// One entry of the attribute as arguments, so that reading is checked.
Result<Args> EntryArgs(const Args& attrs, const Value& entry) {
  const ValueList* fields = entry.get<ValueList>();
  if (!fields || fields->size() != kFields) {
    return attrs.Error(
        StrCat("a feature must have ", size_t{kFields}, " fields, got ", entry.ToString()));
  }
  return Args(attrs.owner(), {{"name", (*fields)[kName]},
                              {"kind", (*fields)[kKind]},
                              {"dtype", (*fields)[kDtype]},
                              {"shape", (*fields)[kShape]},
                              {"default", (*fields)[kDefault]},
                              {"splits", (*fields)[kSplits]},
                              {"optional", (*fields)[kOptional]}});
}

Status ReadType(const Args& entry, FeatureRequest* request) {
  FASTPIPE_ASSIGN(request->dtype, entry.Dtype("dtype"));
  for (const ValueType& type : kValueTypes) {
    if (type.dtype == request->dtype) request->wire = type.kind;
  }
  if (request->wire != FeatureKind::kNone) return Status::Ok();
  return entry.Error(StrCat("feature ", Quoted(request->name),
                            " must be of dtype float32, int64 or string, got ",
                            DTypeName(request->dtype)));
}

Status ReadKind(const Args& entry, FeatureRequest* request) {
  FASTPIPE_ASSIGN(const std::string kind, entry.String("kind"));
  const auto found = std::find(kKindNames.begin(), kKindNames.end(), kind);
  if (found == kKindNames.end()) {
    return entry.Error(StrCat("feature ", Quoted(request->name),
                              " must be fixed, sequence, sparse or ragged, got ", Quoted(kind)));
  }
  request->kind = static_cast<ColumnKind>(found - kKindNames.begin());
  return Status::Ok();
}

Status ReadShape(const Args& entry, FeatureRequest* request) {
  FASTPIPE_ASSIGN(request->shape, entry.Ints("shape"));
  for (const int64_t dim : request->shape) {
    if (dim < 0) {
      return entry.Error(StrCat("feature ", Quoted(request->name), " must have a known shape, got ",
                                ShapeString(request->shape)));
    }
  }
  request->count = static_cast<size_t>(NumElements(request->shape));
  if (request->kind == ColumnKind::kSequence && request->count == 0) {
    return entry.Error(StrCat("feature ", Quoted(request->name),
                              " must have values in each step, got the shape ",
                              ShapeString(request->shape)));
  }
  return Status::Ok();
}

Status ReadDefault(const Args& entry, FeatureRequest* request) {
  if (!entry.Has("default")) return Status::Ok();
  FASTPIPE_ASSIGN(Tensor tensor, entry.OneTensor("default"));
  const bool padding = request->kind == ColumnKind::kSequence;
  const size_t count = padding ? 1 : request->count;
  if (tensor.dtype() != request->dtype || static_cast<size_t>(tensor.num_elements()) != count) {
    return entry.Error(StrCat(request->Expected(), padding ? ", padded with one" : "",
                              ", got a default of ", TensorSpec::Of(tensor).ToString()));
  }
  request->fallback = padding ? tensor.Reshaped({}) : std::move(tensor);
  return Status::Ok();
}

Result<FeatureRequest> ReadRequest(const Args& attrs, const Value& value, bool nested) {
  FASTPIPE_ASSIGN(const Args entry, EntryArgs(attrs, value));
  FeatureRequest request;
  request.nested = nested;
  FASTPIPE_ASSIGN(request.name, entry.String("name"));
  FASTPIPE_RETURN_IF_ERROR(ReadKind(entry, &request));
  FASTPIPE_RETURN_IF_ERROR(ReadType(entry, &request));
  FASTPIPE_RETURN_IF_ERROR(ReadShape(entry, &request));
  FASTPIPE_RETURN_IF_ERROR(ReadDefault(entry, &request));
  FASTPIPE_ASSIGN(request.split_dtype, entry.Dtype("splits"));
  FASTPIPE_ASSIGN(request.optional, entry.BoolOr("optional", false));
  if (request.kind == ColumnKind::kSequence && !request.fallback) {
    return entry.Error(StrCat("feature ", Quoted(request.name), " needs a value to pad with"));
  }
  return request;
}

// Damage inside a feature knows nothing of the feature.
Status AtFeature(const std::string& name, const Status& status) {
  if (status.message().starts_with("feature ")) return status;
  return InvalidArgument(
      StrCat("feature ", Quoted(name),
             " must be a tf.train.Feature, got damaged bytes: ", status.message()));
}

Status WrongRank(const Args& attrs, int max_rank, const TensorSpec& got) {
  return attrs.Error(StrCat("serialized must be a scalar", max_rank == 0 ? "" : " or vector",
                            ", got ", got.ToString()));
}

}  // namespace

Result<FeatureTable> FeatureTable::Read(const Args& attrs, std::string_view attribute,
                                        uint32_t field, bool nested) {
  FASTPIPE_ASSIGN(const ValueList entries, attrs.List(attribute));
  FeatureTable table;
  table.field_ = field;
  table.message_type_ = attribute == "features" ? "Example" : "SequenceExample";
  for (const Value& entry : entries) {
    FASTPIPE_ASSIGN(FeatureRequest request, ReadRequest(attrs, entry, nested));
    table.requests_.push_back(std::move(request));
  }
  for (size_t i = 0; i < table.requests_.size(); ++i) {
    table.index_.emplace(table.requests_[i].name, i);
  }
  return table;
}

bool FeatureTable::HasRagged() const {
  return std::any_of(requests_.begin(), requests_.end(), [](const FeatureRequest& request) {
    return request.kind == ColumnKind::kRagged;
  });
}

void FeatureTable::AppendSpecs(const TensorSpec& serialized, std::vector<TensorSpec>* specs) const {
  for (const FeatureRequest& request : requests_) {
    for (TensorSpec& spec : ColumnSpecs(request, serialized)) specs->push_back(std::move(spec));
  }
}

FeatureTable::Columns FeatureTable::NewColumns(const Tensor& serialized, Output** outputs) const {
  const TensorSpec spec = TensorSpec::Of(serialized);
  Columns columns;
  for (const FeatureRequest& request : requests_) {
    columns.push_back(MakeColumn(request, serialized, *outputs));
    *outputs += ColumnSpecs(request, spec).size();
  }
  return columns;
}

Status FeatureTable::AddRow(std::string_view message, int64_t row, Columns* columns) const {
  std::vector<std::optional<std::string_view>> found(requests_.size());
  MapReader reader(message, field_);
  while (reader.Next()) {
    const auto wanted = index_.find(reader.key());
    if (wanted != index_.end()) found[wanted->second] = reader.value();
  }
  if (!reader.status().ok()) {
    return InvalidArgument(StrCat("serialized must be a tf.train.", message_type_, ", got ",
                                  Quoted(message), ": ", reader.status().message()));
  }
  for (size_t i = 0; i < columns->size(); ++i) {
    Status status = (*columns)[i]->Add(row, found[i]);
    if (!status.ok()) return AtFeature(requests_[i].name, status);
  }
  return Status::Ok();
}

Status ParseMessages(const Args& attrs, const std::vector<FeatureTable>& tables, int max_rank,
                     const Tensor& serialized, Outputs out) {
  if (serialized.rank() > max_rank) {
    return WrongRank(attrs, max_rank, TensorSpec::Of(serialized));
  }
  Output* outputs = out.data();
  std::vector<FeatureTable::Columns> columns;
  for (const FeatureTable& table : tables) {
    columns.push_back(table.NewColumns(serialized, &outputs));
  }
  const int64_t rows = serialized.num_elements();
  for (int64_t row = 0; row < rows; ++row) {
    for (size_t i = 0; i < tables.size(); ++i) {
      Status status = tables[i].AddRow(serialized.str(row), row, &columns[i]);
      if (status.ok()) continue;
      const std::string place = serialized.rank() == 0 ? "" : StrCat("example ", row, ": ");
      return attrs.Error(place + status.message());
    }
  }
  for (FeatureTable::Columns& group : columns) {
    for (auto& column : group) column->Finish();
  }
  return Status::Ok();
}

Result<KernelPlan> PlanParse(const Args& attrs, Specs inputs, int max_rank,
                             std::vector<FeatureTable> tables) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  TensorSpec serialized = inputs[0];
  if (serialized.rank() > max_rank) return WrongRank(attrs, max_rank, serialized);
  if (max_rank == 0) serialized = TensorSpec::Scalar(DType::kString);
  size_t features = 0;
  std::vector<TensorSpec> specs;
  for (const FeatureTable& table : tables) {
    if (!serialized.known_rank && table.HasRagged()) {
      return attrs.Error("ragged features need to know whether serialized is a scalar or a vector");
    }
    features += table.size();
    table.AppendSpecs(serialized, &specs);
  }
  if (features == 0) return attrs.Error("features must name at least one feature, got none");
  auto shared = std::make_shared<const std::vector<FeatureTable>>(std::move(tables));
  return KernelPlan{std::move(specs),
                    KernelFrom([attrs, max_rank, shared](KernelContext*, Inputs in, Outputs out) {
                      return ParseMessages(attrs, *shared, max_rank, *in[0], out);
                    })};
}

}  // namespace fastpipe
