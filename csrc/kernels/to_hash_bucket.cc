// string_to_hash_bucket_fast(text): the FarmHash fingerprint of each string modulo num_buckets.

#include "core/registry.h"
#include "kernels/fingerprint.h"
#include "kernels/string_map.h"

namespace fastpipe {
namespace {

Result<KernelPlan> PlanToHashBucketFast(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(const int64_t num_buckets, attrs.Int("num_buckets", {.min = 1}));
  return PlanStringMap(attrs, inputs, DType::kInt64,
                       [num_buckets](const Tensor& input, Output* output) {
                         int64_t* buckets = output->Allocate<int64_t>(input.dims());
                         const int64_t count = input.num_elements();
                         for (int64_t i = 0; i < count; ++i) {
                           buckets[i] = static_cast<int64_t>(Fingerprint64(input.str(i)) %
                                                             static_cast<uint64_t>(num_buckets));
                         }
                         return Status::Ok();
                       });
}

FASTPIPE_KERNEL("string_to_hash_bucket_fast", PlanToHashBucketFast);

}  // namespace
}  // namespace fastpipe
