// cast(x): every value in dtype `dtype`, any fixed-size dtype to any other.
//
// Floats lose their fraction on the way to integers. What does not fit an integer wraps around; a
// float outside int32 (outside int64 for the wider dtypes) or NaN counts as the least integer,
// which is what x86 processors, NumPy and TensorFlow make of it. To bool: whether it is not zero.

#include <limits>

#include "core/registry.h"
#include "kernels/dispatch.h"

namespace fastpipe {
namespace {

// `value` without its fraction, as Int; the least Int if it does not fit.
template <typename Int, typename Float>
Int Truncate(Float value) {
  constexpr Int kLeast = std::numeric_limits<Int>::min();
  constexpr Float kBound = -static_cast<Float>(kLeast);  // exact: a power of two
  return value >= -kBound && value < kBound ? static_cast<Int>(value) : kLeast;
}

template <typename To, typename Float>
To FloatToInteger(Float value) {
  if constexpr (std::is_same_v<To, uint64_t>) {
    constexpr Float kHalf = static_cast<Float>(uint64_t{1} << 63);
    if (value >= kHalf && value < 2 * kHalf) return static_cast<uint64_t>(value);
  }
  constexpr bool kWide = sizeof(To) > 4 || std::is_same_v<To, uint32_t>;
  return static_cast<To>(Truncate<std::conditional_t<kWide, int64_t, int32_t>>(value));
}

template <typename From, typename To>
To Convert(From value) {
  const Wide<From> wide = ToWide(value);
  if constexpr (std::is_same_v<To, bool>) {
    return wide != 0;
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<Wide<From>>) {
    return FloatToInteger<To>(wide);
  } else {
    return FromWide<To>(static_cast<Wide<To>>(wide));
  }
}

using CastLoop = void (*)(const void* from, void* to, int64_t count);

template <typename From, typename To>
void RunCast(const void* from, void* to, int64_t count) {
  const From* source = static_cast<const From*>(from);
  To* target = static_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i) target[i] = Convert<From, To>(source[i]);
}

constexpr auto kCasts = TableOf<FixedSizeTypes>([]<typename From>() {
  return TableOf<FixedSizeTypes>([]<typename To>() -> CastLoop { return RunCast<From, To>; });
});

Result<KernelPlan> PlanCast(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const DType dtype, attrs.Dtype("dtype"));
  TensorSpec spec = inputs[0];
  spec.dtype = dtype;
  if (dtype == inputs[0].dtype) {
    return KernelPlan{{std::move(spec)}, KernelFrom([](KernelContext*, Inputs in, Outputs out) {
                        out[0].Set(*in[0]);
                        return Status::Ok();
                      })};
  }
  const CastLoop loop = Find(Find(kCasts, inputs[0].dtype), dtype);
  if (loop == nullptr) {
    return Unimplemented(StrCat("cast: there is no cast from ", inputs[0].ToString(), " to ",
                                DTypeName(dtype),
                                ": strings become numbers by strings.to_number or io.decode_raw, "
                                "numbers become strings by strings.as_string"));
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([loop, dtype](KernelContext*, Inputs in, Outputs out) {
                      uint8_t* to = out[0].Allocate(dtype, in[0]->dims());
                      loop(in[0]->raw(), to, in[0]->num_elements());
                      return Status::Ok();
                    })};
}

FASTPIPE_KERNEL("cast", PlanCast);

}  // namespace
}  // namespace fastpipe
