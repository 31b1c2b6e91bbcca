// Convert<To>(value): what a cast makes of one value, for every pair of fixed-size dtypes.
//
// Contract: floats lose their fraction on the way to integers. What does not fit an integer wraps
// around; a float outside int32 (outside int64 for the wider dtypes) or NaN counts as the least
// integer, which is what x86 processors, NumPy and TensorFlow make of it. To bool: whether it is
// not zero. Thread rule: free functions without state.
#pragma once

#include <limits>

#include "kernels/dispatch.h"

namespace fastpipe {

namespace internal {

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

}  // namespace internal

template <typename To, typename From>
To Convert(From value) {
  const Wide<From> wide = ToWide(value);
  if constexpr (std::is_same_v<To, bool>) {
    return wide != 0;
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<Wide<From>>) {
    return internal::FloatToInteger<To>(wide);
  } else {
    return FromWide<To>(static_cast<Wide<To>>(wide));
  }
}

}  // namespace fastpipe
