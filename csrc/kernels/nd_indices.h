// NdIndices: a tensor of indices whose last axis holds positions along the first axes of another.
//
// Contract: `indices` [..., depth] name slices x[i0, ..., i(depth-1)] of a tensor x. Thread rule:
// free functions without state.
#pragma once

#include <vector>

#include "kernels/integers_argument.h"

namespace fastpipe {

// InvalidArgument unless `indices` are integers of one axis or more, whose last has a known size.
Status ExpectNdIndices(const Args& attrs, const TensorSpec& indices);

// Where each named slice starts in `dims`, counted in slices. `batch_dims` first axes of both are
// walked together. InvalidArgument if one lies outside.
Result<std::vector<int64_t>> SlicesAt(const Args& attrs, const Tensor& indices, Dims dims,
                                      size_t batch_dims = 0);

}  // namespace fastpipe
