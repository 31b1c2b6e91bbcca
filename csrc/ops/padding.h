// Padding: stacking rows of different shapes by filling up the smaller ones.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/args.h"
#include "core/element.h"
#include "core/stack.h"

namespace fastpipe {

struct Padding {
  // What every row is padded to, -1: to the longest of the batch. Absent: all dimensions of the
  // rank that the rows turn out to have.
  std::optional<std::vector<int64_t>> shape;
  Tensor value;  // a scalar of the dtype of the rows; without a value: zero or the empty string
};

// InvalidArgument unless rows of `input`, whose rank is known, can be padded to `shape`.
Status ExpectPaddable(const Args& args, size_t component, const TensorSpec& input,
                      const std::vector<int64_t>& shape);

// Stacks one component. DataLoss if a row is larger than the shape, InvalidArgument if the ranks
// differ. REQUIRES: `rows` is not empty.
Status StackPadded(std::span<const Element> rows, size_t component, const Padding& padding,
                   Tensor* out);

}  // namespace fastpipe
