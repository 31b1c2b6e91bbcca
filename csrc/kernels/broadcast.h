// Broadcasting: shapes and loops of kernels whose inputs stretch to one shape, by NumPy's rules.
//
// Contract: shapes are aligned at their last axes; a missing axis or one of size 1 repeats.
// Planning broadcasts specs, in which sizes and ranks may be unknown; running broadcasts shapes.
// Thread rule: free functions without state.
#pragma once

#include <initializer_list>
#include <vector>

#include "core/kernel.h"
#include "kernels/strided_loop.h"

namespace fastpipe {

// The spec of the result, with dtype `dtype`; InvalidArgument if the shapes cannot agree.
Result<TensorSpec> BroadcastSpecs(const Args& attrs, Specs inputs, DType dtype);

// The shape of the result of `inputs`, or InvalidArgument that names `owner`.
Result<std::vector<int64_t>> BroadcastDims(std::string_view owner, Inputs inputs);

// The loop over `result` of up to three operands. REQUIRES: each broadcasts to `result`.
StridedLoop BroadcastLoop(Dims result, std::initializer_list<Dims> operands);

}  // namespace fastpipe
