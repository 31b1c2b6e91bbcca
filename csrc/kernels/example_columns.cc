#include "kernels/example_columns.h"

#include <algorithm>
#include <cstring>

#include "core/stack.h"
#include "io/text.h"

namespace fastpipe {
namespace {

// Writes the values of `found` that fit into `room` at `out`; their whole number.
Result<size_t> ReadNumbers(const Feature& found, uint8_t* out, size_t room) {
  if (found.kind == FeatureKind::kFloat) {
    return ReadFloats(found, {reinterpret_cast<float*>(out), room});
  }
  return ReadInts(found, {reinterpret_cast<int64_t*>(out), room});
}

Status WrongKind(const FeatureRequest& request, const Feature& found) {
  return InvalidArgument(
      StrCat(request.Expected(), ", got ", FeatureKindName(found.kind), " values"));
}

class FixedColumn final : public Column {
 public:
  FixedColumn(const FeatureRequest& request, const Tensor& serialized, Output* output)
      : request_(request), serialized_(serialized), output_(output) {
    dims_.assign(serialized.dims().begin(), serialized.dims().end());
    dims_.insert(dims_.end(), request.shape.begin(), request.shape.end());
    if (is_string()) {
      texts_.resize(request.count);
    } else {
      numbers_ = output->Allocate(request.dtype, dims_);
    }
  }

  Status Add(int64_t row, const std::optional<std::string_view>& message) override {
    FASTPIPE_ASSIGN(const Feature found, ReadFeature(message.value_or("")));
    if (found.kind == FeatureKind::kNone) {
      if (request_.fallback) return AddFallback(row);
      return InvalidArgument(StrCat(request_.Expected(), " and has no default, got no value"));
    }
    if (found.kind != request_.wire) return WrongKind(request_, found);
    FASTPIPE_ASSIGN(const size_t count, Read(row, found));
    if (count != request_.count) {
      return InvalidArgument(StrCat(request_.Expected(), ", got ", count, " values"));
    }
    if (is_string()) AddTexts();
    return Status::Ok();
  }

  void Finish() override {
    if (is_string() && !is_slice()) output_->Set(builder_.Build(dims_));
  }

 private:
  bool is_string() const { return request_.dtype == DType::kString; }
  // One string of one example stays where it is, in the serialized text.
  bool is_slice() const { return dims_.empty(); }

  Result<size_t> Read(int64_t row, const Feature& found) {
    if (is_string()) return ReadStrings(found, texts_);
    const size_t first = static_cast<size_t>(row) * request_.count;
    return ReadNumbers(found, numbers_ + first * DTypeSize(request_.dtype), request_.count);
  }

  Status AddFallback(int64_t row) {
    const Tensor& fallback = *request_.fallback;
    if (!is_string()) {
      const size_t size = fallback.num_bytes();
      std::memcpy(numbers_ + static_cast<size_t>(row) * size, fallback.raw(), size);
    } else if (is_slice()) {
      output_->Set(fallback.Reshaped({}));
    } else {
      for (size_t i = 0; i < request_.count; ++i) {
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

  const FeatureRequest& request_;
  const Tensor& serialized_;
  Output* const output_;
  std::vector<int64_t> dims_;
  uint8_t* numbers_ = nullptr;
  std::vector<std::string_view> texts_;  // of the example being added
  StringArrayBuilder builder_;
};

// Values of any number, end to end. Texts are parts of the serialized message.
class Values {
 public:
  explicit Values(DType dtype) : dtype_(dtype) {}

  Result<size_t> Append(const Feature& found) {
    if (dtype_ == DType::kString) return AppendTexts(found);
    const size_t size = DTypeSize(dtype_);
    FASTPIPE_ASSIGN(const size_t count, ReadNumbers(found, nullptr, 0));
    numbers_.resize((count_ + count) * size);
    FASTPIPE_RETURN_IF_ERROR(
        std::move(ReadNumbers(found, numbers_.data() + count_ * size, count).status()));
    count_ += count;
    return count;
  }
  int64_t count() const { return static_cast<int64_t>(count_); }

  void Finish(Output* output) const {
    const int64_t count = this->count();
    FinishPadded({count}, Dims(&count, 1), 1, nullptr, output);
  }

  // `lengths[i]` values make row i of `dims`, whose first dimensions are row and step; a row is
  // filled up to `row` values with the scalar `padding`, or zeros.
  void FinishPadded(const std::vector<int64_t>& lengths, Dims dims, int64_t row,
                    const Tensor* padding, Output* output) const {
    if (dtype_ == DType::kString) {
      output->Set(PaddedTexts(lengths, dims, row, padding));
      return;
    }
    const size_t size = DTypeSize(dtype_);
    uint8_t* to = output->Allocate(dtype_, dims);
    const uint8_t* from = numbers_.data();
    if (!padding) {
      if (!numbers_.empty()) std::memcpy(to, from, numbers_.size());
      return;
    }
    for (const int64_t length : lengths) {
      const size_t bytes = static_cast<size_t>(length) * size;
      if (bytes > 0) std::memcpy(to, from, bytes);
      from += bytes;
      to += bytes;
      for (int64_t i = length; i < row; ++i, to += size) std::memcpy(to, padding->raw(), size);
    }
  }

 private:
  Result<size_t> AppendTexts(const Feature& found) {
    FASTPIPE_ASSIGN(const size_t count, ReadStrings(found, {}));
    texts_.resize(count_ + count);
    FASTPIPE_RETURN_IF_ERROR(
        std::move(ReadStrings(found, std::span(texts_).subspan(count_)).status()));
    count_ += count;
    return count;
  }

  Tensor PaddedTexts(const std::vector<int64_t>& lengths, Dims dims, int64_t row,
                     const Tensor* padding) const {
    if (!padding) {
      return StringArrayFrom(dims, [&](int64_t i) { return texts_[static_cast<size_t>(i)]; });
    }
    std::vector<std::string_view> padded;
    auto next = texts_.begin();
    for (const int64_t length : lengths) {
      padded.insert(padded.end(), next, next + length);
      padded.insert(padded.end(), static_cast<size_t>(row - length), padding->str());
      next += length;
    }
    return StringArrayFrom(dims, [&](int64_t i) { return padded[static_cast<size_t>(i)]; });
  }

  const DType dtype_;
  size_t count_ = 0;
  std::vector<uint8_t> numbers_;
  std::vector<std::string_view> texts_;
};

int64_t Longest(const std::vector<int64_t>& lengths) {
  return lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
}

void FinishVector(DType dtype, const std::vector<int64_t>& values, Output* output) {
  const int64_t size = static_cast<int64_t>(values.size());
  if (dtype == DType::kInt32) {
    std::copy(values.begin(), values.end(), output->Allocate<int32_t>(Dims(&size, 1)));
  } else {
    std::copy(values.begin(), values.end(), output->Allocate<int64_t>(Dims(&size, 1)));
  }
}

void FinishSplits(DType dtype, const std::vector<int64_t>& lengths, Output* output) {
  std::vector<int64_t> splits{0};
  for (const int64_t length : lengths) splits.push_back(splits.back() + length);
  FinishVector(dtype, splits, output);
}

// A feature with any number of values in a row, or in each step of a row.
class ListColumn final : public Column {
 public:
  ListColumn(const FeatureRequest& request, bool batched, Output* outputs)
      : request_(request), batched_(batched), outputs_(outputs), values_(request.dtype) {}

  Status Add(int64_t, const std::optional<std::string_view>& message) override {
    if (!request_.nested) return AddList(message.value_or(""));
    if (!message && request_.kind == ColumnKind::kSequence && !request_.optional) {
      return InvalidArgument(
          StrCat("feature list ", Quoted(request_.name),
                 " is required, got none: allow_missing=True takes that as empty"));
    }
    FASTPIPE_RETURN_IF_ERROR(ReadFeatureList(message.value_or(""), &steps_));
    for (size_t step = 0; step < steps_.size(); ++step) {
      Status status = AddList(steps_[step]);
      if (!status.ok()) return InvalidArgument(StrCat(status.message(), ", in step ", step));
    }
    rows_.push_back(static_cast<int64_t>(steps_.size()));
    return Status::Ok();
  }

  void Finish() override {
    switch (request_.kind) {
      case ColumnKind::kSequence:
        return FinishDense();
      case ColumnKind::kSparse:
        return FinishSparse();
      default:
        return FinishRagged();
    }
  }

 private:
  // The values of one row, or of one step.
  Status AddList(std::string_view message) {
    FASTPIPE_ASSIGN(const Feature found, ReadFeature(message));
    size_t count = 0;
    if (found.kind != FeatureKind::kNone) {
      if (found.kind != request_.wire) return WrongKind(request_, found);
      FASTPIPE_ASSIGN(count, values_.Append(found));
    }
    const bool fits = request_.nested ? count == request_.count : count % request_.count == 0;
    if (request_.kind == ColumnKind::kSequence && !fits) {
      return InvalidArgument(StrCat(request_.Expected(), ", got ", count, " values"));
    }
    lists_.push_back(static_cast<int64_t>(count));
    return Status::Ok();
  }

  // How many steps each row has.
  std::vector<int64_t> StepsOfRows() const {
    if (request_.nested) return rows_;
    std::vector<int64_t> steps = lists_;
    for (int64_t& count : steps) count /= static_cast<int64_t>(request_.count);
    return steps;
  }

  void FinishDense() {
    const std::vector<int64_t> steps = StepsOfRows();
    std::vector<int64_t> dims;
    if (batched_) dims.push_back(static_cast<int64_t>(steps.size()));
    dims.push_back(Longest(steps));
    const int64_t count = static_cast<int64_t>(request_.count);
    std::vector<int64_t> lengths = steps;
    for (int64_t& length : lengths) length *= count;
    const int64_t row = Longest(lengths);
    dims.insert(dims.end(), request_.shape.begin(), request_.shape.end());
    values_.FinishPadded(lengths, dims, row, batched_ ? &*request_.fallback : nullptr,
                         &outputs_[0]);
    if (request_.nested && batched_) FinishVector(DType::kInt64, steps, &outputs_[1]);
  }

  void FinishRagged() {
    values_.Finish(&outputs_[0]);
    Output* next = &outputs_[1];
    if (batched_) FinishSplits(request_.split_dtype, request_.nested ? rows_ : lists_, next++);
    if (request_.nested) FinishSplits(request_.split_dtype, lists_, next);
  }

  void FinishSparse() {
    std::vector<int64_t> shape;
    if (batched_)
      shape.push_back(static_cast<int64_t>(request_.nested ? rows_.size() : lists_.size()));
    if (request_.nested) shape.push_back(Longest(rows_));
    shape.push_back(Longest(lists_));
    const int64_t dims[2] = {values_.count(), static_cast<int64_t>(shape.size())};
    FinishIndices(outputs_[0].Allocate<int64_t>(dims));
    values_.Finish(&outputs_[1]);
    FinishVector(DType::kInt64, shape, &outputs_[2]);
  }

  void FinishIndices(int64_t* out) const {
    const size_t rows = request_.nested ? rows_.size() : lists_.size();
    auto list = lists_.begin();
    for (size_t row = 0; row < rows; ++row) {
      const int64_t steps = request_.nested ? rows_[row] : 1;
      for (int64_t step = 0; step < steps; ++step, ++list) {
        for (int64_t i = 0; i < *list; ++i) {
          if (batched_) *out++ = static_cast<int64_t>(row);
          if (request_.nested) *out++ = step;
          *out++ = i;
        }
      }
    }
  }

  const FeatureRequest& request_;
  const bool batched_;
  Output* const outputs_;
  Values values_;
  std::vector<int64_t> lists_;           // values of each row, or of each step of all rows
  std::vector<int64_t> rows_;            // nested: steps of each row
  std::vector<std::string_view> steps_;  // of the row being added
};

void InsertRow(const TensorSpec& serialized, TensorSpec* spec) {
  if (serialized.rank() == 1) spec->dims.insert(spec->dims.begin(), serialized.dims[0]);
}

std::vector<TensorSpec> SparseSpecs(const FeatureRequest& request, const TensorSpec& serialized) {
  const int64_t rank = serialized.known_rank ? serialized.rank() + (request.nested ? 2 : 1) : -1;
  return {TensorSpec::Of(DType::kInt64, {-1, rank}), TensorSpec::Of(request.dtype, {-1}),
          TensorSpec::Of(DType::kInt64, {rank})};
}

std::vector<TensorSpec> RaggedSpecs(const FeatureRequest& request, const TensorSpec& serialized) {
  std::vector<TensorSpec> specs{TensorSpec::Of(request.dtype, {-1})};
  if (serialized.rank() == 1) {
    const int64_t rows = serialized.dims[0];
    specs.push_back(TensorSpec::Of(request.split_dtype, {rows < 0 ? -1 : rows + 1}));
  }
  if (request.nested) specs.push_back(TensorSpec::Of(request.split_dtype, {-1}));
  return specs;
}

}  // namespace

std::string FeatureRequest::Expected() const {
  const std::string start = StrCat("feature ", Quoted(name), " must hold ");
  if (kind == ColumnKind::kSparse || kind == ColumnKind::kRagged) {
    return StrCat(start, DTypeName(dtype), " values");
  }
  const bool steps = kind == ColumnKind::kSequence;
  return StrCat(start, steps && !nested ? "a multiple of " : "", count, " ", DTypeName(dtype),
                " values (shape ", ShapeString(shape), steps ? " a step)" : ")");
}

std::vector<TensorSpec> ColumnSpecs(const FeatureRequest& request, const TensorSpec& serialized) {
  if (request.kind == ColumnKind::kSparse) return SparseSpecs(request, serialized);
  if (request.kind == ColumnKind::kRagged) return RaggedSpecs(request, serialized);
  if (!serialized.known_rank) return {TensorSpec::UnknownRank(request.dtype)};
  TensorSpec spec = TensorSpec::Of(request.dtype, request.shape);
  if (request.kind == ColumnKind::kSequence) spec.dims.insert(spec.dims.begin(), -1);
  InsertRow(serialized, &spec);
  std::vector<TensorSpec> specs{std::move(spec)};
  if (request.kind == ColumnKind::kSequence && request.nested && serialized.rank() == 1) {
    specs.push_back(TensorSpec::Of(DType::kInt64, serialized.dims));
  }
  return specs;
}

std::unique_ptr<Column> MakeColumn(const FeatureRequest& request, const Tensor& serialized,
                                   Output* outputs) {
  if (request.kind == ColumnKind::kFixed) {
    return std::make_unique<FixedColumn>(request, serialized, outputs);
  }
  return std::make_unique<ListColumn>(request, serialized.rank() > 0, outputs);
}

}  // namespace fastpipe
