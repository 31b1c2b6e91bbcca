#include "kernels/strided_loop.h"

namespace fastpipe {

void StridedLoop::AddAxis(const Axis& axis) {
  empty_ = empty_ || axis.size == 0;
  if (axis.size == 1) return;
  if (!axes_.empty()) {
    Axis& outer = axes_.back();
    bool one = true;
    for (size_t i = 0; i < kOperands; ++i) {
      one = one && outer.strides[i] == axis.strides[i] * axis.size;
    }
    if (one) {
      outer.size *= axis.size;
      outer.strides = axis.strides;
      return;
    }
  }
  axes_.push_back(axis);
}

bool StridedLoop::Advance(std::vector<int64_t>* position, Offsets* offsets) const {
  for (size_t axis = position->size(); axis-- > 0;) {
    const Axis& moved = axes_[axis];
    const bool wraps = ++(*position)[axis] == moved.size;
    for (size_t i = 0; i < kOperands; ++i) {
      (*offsets)[i] += moved.strides[i] * (wraps ? 1 - moved.size : 1);
    }
    if (!wraps) return true;
    (*position)[axis] = 0;
  }
  return false;
}

std::vector<int64_t> RowMajorStrides(Dims dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (size_t axis = dims.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= dims[axis];
  }
  return strides;
}

}  // namespace fastpipe
