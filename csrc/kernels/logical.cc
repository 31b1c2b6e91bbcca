// logical_and, logical_or, logical_xor: two bool tensors, broadcast. logical_not: one.

#include "core/registry.h"
#include "kernels/elementwise.h"

namespace fastpipe {
namespace {

struct And {
  static bool Apply(bool a, bool b) { return a && b; }
};
struct Or {
  static bool Apply(bool a, bool b) { return a || b; }
};
struct Xor {
  static bool Apply(bool a, bool b) { return a != b; }
};
struct Not {
  static bool Apply(bool a) { return !a; }
};

template <typename Op>
Result<KernelPlan> PlanLogical(const Args& attrs, Specs inputs) {
  static constexpr auto kTable = BinaryTable<Op, Types<bool>>();
  return PlanBinary(attrs, inputs, kTable);
}

Result<KernelPlan> PlanNot(const Args& attrs, Specs inputs) {
  static constexpr auto kTable = UnaryTable<Not, Types<bool>>();
  return PlanUnary(attrs, inputs, kTable);
}

FASTPIPE_KERNEL("logical_and", PlanLogical<And>);
FASTPIPE_KERNEL("logical_or", PlanLogical<Or>);
FASTPIPE_KERNEL("logical_xor", PlanLogical<Xor>);
FASTPIPE_KERNEL("logical_not", PlanNot);

}  // namespace
}  // namespace fastpipe
