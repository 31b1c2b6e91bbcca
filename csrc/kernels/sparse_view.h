// SparseView: the three tensors of a sparse tensor, checked, and read as one.
//
// Contract: indices are int64 [n, rank], values [n], the dense shape int64 [rank]. Value i stands
// at index i, and nothing else has a value. Thread rule: a view of tensors that outlive it.
#pragma once

#include <string>
#include <vector>

#include "core/kernel.h"

namespace fastpipe {

// InvalidArgument unless inputs `first` to `first + 2` can be a sparse tensor.
Status ExpectSparse(const Args& attrs, Specs inputs, size_t first);
// Its specs with `rank` dimensions, -1 if unknown, and `count` values.
std::vector<TensorSpec> SparseSpecs(DType dtype, int64_t rank, int64_t count = -1);
// The rank of the sparse tensor whose specs begin at input `first`, or -1.
int64_t SparseRank(Specs inputs, size_t first);

class SparseView {
 public:
  // Checks shapes, and that every index lies in the dense shape.
  static Result<SparseView> Make(const Args& attrs, Inputs inputs, size_t first);

  int64_t count() const { return count_; }
  size_t rank() const { return shape_.size(); }
  const std::vector<int64_t>& shape() const { return shape_; }
  const Tensor& values() const { return *values_; }
  Dims index(int64_t i) const { return {indices_ + i * static_cast<int64_t>(rank()), rank()}; }
  // The position of index `i` in the dense tensor, in row-major order.
  int64_t Position(int64_t i) const;
  // InvalidArgument unless the indices ascend in row-major order, none of them twice.
  Status ExpectSorted(const Args& attrs) const;

 private:
  const int64_t* indices_ = nullptr;
  int64_t count_ = 0;
  std::vector<int64_t> shape_;
  const Tensor* values_ = nullptr;
};

// Hands indices, values (those of `source` with the numbers `order`) and dense shape to `out[0]`
// and the two after it. `indices` has `order.size()` rows.
void FinishSparse(const std::vector<int64_t>& indices, const Tensor& source,
                  const std::vector<int64_t>& order, const std::vector<int64_t>& shape,
                  Output* out);

}  // namespace fastpipe
