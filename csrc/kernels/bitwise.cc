// bitwise_and, bitwise_or, bitwise_xor, left_shift, right_shift: two integer tensors of one dtype,
// broadcast. bitwise_not: one.
//
// Shifts take amounts outside 0 .. bits - 1 as the nearest of these. Shifting to the right keeps
// the sign.

#include <algorithm>

#include "core/registry.h"
#include "kernels/elementwise.h"

namespace fastpipe {
namespace {

struct And {
  template <typename T>
  static T Apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};

struct Or {
  template <typename T>
  static T Apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};

struct Xor {
  template <typename T>
  static T Apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

struct Not {
  template <typename T>
  static T Apply(T a) {
    return static_cast<T>(~a);
  }
};

template <typename T>
int ShiftAmount(T amount) {
  return static_cast<int>(std::clamp<T>(amount, 0, static_cast<T>(sizeof(T) * 8 - 1)));
}

struct LeftShift {
  template <typename T>
  static T Apply(T a, T amount) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) << ShiftAmount(amount));
  }
};

struct RightShift {
  template <typename T>
  static T Apply(T a, T amount) {
    return static_cast<T>(a >> ShiftAmount(amount));
  }
};

template <typename Op>
Result<KernelPlan> PlanBitwise(const Args& attrs, Specs inputs) {
  static constexpr auto kTable = BinaryTable<Op, IntegerTypes>();
  return PlanBinary(attrs, inputs, kTable);
}

Result<KernelPlan> PlanNot(const Args& attrs, Specs inputs) {
  static constexpr auto kTable = UnaryTable<Not, IntegerTypes>();
  return PlanUnary(attrs, inputs, kTable);
}

FASTPIPE_KERNEL("bitwise_and", PlanBitwise<And>);
FASTPIPE_KERNEL("bitwise_or", PlanBitwise<Or>);
FASTPIPE_KERNEL("bitwise_xor", PlanBitwise<Xor>);
FASTPIPE_KERNEL("left_shift", PlanBitwise<LeftShift>);
FASTPIPE_KERNEL("right_shift", PlanBitwise<RightShift>);
FASTPIPE_KERNEL("bitwise_not", PlanNot);

}  // namespace
}  // namespace fastpipe
