// equal, not_equal, less, less_equal, greater, greater_equal: two tensors of one dtype, broadcast,
// to bool. Strings compare byte by byte, false is less than true.

#include <functional>

#include "core/registry.h"
#include "kernels/broadcast.h"
#include "kernels/elementwise.h"

namespace fastpipe {
namespace {

template <typename Compare>
struct Compared {
  template <typename T>
  static bool Apply(T a, T b) {
    return Compare()(a, b);
  }
};

template <typename Compare>
Status CompareStrings(const Args& attrs, Inputs in, Output* out) {
  FASTPIPE_ASSIGN(const std::vector<int64_t> dims, BroadcastDims(attrs.owner(), in));
  bool* to = out->Allocate<bool>(dims);
  BroadcastLoop(dims, {in[0]->dims(), in[1]->dims()})
      .Run({}, [&](const auto& offsets, const auto& steps, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          *to++ = Compare()(in[0]->str(offsets[0] + i * steps[0]),
                            in[1]->str(offsets[1] + i * steps[1]));
        }
      });
  return Status::Ok();
}

template <typename Compare>
Result<KernelPlan> PlanComparison(const Args& attrs, Specs inputs) {
  static constexpr auto kTable = TableOf<FixedSizeTypes>(
      []<typename T>() { return BinaryLoopOf<Compared<Compare>, T, bool>(); });
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectOneDType(attrs, inputs));
  if (inputs[0].dtype != DType::kString) return PlanBinary(attrs, inputs, kTable);
  FASTPIPE_ASSIGN(TensorSpec spec, BroadcastSpecs(attrs, inputs, DType::kBool));
  return KernelPlan{{std::move(spec)}, KernelFrom([attrs](KernelContext*, Inputs in, Outputs out) {
                      return CompareStrings<Compare>(attrs, in, &out[0]);
                    })};
}

FASTPIPE_KERNEL("equal", PlanComparison<std::equal_to<>>);
FASTPIPE_KERNEL("not_equal", PlanComparison<std::not_equal_to<>>);
FASTPIPE_KERNEL("less", PlanComparison<std::less<>>);
FASTPIPE_KERNEL("less_equal", PlanComparison<std::less_equal<>>);
FASTPIPE_KERNEL("greater", PlanComparison<std::greater<>>);
FASTPIPE_KERNEL("greater_equal", PlanComparison<std::greater_equal<>>);

}  // namespace
}  // namespace fastpipe
