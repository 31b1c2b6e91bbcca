// sparse_batch(batch_size, row_shape): batches dense elements of different shapes as sparse tensors
// of all their values. row_shape is the dense shape of a row, -1: that of the largest in the batch.

#include <algorithm>

#include "core/composite.h"
#include "core/registry.h"
#include "ops/collect_rows.h"

namespace fastpipe {
namespace {

using Rows = std::span<const Element>;

ElementSpec SparseSpec(DType dtype, size_t rank) {
  const int64_t columns = static_cast<int64_t>(rank) + 1;
  return {TensorSpec::Of(DType::kInt64, {-1, columns}), TensorSpec::Of(dtype, {-1}),
          TensorSpec::Of(DType::kInt64, {columns})};
}

class SparseBatch final : public Dataset {
 public:
  SparseBatch(DatasetRef input, int64_t batch_size, std::vector<int64_t> row_shape)
      : Dataset(SparseSpec(input->spec()[0].dtype, row_shape.size()), {input}),
        batch_size_(batch_size),
        row_shape_(std::move(row_shape)) {}

  int64_t batch_size() const { return batch_size_; }
  const std::vector<int64_t>& row_shape() const { return row_shape_; }
  int64_t Cardinality() const override {
    return BatchCardinality(input()->Cardinality(), batch_size_, false);
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const int64_t batch_size_;
  const std::vector<int64_t> row_shape_;
};

class SparseBatchIterator final : public IteratorOf<SparseBatch> {
 public:
  SparseBatchIterator(const SparseBatch& op, const IteratorContext& context)
      : IteratorOf(op, context),
        rows_(op.inputs().front()->MakeIterator(context), op.batch_size(), false) {}

 private:
  Status Produce(Element* out) override {
    FASTPIPE_RETURN_IF_ERROR(rows_.Collect());
    Status status = Join(rows_.rows(), out);
    rows_.Clear();
    return status;
  }

  Status ExpectFits(Dims dims, size_t row) const {
    const std::vector<int64_t>& shape = op().row_shape();
    if (dims.size() != shape.size()) {
      return InvalidArgument(StrCat("element ", row, " of the batch has shape ", ShapeString(dims),
                                    ", row_shape ", ShapeString(shape), " has another rank"));
    }
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      if (shape[axis] >= 0 && dims[axis] > shape[axis]) {
        return DataLoss(StrCat("element ", row, " of the batch has shape ", ShapeString(dims),
                               ", larger than row_shape ", ShapeString(shape)));
      }
    }
    return Status::Ok();
  }

  // Each row becomes a sparse tensor of all its values; these are stacked.
  Status Join(Rows rows, Element* out) const {
    std::vector<Element> sparse(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      const Tensor& tensor = rows[i][0];
      const Dims dims = tensor.dims();
      FASTPIPE_RETURN_IF_ERROR(ExpectFits(dims, i));
      const int64_t count = tensor.num_elements();
      const int64_t rank = tensor.rank();
      const std::vector<int64_t> index_dims = {count, rank};
      Tensor indices = Tensor::Allocate(DType::kInt64, index_dims);
      int64_t* index = indices.mutable_data<int64_t>();
      for (int64_t value = 0; value < count; ++value, index += rank) {
        int64_t rest = value;
        for (int64_t axis = rank - 1; axis >= 0; --axis) {
          index[axis] = rest % dims[static_cast<size_t>(axis)];
          rest /= dims[static_cast<size_t>(axis)];
        }
      }
      const std::vector<int64_t> flat = {count};
      const std::vector<int64_t> shape_dims = {rank};
      Tensor shape = Tensor::Allocate(DType::kInt64, shape_dims);
      for (int64_t axis = 0; axis < rank; ++axis) {
        const int64_t wanted = op().row_shape()[static_cast<size_t>(axis)];
        shape.mutable_data<int64_t>()[axis] =
            wanted < 0 ? tensor.dim(static_cast<int>(axis)) : wanted;
      }
      sparse[i].push_back(std::move(indices));
      sparse[i].push_back(tensor.Reshaped(flat));
      sparse[i].push_back(std::move(shape));
    }
    return StackComposites(sparse, {{.kind = Component::Kind::kSparse, .count = 3}}, out);
  }

  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    return rows_.Skip(count, skipped);
  }
  Status SavePosition(PositionWriter* writer) override { return rows_.Save(writer); }
  Status RestorePosition(PositionReader* reader) override { return rows_.Restore(reader); }

  RowCollector rows_;
};

std::unique_ptr<Iterator> SparseBatch::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<SparseBatchIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeSparseBatch(const Args& args, std::vector<DatasetRef> inputs) {
  const ElementSpec& input = inputs[0]->spec();
  FASTPIPE_RETURN_IF_ERROR(ExpectStackable(args, input));
  if (input.size() != 1) {
    return args.Error(StrCat("elements must have one component, got ", input.size()));
  }
  FASTPIPE_ASSIGN(const int64_t batch_size, args.Int("batch_size", {.min = 1}));
  FASTPIPE_ASSIGN(std::vector<int64_t> row_shape, args.Ints("row_shape"));
  if (input[0].known_rank && input[0].dims.size() != row_shape.size()) {
    return args.Error(StrCat("row_shape must have the rank of the elements, ", input[0].ToString(),
                             ", got ", ShapeString(row_shape)));
  }
  return std::make_shared<SparseBatch>(inputs[0], batch_size, std::move(row_shape));
}

FASTPIPE_OP("sparse_batch", MakeSparseBatch);

}  // namespace
}  // namespace fastpipe
