#include "kernels/reduction.h"

namespace fastpipe {

Result<ReducedAxes> ReducedAxes::Read(const Args& attrs) {
  ReducedAxes read;
  read.attrs_ = attrs;
  FASTPIPE_ASSIGN(read.keepdims_, attrs.BoolOr("keepdims", false));
  read.all_ = !attrs.Has("axis");
  if (!read.all_) {
    FASTPIPE_ASSIGN(read.axes_, attrs.Ints("axis"));
  }
  return read;
}

Result<std::vector<bool>> ReducedAxes::Reduced(int rank) const {
  std::vector<bool> reduced(static_cast<size_t>(rank), all_);
  for (int64_t axis : axes_) {
    FASTPIPE_ASSIGN(const int at, NormalizeAxis(attrs_.owner(), axis, rank));
    if (reduced[static_cast<size_t>(at)]) {
      return attrs_.Error(StrCat("axis must hold each axis once, got ", at, " twice"));
    }
    reduced[static_cast<size_t>(at)] = true;
  }
  return reduced;
}

Result<std::vector<int64_t>> ReducedAxes::ResultDims(Dims dims) const {
  FASTPIPE_ASSIGN(const std::vector<bool> reduced, Reduced(static_cast<int>(dims.size())));
  std::vector<int64_t> result;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!reduced[i]) result.push_back(dims[i]);
    if (reduced[i] && keepdims_) result.push_back(1);
  }
  return result;
}

Result<TensorSpec> ReducedAxes::ResultSpec(const TensorSpec& input, DType dtype) const {
  if (!input.known_rank) {
    return all_ && !keepdims_ ? TensorSpec::Scalar(dtype) : TensorSpec::UnknownRank(dtype);
  }
  FASTPIPE_ASSIGN(std::vector<int64_t> dims, ResultDims(input.dims));
  return TensorSpec::Of(dtype, std::move(dims));
}

StridedLoop ReducedAxes::Loop(Dims dims) const {
  const std::vector<bool> reduced = std::move(Reduced(static_cast<int>(dims.size())).value());
  const std::vector<int64_t> strides = RowMajorStrides(dims);
  std::vector<int64_t> result_strides(dims.size(), 0);
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    if (reduced[i]) continue;
    result_strides[i] = stride;
    stride *= dims[i];
  }
  StridedLoop loop(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    loop.AddAxis({dims[i], {strides[i], result_strides[i]}});
  }
  return loop;
}

}  // namespace fastpipe
