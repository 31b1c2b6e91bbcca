#include "kernels/sparse_view.h"

#include <algorithm>

#include "kernels/assemble.h"

namespace fastpipe {

Status ExpectSparse(const Args& attrs, Specs inputs, size_t first) {
  const TensorSpec& indices = inputs[first];
  const TensorSpec& values = inputs[first + 1];
  const TensorSpec& shape = inputs[first + 2];
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, first, DType::kInt64));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, first + 2, DType::kInt64));
  const auto wrong = [](const TensorSpec& spec, int rank) {
    return spec.known_rank && spec.rank() != rank;
  };
  if (!wrong(indices, 2) && !wrong(values, 1) && !wrong(shape, 1)) return Status::Ok();
  return attrs.Error(StrCat("a sparse tensor has indices [n, rank], values [n] and a dense shape ",
                            "[rank], got ", indices.ToString(), ", ", values.ToString(), " and ",
                            shape.ToString()));
}

std::vector<TensorSpec> SparseSpecs(DType dtype, int64_t rank, int64_t count) {
  return {TensorSpec::Of(DType::kInt64, {count, rank}), TensorSpec::Of(dtype, {count}),
          TensorSpec::Of(DType::kInt64, {rank})};
}

int64_t SparseRank(Specs inputs, size_t first) {
  if (inputs[first].known_rank && inputs[first].dims[1] >= 0) return inputs[first].dims[1];
  return inputs[first + 2].known_rank ? inputs[first + 2].dims[0] : -1;
}

Result<SparseView> SparseView::Make(const Args& attrs, Inputs inputs, size_t first) {
  const std::vector<TensorSpec> specs = {TensorSpec::Of(*inputs[first]),
                                         TensorSpec::Of(*inputs[first + 1]),
                                         TensorSpec::Of(*inputs[first + 2])};
  FASTPIPE_RETURN_IF_ERROR(ExpectSparse(attrs, specs, 0));
  const Tensor& indices = *inputs[first];
  const Tensor& shape = *inputs[first + 2];
  SparseView view;
  view.values_ = inputs[first + 1];
  view.count_ = view.values_->dim(0);
  view.indices_ = indices.data<int64_t>();
  view.shape_.assign(shape.data<int64_t>(), shape.data<int64_t>() + shape.dim(0));
  if (indices.dim(0) != view.count_ || indices.dim(1) != shape.dim(0)) {
    return attrs.Error(StrCat(
        "a sparse tensor has indices [n, rank], values [n] and a dense shape ", "[rank], got ",
        specs[0].ToString(), ", ", specs[1].ToString(), " and ", specs[2].ToString()));
  }
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), view.shape_));
  for (int64_t i = 0; i < view.count_; ++i) {
    const Dims index = view.index(i);
    for (size_t axis = 0; axis < index.size(); ++axis) {
      if (index[axis] >= 0 && index[axis] < view.shape_[axis]) continue;
      return attrs.Error(StrCat("index ", i, ", ", ShapeString(index), ", must lie in the shape ",
                                ShapeString(view.shape_)));
    }
  }
  return view;
}

int64_t SparseView::Position(int64_t i) const {
  int64_t position = 0;
  const Dims at = index(i);
  for (size_t axis = 0; axis < at.size(); ++axis) position = position * shape_[axis] + at[axis];
  return position;
}

Status SparseView::ExpectSorted(const Args& attrs) const {
  for (int64_t i = 1; i < count_; ++i) {
    const int64_t before = Position(i - 1);
    const int64_t here = Position(i);
    if (before < here) continue;
    return attrs.Error(StrCat("index ", i, ", ", ShapeString(index(i)), ", ",
                              before == here ? "is there twice" : "is out of order",
                              ": indices must ascend in row-major order"));
  }
  return Status::Ok();
}

void FinishSparse(const std::vector<int64_t>& indices, const Tensor& source,
                  const std::vector<int64_t>& order, const std::vector<int64_t>& shape,
                  Output* out) {
  const int64_t count = static_cast<int64_t>(order.size());
  const int64_t rank = static_cast<int64_t>(shape.size());
  const int64_t dims[2] = {count, rank};
  std::copy(indices.begin(), indices.end(), out[0].Allocate<int64_t>(dims));
  Assembler values(source.dtype(), Dims(&count, 1), &out[1]);
  for (const int64_t i : order) values.Append(source, i, 1);
  values.Finish();
  std::copy(shape.begin(), shape.end(), out[2].Allocate<int64_t>(Dims(&rank, 1)));
}

}  // namespace fastpipe
