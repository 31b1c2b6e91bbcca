// Assembler: fills a result of any dtype front to back with pieces of tensors.
//
// Contract: made for kernels that move values and compute none: concat, gather, slice, pad. Pieces
// are runs of values of sources that have the result's dtype; together they give exactly the values
// of its shape. Numbers go straight into the result's memory, strings through a builder. Thread
// rule: one thread.
#pragma once

#include <optional>
#include <vector>

#include "core/kernel.h"
#include "kernels/strided_loop.h"

namespace fastpipe {

class Assembler {
 public:
  // `output` and `dims` outlive this.
  Assembler(DType dtype, Dims dims, Output* output);

  // `count` values of `source` from index `start` on, `step` apart; step 0 repeats one value.
  void Append(const Tensor& source, int64_t start, int64_t count, int64_t step = 1);
  // All values of `source`.
  void Append(const Tensor& source) { Append(source, 0, source.num_elements()); }
  // The value of `scalar`, `count` times.
  void Repeat(const Tensor& scalar, int64_t count) { Append(scalar, 0, count, 0); }
  // The positions of `loop`, of which `source` is the first operand, starting at `start`.
  void Append(const Tensor& source, int64_t start, const StridedLoop& loop);
  // Hands the result over: nothing may follow.
  void Finish();

 private:
  const Dims dims_;
  Output* const output_;
  const size_t size_;        // bytes of one value; 0 for strings
  uint8_t* next_ = nullptr;  // where the next number goes
  std::optional<StringArrayBuilder> strings_;
};

// InvalidArgument unless a tensor of shape `dims` can exist: no negative size, not absurdly many.
Status ExpectPossibleDims(std::string_view owner, Dims dims);

// The scalar 0, false or "" of a dtype.
Tensor ZeroOf(DType dtype);

}  // namespace fastpipe
