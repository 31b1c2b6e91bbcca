// element_seed(): the seed, two int64, for the random numbers of the element that the program runs
// on. Attributes: seed; or number, which tells the instructions of a function apart when there is
// none.
//
// With a seed, elements have the same seeds in every run of the pipeline; without one they are a
// function of what the run drew. The element's own part is where it stands: which epoch, input or
// inner dataset, and which element of that. It does not matter which thread computes it, or when.

#include "core/random.h"
#include "core/registry.h"

namespace fastpipe {
namespace {

Result<KernelPlan> PlanElementSeed(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 0));
  FASTPIPE_ASSIGN(const int64_t seed, attrs.IntOr("seed", 0));
  FASTPIPE_ASSIGN(const int64_t number, attrs.IntOr("number", 0));
  const bool seeded = attrs.Has("seed");
  return KernelPlan{{TensorSpec::Of(DType::kInt64, {2})},
                    KernelFrom([=](KernelContext* context, Inputs, Outputs out) {
                      const RandomKey& key = context->random;
                      const uint64_t own =
                          seeded ? static_cast<uint64_t>(seed)
                                 : CounterRandom(key.run, 0).At(static_cast<uint64_t>(number));
                      const CounterRandom random(own, key.pass);
                      const uint64_t element = static_cast<uint64_t>(context->element);
                      const int64_t size = 2;
                      int64_t* halves = out[0].Allocate<int64_t>(Dims(&size, 1));
                      halves[0] = static_cast<int64_t>(random.At(2 * element));
                      halves[1] = static_cast<int64_t>(random.At(2 * element + 1));
                      return Status::Ok();
                    })};
}

FASTPIPE_KERNEL("element_seed", PlanElementSeed);

}  // namespace
}  // namespace fastpipe
