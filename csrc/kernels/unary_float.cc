// sqrt, rsqrt, exp, log, log1p, sin, cos, tanh, sigmoid: one float tensor, same dtype out.
// is_nan, is_inf, is_finite: one float tensor to bool.

#include <cmath>

#include "core/registry.h"
#include "kernels/elementwise.h"

namespace fastpipe {
namespace {

// An operation from a function of float and double.
#define FASTPIPE_FLOAT_OP(Name, expression) \
  struct Name {                             \
    template <typename T>                   \
    static auto Apply(T x) {                \
      return expression;                    \
    }                                       \
  }

FASTPIPE_FLOAT_OP(Sqrt, std::sqrt(x));
FASTPIPE_FLOAT_OP(Rsqrt, T{1} / std::sqrt(x));
FASTPIPE_FLOAT_OP(Exp, std::exp(x));
FASTPIPE_FLOAT_OP(Log, std::log(x));
FASTPIPE_FLOAT_OP(Log1p, std::log1p(x));
FASTPIPE_FLOAT_OP(Sin, std::sin(x));
FASTPIPE_FLOAT_OP(Cos, std::cos(x));
FASTPIPE_FLOAT_OP(Tanh, std::tanh(x));
FASTPIPE_FLOAT_OP(Sigmoid, T{1} / (T{1} + std::exp(-x)));
FASTPIPE_FLOAT_OP(IsNan, std::isnan(x));
FASTPIPE_FLOAT_OP(IsInf, std::isinf(x));
FASTPIPE_FLOAT_OP(IsFinite, std::isfinite(x));
#undef FASTPIPE_FLOAT_OP

template <typename Op>
Result<KernelPlan> PlanFloat(const Args& attrs, Specs inputs) {
  static constexpr auto kTable = UnaryTable<Op, FloatTypes>();
  return PlanUnary(attrs, inputs, kTable);
}

template <typename Op>
Result<KernelPlan> PlanPredicate(const Args& attrs, Specs inputs) {
  static constexpr auto kTable =
      TableOf<FloatTypes>([]<typename T>() { return UnaryLoopOf<Op, T, bool>(); });
  return PlanUnary(attrs, inputs, kTable);
}

FASTPIPE_KERNEL("sqrt", PlanFloat<Sqrt>);
FASTPIPE_KERNEL("rsqrt", PlanFloat<Rsqrt>);
FASTPIPE_KERNEL("exp", PlanFloat<Exp>);
FASTPIPE_KERNEL("log", PlanFloat<Log>);
FASTPIPE_KERNEL("log1p", PlanFloat<Log1p>);
FASTPIPE_KERNEL("sin", PlanFloat<Sin>);
FASTPIPE_KERNEL("cos", PlanFloat<Cos>);
FASTPIPE_KERNEL("tanh", PlanFloat<Tanh>);
FASTPIPE_KERNEL("sigmoid", PlanFloat<Sigmoid>);
FASTPIPE_KERNEL("is_nan", PlanPredicate<IsNan>);
FASTPIPE_KERNEL("is_inf", PlanPredicate<IsInf>);
FASTPIPE_KERNEL("is_finite", PlanPredicate<IsFinite>);

}  // namespace
}  // namespace fastpipe
