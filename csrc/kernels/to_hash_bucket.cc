// string_to_hash_bucket_fast(text), string_to_hash_bucket(text),
// string_to_hash_bucket_strong(text): a hash of each string modulo `num_buckets`: its FarmHash
// fingerprint, MurmurHash64A, or SipHash-2-4 under `key`, a list of two integers.

#include <array>

#include "core/registry.h"
#include "kernels/fingerprint.h"
#include "kernels/keyed_hash.h"
#include "kernels/string_map.h"

namespace fastpipe {
namespace {

// `hash` is a callable uint64_t(std::string_view) const.
template <typename F>
Result<KernelPlan> PlanBuckets(const Args& attrs, Specs inputs, F hash) {
  FASTPIPE_ASSIGN(const int64_t num_buckets, attrs.Int("num_buckets", {.min = 1}));
  const uint64_t modulus = static_cast<uint64_t>(num_buckets);
  return PlanStringMap(attrs, inputs, DType::kInt64,
                       [modulus, hash](const Tensor& input, Output* output) {
                         int64_t* buckets = output->Allocate<int64_t>(input.dims());
                         const int64_t count = input.num_elements();
                         for (int64_t i = 0; i < count; ++i) {
                           buckets[i] = static_cast<int64_t>(hash(input.str(i)) % modulus);
                         }
                         return Status::Ok();
                       });
}

Result<KernelPlan> PlanFast(const Args& attrs, Specs inputs) {
  return PlanBuckets(attrs, inputs, Fingerprint64);
}

Result<KernelPlan> PlanPlain(const Args& attrs, Specs inputs) {
  constexpr uint64_t kSeed = 0xdecafcaffe;  // TensorFlow's
  return PlanBuckets(attrs, inputs,
                     [](std::string_view text) { return MurmurHash64(text, kSeed); });
}

Result<KernelPlan> PlanStrong(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(const std::vector<int64_t> given, attrs.Ints("key"));
  if (given.size() != 2) {
    return attrs.Error(StrCat("key must hold two integers, got ", given.size()));
  }
  const std::array<uint64_t, 2> key{static_cast<uint64_t>(given[0]),
                                    static_cast<uint64_t>(given[1])};
  return PlanBuckets(attrs, inputs, [key](std::string_view text) { return SipHash24(text, key); });
}

FASTPIPE_KERNEL("string_to_hash_bucket_fast", PlanFast);
FASTPIPE_KERNEL("string_to_hash_bucket", PlanPlain);
FASTPIPE_KERNEL("string_to_hash_bucket_strong", PlanStrong);

}  // namespace
}  // namespace fastpipe
