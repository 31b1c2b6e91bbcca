// negative, abs, sign, square, relu, round, floor, ceil, reciprocal: one number tensor, same dtype
// out.
//
// Integers wrap around: abs and negative of the least integer are itself. round goes to the nearest
// even integer. floor, ceil and reciprocal are for floats; negative, abs and sign for signed
// dtypes.

#include <cmath>
#include <functional>
#include <limits>

#include "core/registry.h"
#include "kernels/elementwise.h"

namespace fastpipe {
namespace {

struct Negative {
  template <typename T>
  static T Apply(T a) {
    if constexpr (std::is_floating_point_v<T>) {
      return -a;
    } else {
      return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(a));
    }
  }
};

struct Abs {
  template <typename T>
  static T Apply(T a) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fabs(a);
    } else {
      return a < 0 ? Negative::Apply(a) : a;
    }
  }
};

struct Sign {
  template <typename T>
  static T Apply(T a) {
    if (a != a) return a;
    return static_cast<T>((a > 0) - (a < 0));
  }
};

struct Square {
  template <typename T>
  static T Apply(T a) {
    return Wrapped(a, a, std::multiplies<>());
  }
};

struct Relu {
  template <typename T>
  static T Apply(T a) {
    return a < 0 ? 0 : a;  // NaN stays
  }
};

// The nearest integer, the even one of two. From 2^(digits - 1) on every float is an integer;
// below, adding that number drops the fraction, rounded as the FPU does. Unlike std::nearbyint this
// can be vectorised on any processor.
template <typename T>
T RoundToEven(T a) {
  constexpr T kAllIntegers = T{1} / std::numeric_limits<T>::epsilon();
  const T magnitude = std::fabs(a);
  const T rounded = (magnitude + kAllIntegers) - kAllIntegers;
  return magnitude < kAllIntegers ? std::copysign(rounded, a) : a;  // NaN stays
}

struct Round {
  template <typename T>
  static T Apply(T a) {
    if constexpr (std::is_floating_point_v<T>) {
      return RoundToEven(a);
    } else {
      return a;
    }
  }
};

struct Floor {
  template <typename T>
  static T Apply(T a) {
    const T nearest = RoundToEven(a);
    return nearest > a ? nearest - 1 : nearest;
  }
};

struct Ceil {
  template <typename T>
  static T Apply(T a) {
    const T nearest = RoundToEven(a);
    return std::copysign(nearest < a ? nearest + 1 : nearest, a);  // -0.5 goes to -0
  }
};

struct Reciprocal {
  template <typename T>
  static T Apply(T a) {
    return T{1} / a;
  }
};

template <typename Op, typename List>
Result<KernelPlan> Plan(const Args& attrs, Specs inputs) {
  static constexpr auto kTable = UnaryTable<Op, List>();
  return PlanUnary(attrs, inputs, kTable);
}

FASTPIPE_KERNEL("negative", (Plan<Negative, SignedNumberTypes>));
FASTPIPE_KERNEL("abs", (Plan<Abs, SignedNumberTypes>));
FASTPIPE_KERNEL("sign", (Plan<Sign, SignedNumberTypes>));
FASTPIPE_KERNEL("square", (Plan<Square, NumberTypes>));
FASTPIPE_KERNEL("relu", (Plan<Relu, NumberTypes>));
FASTPIPE_KERNEL("round", (Plan<Round, NumberTypes>));
FASTPIPE_KERNEL("floor", (Plan<Floor, FloatTypes>));
FASTPIPE_KERNEL("ceil", (Plan<Ceil, FloatTypes>));
FASTPIPE_KERNEL("reciprocal", (Plan<Reciprocal, FloatTypes>));

}  // namespace
}  // namespace fastpipe
