// ragged_batch(batch_size, drop_remainder): batches rows of different lengths without padding. A
// component of rank >= 1 becomes two: the rows end to end, and int64 row_splits of shape [n + 1],
// so that row i is values[row_splits[i]:row_splits[i + 1]]. Scalars are stacked.

#include <algorithm>

#include "core/registry.h"
#include "core/stack.h"
#include "ops/collect_rows.h"

namespace fastpipe {
namespace {

using Rows = std::span<const Element>;

ElementSpec RaggedSpec(const ElementSpec& spec, int64_t batch_size) {
  ElementSpec ragged;
  for (const TensorSpec& component : spec) {
    if (component.dims.empty()) {
      ragged.push_back(StackedSpec(component, batch_size));
      continue;
    }
    TensorSpec values = component;
    values.dims.front() = -1;
    ragged.push_back(std::move(values));
    ragged.push_back(TensorSpec::Of(DType::kInt64, {batch_size < 0 ? -1 : batch_size + 1}));
  }
  return ragged;
}

class RaggedBatch final : public Dataset {
 public:
  RaggedBatch(DatasetRef input, int64_t batch_size, bool drop_remainder)
      : Dataset(RaggedSpec(input->spec(), drop_remainder ? batch_size : -1), {input}),
        batch_size_(batch_size),
        drop_remainder_(drop_remainder) {}

  int64_t batch_size() const { return batch_size_; }
  bool drop_remainder() const { return drop_remainder_; }
  int64_t Cardinality() const override {
    return BatchCardinality(input()->Cardinality(), batch_size_, drop_remainder_);
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const int64_t batch_size_;
  const bool drop_remainder_;
};

Status ExpectEqualRows(Rows rows, size_t component) {
  const Dims first = rows[0][component].dims();
  for (size_t i = 0; i < rows.size(); ++i) {
    const Dims dims = rows[i][component].dims();
    if (dims.empty() || !std::equal(first.begin() + 1, first.end(), dims.begin() + 1, dims.end())) {
      return InvalidArgument(StrCat("component ", component, " may differ only in its first ",
                                    "dimension: it has shape ", ShapeString(first),
                                    " in element 0 of the batch and ", ShapeString(dims),
                                    " in element ", i));
    }
  }
  return Status::Ok();
}

// The strings of all rows in one array of `dims`.
Tensor JoinStrings(Rows rows, size_t component, Dims dims) {
  std::vector<std::string_view> texts;
  for (const Element& row : rows) {
    const Tensor& tensor = row[component];
    for (int64_t i = 0; i < tensor.num_elements(); ++i) texts.push_back(tensor.str(i));
  }
  return StringArrayFrom(dims, [&](int64_t i) { return texts[static_cast<size_t>(i)]; });
}

Tensor JoinNumbers(Rows rows, size_t component, Dims dims) {
  Tensor joined = Tensor::Allocate(rows[0][component].dtype(), dims);
  uint8_t* target = joined.mutable_raw();
  for (const Element& row : rows) {
    const size_t bytes = row[component].num_bytes();
    std::memcpy(target, row[component].raw(), bytes);
    target += bytes;
  }
  return joined;
}

// Appends the values and the row splits of one component.
Status JoinRows(Rows rows, size_t component, Element* out) {
  FASTPIPE_RETURN_IF_ERROR(ExpectEqualRows(rows, component));
  const std::vector<int64_t> splits_dims = {static_cast<int64_t>(rows.size()) + 1};
  Tensor splits = Tensor::Allocate(DType::kInt64, splits_dims);
  int64_t* split = splits.mutable_data<int64_t>();
  int64_t total = 0;
  *split++ = 0;
  for (const Element& row : rows) *split++ = total += row[component].dim(0);
  const Tensor& first = rows[0][component];
  std::vector<int64_t> dims(first.dims().begin(), first.dims().end());
  dims[0] = total;
  out->push_back(first.is_string() ? JoinStrings(rows, component, dims)
                                   : JoinNumbers(rows, component, dims));
  out->push_back(std::move(splits));
  return Status::Ok();
}

class RaggedBatchIterator final : public IteratorOf<RaggedBatch> {
 public:
  RaggedBatchIterator(const RaggedBatch& op, const IteratorContext& context)
      : IteratorOf(op, context),
        rows_(op.inputs().front()->MakeIterator(context), op.batch_size(), op.drop_remainder()) {}

 private:
  Status Produce(Element* out) override {
    FASTPIPE_RETURN_IF_ERROR(rows_.Collect());
    Status status = Join(rows_.rows(), out);
    rows_.Clear();
    return status;
  }
  Status Join(Rows rows, Element* out) {
    for (size_t i = 0; i < rows[0].size(); ++i) {
      if (rows[0][i].rank() > 0) {
        FASTPIPE_RETURN_IF_ERROR(JoinRows(rows, i, out));
        continue;
      }
      Tensor stacked;
      FASTPIPE_RETURN_IF_ERROR(StackComponent(rows, i, &stacked));
      out->push_back(std::move(stacked));
    }
    return Status::Ok();
  }
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    return rows_.Skip(count, skipped);
  }
  Status SavePosition(PositionWriter* writer) override { return rows_.Save(writer); }
  Status RestorePosition(PositionReader* reader) override { return rows_.Restore(reader); }

  RowCollector rows_;
};

std::unique_ptr<Iterator> RaggedBatch::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<RaggedBatchIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeRaggedBatch(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectStackable(args, inputs[0]->spec()));
  for (size_t i = 0; i < inputs[0]->spec().size(); ++i) {
    if (!inputs[0]->spec()[i].known_rank) {
      return args.Error(StrCat("component ", i, " must have a known number of dimensions, got ",
                               inputs[0]->spec()[i].ToString()));
    }
  }
  FASTPIPE_ASSIGN(const int64_t batch_size, args.Int("batch_size", {.min = 1}));
  FASTPIPE_ASSIGN(const bool drop_remainder, args.BoolOr("drop_remainder", false));
  return std::make_shared<RaggedBatch>(inputs[0], batch_size, drop_remainder);
}

FASTPIPE_OP("ragged_batch", MakeRaggedBatch);

}  // namespace
}  // namespace fastpipe
