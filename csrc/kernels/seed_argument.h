// The seed of a random kernel: an input of two integers, int32 or int64.
#pragma once

#include "core/kernel.h"
#include "core/philox.h"

namespace fastpipe {

// InvalidArgument unless input `index` is a seed.
Status ExpectSeed(const Args& attrs, Specs inputs, size_t index);
// The stream of a seed, or InvalidArgument for another shape.
Result<Philox> PhiloxOf(const Args& attrs, const Tensor& seed);

}  // namespace fastpipe
