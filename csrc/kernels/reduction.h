// Reductions: which axes go, and the loop that folds a tensor into one without them.
//
// Contract: `axis` is a list of axes, all of them if absent; `keepdims` leaves them with size 1.
// The loop walks the input in order, its second operand is where each value is folded into. Thread
// rule: free functions without state.
#pragma once

#include <vector>

#include "kernels/integers_argument.h"
#include "kernels/strided_loop.h"

namespace fastpipe {

class ReducedAxes {
 public:
  static Result<ReducedAxes> Read(const Args& attrs);

  // The shape without the reduced axes; sizes may be unknown.
  Result<std::vector<int64_t>> ResultDims(Dims dims) const;
  // The spec of the result with dtype `dtype`.
  Result<TensorSpec> ResultSpec(const TensorSpec& input, DType dtype) const;
  // REQUIRES: ResultDims(dims) is good.
  StridedLoop Loop(Dims dims) const;

 private:
  Result<std::vector<bool>> Reduced(int rank) const;
  Args attrs_;
  bool all_ = false;
  bool keepdims_ = false;
  std::vector<int64_t> axes_;
};

}  // namespace fastpipe
