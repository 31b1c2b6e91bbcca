// divide, floor_divide, floor_mod, truncate_divide, truncate_mod, divide_no_nan, multiply_no_nan,
// xlogy, xdivy: two tensors of one dtype, broadcast.
//
// divide is true division: integers of 8 and 16 bits give float32, wider ones float64. The next two
// round down as Python does: the remainder has the sign of the divisor; the two after them round
// towards zero as C does. Dividing an integer by zero is an error there. The no_nan functions are 0
// where the second operand is 0, xlogy and xdivy where the first is.

#include <cmath>
#include <limits>

#include "core/registry.h"
#include "kernels/elementwise.h"

namespace fastpipe {
namespace {

template <typename T>
using Quotient = std::conditional_t<std::is_integral_v<T>,
                                    std::conditional_t<(sizeof(T) < 4), float, double>, T>;

template <typename T>
struct Divide {
  static Wide<Quotient<T>> Apply(Wide<T> a, Wide<T> b) {
    return static_cast<Wide<Quotient<T>>>(a) / static_cast<Wide<Quotient<T>>>(b);
  }
};

// The least integer has no positive twin, and the processor traps: -a wraps to a itself.
template <typename T>
constexpr bool IsMinusOne(T b) {
  return std::is_signed_v<T> && b == static_cast<T>(-1);
}

struct FloorDivide {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::floor(a / b);
    } else {
      if (IsMinusOne(b)) return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(a));
      const T quotient = static_cast<T>(a / b);
      return static_cast<T>(quotient - (a % b != 0 && (a < 0) != (b < 0)));
    }
  }
};

struct FloorMod {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      const T remainder = std::fmod(a, b);
      return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
    } else {
      if (IsMinusOne(b)) return 0;
      const T remainder = static_cast<T>(a % b);
      return remainder != 0 && (remainder < 0) != (b < 0) ? static_cast<T>(remainder + b)
                                                          : remainder;
    }
  }
};

struct TruncateDivide {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::trunc(a / b);
    } else {
      if (IsMinusOne(b)) return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(a));
      return static_cast<T>(a / b);
    }
  }
};

struct TruncateMod {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fmod(a, b);
    } else {
      return IsMinusOne(b) ? T{0} : static_cast<T>(a % b);
    }
  }
};

struct DivideNoNan {
  template <typename T>
  static T Apply(T a, T b) {
    return b == 0 ? T{0} : a / b;
  }
};

struct MultiplyNoNan {
  template <typename T>
  static T Apply(T a, T b) {
    return b == 0 ? T{0} : a * b;
  }
};

struct XLogY {
  template <typename T>
  static T Apply(T a, T b) {
    return a == 0 ? T{0} : a * std::log(b);
  }
};

struct XDivY {
  template <typename T>
  static T Apply(T a, T b) {
    return a == 0 ? T{0} : a / b;
  }
};

template <typename T>
Status ExpectNoZero(const Args& attrs, const Tensor& divisors) {
  const T* values = divisors.data<T>();
  const int64_t count = divisors.num_elements();
  for (int64_t i = 0; i < count; ++i) {
    if (values[i] == 0) return attrs.Error("integer division by zero");
  }
  return Status::Ok();
}

template <typename Op, typename T>
constexpr BinaryEntry FloorLoopOf() {
  if constexpr (std::is_integral_v<T>) {
    return BinaryLoopOf<Op, T, T>(ExpectNoZero<T>);
  } else {
    return BinaryLoopOf<Op, T, T>();
  }
}

template <typename Op>
Result<KernelPlan> PlanFloor(const Args& attrs, Specs inputs) {
  static constexpr auto kTable =
      TableOf<NumberTypes>([]<typename T>() { return FloorLoopOf<Op, T>(); });
  return PlanBinary(attrs, inputs, kTable);
}

template <typename Op>
Result<KernelPlan> PlanFloat(const Args& attrs, Specs inputs) {
  static constexpr auto kTable = BinaryTable<Op, FloatTypes>();
  return PlanBinary(attrs, inputs, kTable);
}

Result<KernelPlan> PlanDivide(const Args& attrs, Specs inputs) {
  static constexpr auto kTable =
      TableOf<NumberTypes>([]<typename T>() { return BinaryLoopOf<Divide<T>, T, Quotient<T>>(); });
  return PlanBinary(attrs, inputs, kTable);
}

FASTPIPE_KERNEL("divide", PlanDivide);
FASTPIPE_KERNEL("floor_divide", PlanFloor<FloorDivide>);
FASTPIPE_KERNEL("floor_mod", PlanFloor<FloorMod>);
FASTPIPE_KERNEL("truncate_divide", PlanFloor<TruncateDivide>);
FASTPIPE_KERNEL("truncate_mod", PlanFloor<TruncateMod>);
FASTPIPE_KERNEL("divide_no_nan", PlanFloat<DivideNoNan>);
FASTPIPE_KERNEL("multiply_no_nan", PlanFloat<MultiplyNoNan>);
FASTPIPE_KERNEL("xlogy", PlanFloat<XLogY>);
FASTPIPE_KERNEL("xdivy", PlanFloat<XDivY>);

}  // namespace
}  // namespace fastpipe
