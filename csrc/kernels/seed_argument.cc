#include "kernels/seed_argument.h"

#include "kernels/integers_argument.h"

namespace fastpipe {

Result<Philox> PhiloxOf(const Args& attrs, const Tensor& seed) {
  if (seed.rank() != 1 || seed.dim(0) != 2) {
    return attrs.Error(StrCat("seed must be 2 integers, got shape ", ShapeString(seed.dims())));
  }
  const std::vector<int64_t> halves = IntegersOf(seed);
  return Philox::OfSeed(static_cast<uint64_t>(halves[0]), static_cast<uint64_t>(halves[1]));
}

Status ExpectSeed(const Args& attrs, Specs inputs, size_t index) {
  if (index >= inputs.size()) return attrs.Error("takes a seed, got none");
  const TensorSpec& seed = inputs[index];
  const bool integers = seed.dtype == DType::kInt32 || seed.dtype == DType::kInt64;
  const bool two =
      !seed.known_rank || (seed.rank() == 1 && (seed.dims[0] == 2 || seed.dims[0] < 0));
  if (integers && two) return Status::Ok();
  return attrs.Error(StrCat("seed must be int32 [2] or int64 [2], got ", seed.ToString()));
}

}  // namespace fastpipe
