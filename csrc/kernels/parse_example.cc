// parse_single_example(serialized), parse_example(serialized): features of tf.train.Example.
//
// Attributes, one entry a feature: names, kinds ("fixed"), dtypes (float32, int64 or string),
// shapes, defaults (None: the feature is required; else a tensor of that dtype with as many
// values). The results come in the same order. parse_example also takes a vector of examples: each
// result then has the batch as its first dimension.

#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/registry.h"
#include "io/example_wire.h"
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

// A feature that always has the same number of values.
struct FixedFeature {
  std::string name;
  ValueType type;
  std::vector<int64_t> shape;
  size_t count = 1;  // values of that shape
  std::optional<Tensor> fallback;

  std::string Expected() const {
    return StrCat("feature ", Quoted(name), " must hold ", count, " ", DTypeName(type.dtype),
                  " values (shape ", ShapeString(shape), ")");
  }
};

// One feature of the examples of one run.
class FixedColumn {
 public:
  FixedColumn(const FixedFeature& feature, const Tensor& serialized, Output* output)
      : feature_(feature), serialized_(serialized), output_(output) {
    dims_.assign(serialized.dims().begin(), serialized.dims().end());
    dims_.insert(dims_.end(), feature.shape.begin(), feature.shape.end());
    if (is_string()) {
      texts_.resize(feature.count);
    } else {
      numbers_ = output->Allocate(feature.type.dtype, dims_);
    }
  }

  // `message` is the serialized feature of example `row`, empty if it has none.
  Status Add(int64_t row, std::string_view message) {
    FASTPIPE_ASSIGN(const Feature found, ReadFeature(message));
    if (found.kind == FeatureKind::kNone) {
      if (feature_.fallback) return AddFallback(row);
      return InvalidArgument(StrCat(feature_.Expected(), " and has no default, got no value"));
    }
    if (found.kind != feature_.type.kind) {
      return InvalidArgument(
          StrCat(feature_.Expected(), ", got ", FeatureKindName(found.kind), " values"));
    }
    FASTPIPE_ASSIGN(const size_t count, Read(row, found));
    if (count != feature_.count) {
      return InvalidArgument(StrCat(feature_.Expected(), ", got ", count, " values"));
    }
    if (is_string()) AddTexts();
    return Status::Ok();
  }

  void Finish() {
    if (is_string() && !is_slice()) output_->Set(builder_.Build(dims_));
  }

 private:
  bool is_string() const { return feature_.type.dtype == DType::kString; }
  // One string of one example stays where it is, in the serialized text.
  bool is_slice() const { return dims_.empty(); }

  Result<size_t> Read(int64_t row, const Feature& found) {
    const size_t first = static_cast<size_t>(row) * feature_.count;
    switch (found.kind) {
      case FeatureKind::kFloat:
        return ReadFloats(found, {reinterpret_cast<float*>(numbers_) + first, feature_.count});
      case FeatureKind::kInt64:
        return ReadInts(found, {reinterpret_cast<int64_t*>(numbers_) + first, feature_.count});
      default:
        return ReadStrings(found, texts_);
    }
  }

  Status AddFallback(int64_t row) {
    const Tensor& fallback = *feature_.fallback;
    if (!is_string()) {
      const size_t size = fallback.num_bytes();
      std::memcpy(numbers_ + static_cast<size_t>(row) * size, fallback.raw(), size);
    } else if (is_slice()) {
      output_->Set(fallback.Reshaped({}));
    } else {
      for (size_t i = 0; i < feature_.count; ++i) {
        builder_.Append(fallback.str(static_cast<int64_t>(i)));
      }
    }
    return Status::Ok();
  }

  void AddTexts() {
    if (is_slice()) output_->Set(Tensor::StringSlice(serialized_.buffer(), texts_[0]));
    for (std::string_view text : texts_) {
      if (!is_slice()) builder_.Append(text);
    }
  }

  const FixedFeature& feature_;
  const Tensor& serialized_;
  Output* const output_;
  std::vector<int64_t> dims_;
  uint8_t* numbers_ = nullptr;
  std::vector<std::string_view> texts_;  // of the example being added
  StringArrayBuilder builder_;
};

Status WrongRank(const Args& attrs, int max_rank, const TensorSpec& got) {
  return attrs.Error(StrCat("serialized must be a scalar", max_rank == 0 ? "" : " or vector",
                            ", got ", got.ToString()));
}

class ParseExample final : public Kernel {
 public:
  ParseExample(const Args& attrs, std::vector<FixedFeature> features, int max_rank)
      : attrs_(attrs), features_(std::move(features)), max_rank_(max_rank) {
    for (size_t i = 0; i < features_.size(); ++i) index_.emplace(features_[i].name, i);
  }

  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    const Tensor& serialized = *in[0];
    if (serialized.rank() > max_rank_) {
      return WrongRank(attrs_, max_rank_, TensorSpec::Of(serialized));
    }
    std::vector<FixedColumn> columns;
    columns.reserve(features_.size());
    for (size_t i = 0; i < features_.size(); ++i) {
      columns.emplace_back(features_[i], serialized, &out[i]);
    }
    std::vector<std::string_view> found(features_.size());
    const int64_t rows = serialized.num_elements();
    for (int64_t row = 0; row < rows; ++row) {
      Status status = AddExample(serialized.str(row), row, &found, &columns);
      if (!status.ok()) {
        return attrs_.Error(
            StrCat(serialized.rank() == 0 ? "" : StrCat("example ", row, ": "), status.message()));
      }
    }
    for (FixedColumn& column : columns) column.Finish();
    return Status::Ok();
  }

 private:
  Status AddExample(std::string_view serialized, int64_t row, std::vector<std::string_view>* found,
                    std::vector<FixedColumn>* columns) const {
    std::fill(found->begin(), found->end(), std::string_view());
    ExampleReader example(serialized);
    while (example.Next()) {
      const auto wanted = index_.find(example.key());
      if (wanted != index_.end()) (*found)[wanted->second] = example.feature();
    }
    if (!example.status().ok()) {
      return InvalidArgument(StrCat("serialized must be a tf.train.Example, got ",
                                    Quoted(serialized), ": ", example.status().message()));
    }
    for (size_t i = 0; i < columns->size(); ++i) {
      Status status = (*columns)[i].Add(row, (*found)[i]);
      if (!status.ok()) return AtFeature(i, status);
    }
    return Status::Ok();
  }

  // Damage inside a feature knows nothing of the feature.
  Status AtFeature(size_t index, const Status& status) const {
    if (status.message().starts_with("feature ")) return status;
    return InvalidArgument(
        StrCat("feature ", Quoted(features_[index].name),
               " must be a tf.train.Feature, got damaged bytes: ", status.message()));
  }

  const Args attrs_;
  const std::vector<FixedFeature> features_;
  const int max_rank_;
  std::unordered_map<std::string_view, size_t> index_;  // keys are the names in features_
};

Result<ValueType> ReadValueType(const Args& attrs, const std::string& name,
                                const std::string& text) {
  FASTPIPE_ASSIGN(const DType dtype, DTypeFromName(text));
  for (const ValueType& type : kValueTypes) {
    if (type.dtype == dtype) return type;
  }
  return attrs.Error(StrCat("feature ", Quoted(name),
                            " must be of dtype float32, int64 or string, "
                            "got ",
                            text));
}

// The shape of one feature; its `-1`s, unknown dimensions, are refused.
Result<std::vector<int64_t>> ReadShape(const Args& attrs, const std::string& name,
                                       const Value& value) {
  FASTPIPE_ASSIGN(auto shape, Args(attrs.owner(), {{"shape", value}}).Ints("shape"));
  for (int64_t dim : shape) {
    if (dim < 0) {
      return attrs.Error(
          StrCat("feature ", Quoted(name), " must have a known shape, got ", ShapeString(shape)));
    }
  }
  return shape;
}

Status ReadDefault(const Args& attrs, const Value& value, FixedFeature* feature) {
  if (value.is_none()) return Status::Ok();
  FASTPIPE_ASSIGN(Tensor tensor, Args(attrs.owner(), {{"default", value}}).OneTensor("default"));
  if (tensor.dtype() != feature->type.dtype ||
      static_cast<size_t>(tensor.num_elements()) != feature->count) {
    return attrs.Error(
        StrCat(feature->Expected(), ", got a default of ", TensorSpec::Of(tensor).ToString()));
  }
  feature->fallback = std::move(tensor);
  return Status::Ok();
}

Result<std::vector<FixedFeature>> ReadFeatures(const Args& attrs) {
  FASTPIPE_ASSIGN(const auto names, attrs.Strings("names"));
  FASTPIPE_ASSIGN(const auto kinds, attrs.Strings("kinds"));
  FASTPIPE_ASSIGN(const auto dtypes, attrs.Strings("dtypes"));
  FASTPIPE_ASSIGN(const ValueList shapes, attrs.List("shapes"));
  FASTPIPE_ASSIGN(const ValueList defaults, attrs.List("defaults"));
  const size_t count = names.size();
  if (count == 0) return attrs.Error("features must name at least one feature, got none");
  if (kinds.size() != count || dtypes.size() != count || shapes.size() != count ||
      defaults.size() != count) {
    return attrs.Error(
        StrCat("names, kinds, dtypes, shapes and defaults must have one length, got ", count, ", ",
               kinds.size(), ", ", dtypes.size(), ", ", shapes.size(), " and ", defaults.size()));
  }
  std::vector<FixedFeature> features(count);
  for (size_t i = 0; i < count; ++i) {
    FixedFeature& feature = features[i];
    feature.name = names[i];
    if (kinds[i] != "fixed") {
      return attrs.Error(
          StrCat("feature ", Quoted(names[i]), " must be of kind 'fixed', got ", Quoted(kinds[i])));
    }
    FASTPIPE_ASSIGN(feature.type, ReadValueType(attrs, names[i], dtypes[i]));
    FASTPIPE_ASSIGN(feature.shape, ReadShape(attrs, names[i], shapes[i]));
    feature.count = static_cast<size_t>(NumElements(feature.shape));
    FASTPIPE_RETURN_IF_ERROR(ReadDefault(attrs, defaults[i], &feature));
  }
  return features;
}

// `serialized` is a scalar, or with `max_rank` 1 also a batch.
template <int max_rank>
Result<KernelPlan> Plan(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  const TensorSpec& serialized = inputs[0];
  if (serialized.rank() > max_rank) return WrongRank(attrs, max_rank, serialized);
  FASTPIPE_ASSIGN(std::vector<FixedFeature> features, ReadFeatures(attrs));
  std::vector<TensorSpec> outputs;
  for (const FixedFeature& feature : features) {
    TensorSpec spec = TensorSpec::UnknownRank(feature.type.dtype);
    if (max_rank == 0 || serialized.known_rank) {
      spec = TensorSpec::Of(feature.type.dtype, serialized.dims);
      spec.dims.insert(spec.dims.end(), feature.shape.begin(), feature.shape.end());
    }
    outputs.push_back(std::move(spec));
  }
  return KernelPlan{std::move(outputs),
                    std::make_shared<const ParseExample>(attrs, std::move(features), max_rank)};
}

FASTPIPE_KERNEL("parse_single_example", Plan<0>);
FASTPIPE_KERNEL("parse_example", Plan<1>);

}  // namespace
}  // namespace fastpipe
