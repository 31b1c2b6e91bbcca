// sqrt, rsqrt, exp, expm1, log, log1p, the trigonometric and hyperbolic functions and their
// inverses, erf, erfc, lgamma, sigmoid, softplus: one float tensor, same dtype out. is_nan, is_inf,
// is_finite: one float tensor to bool.

#include <cmath>

#include "core/registry.h"
#include "kernels/elementwise.h"

namespace fastpipe {
namespace {

// std::lgamma writes a global sign.
inline float LogGamma(float x) {
  int sign = 0;
  return lgammaf_r(x, &sign);
}
inline double LogGamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

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
FASTPIPE_FLOAT_OP(Tan, std::tan(x));
FASTPIPE_FLOAT_OP(Asin, std::asin(x));
FASTPIPE_FLOAT_OP(Acos, std::acos(x));
FASTPIPE_FLOAT_OP(Atan, std::atan(x));
FASTPIPE_FLOAT_OP(Sinh, std::sinh(x));
FASTPIPE_FLOAT_OP(Cosh, std::cosh(x));
FASTPIPE_FLOAT_OP(Tanh, std::tanh(x));
FASTPIPE_FLOAT_OP(Asinh, std::asinh(x));
FASTPIPE_FLOAT_OP(Acosh, std::acosh(x));
FASTPIPE_FLOAT_OP(Atanh, std::atanh(x));
FASTPIPE_FLOAT_OP(Expm1, std::expm1(x));
FASTPIPE_FLOAT_OP(Erf, std::erf(x));
FASTPIPE_FLOAT_OP(Erfc, std::erfc(x));
FASTPIPE_FLOAT_OP(Lgamma, LogGamma(x));
// In this form neither end overflows.
FASTPIPE_FLOAT_OP(Softplus, (x > 0 ? x : T{0}) + std::log1p(std::exp(-std::fabs(x))));
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
FASTPIPE_KERNEL("tan", PlanFloat<Tan>);
FASTPIPE_KERNEL("asin", PlanFloat<Asin>);
FASTPIPE_KERNEL("acos", PlanFloat<Acos>);
FASTPIPE_KERNEL("atan", PlanFloat<Atan>);
FASTPIPE_KERNEL("sinh", PlanFloat<Sinh>);
FASTPIPE_KERNEL("cosh", PlanFloat<Cosh>);
FASTPIPE_KERNEL("tanh", PlanFloat<Tanh>);
FASTPIPE_KERNEL("asinh", PlanFloat<Asinh>);
FASTPIPE_KERNEL("acosh", PlanFloat<Acosh>);
FASTPIPE_KERNEL("atanh", PlanFloat<Atanh>);
FASTPIPE_KERNEL("expm1", PlanFloat<Expm1>);
FASTPIPE_KERNEL("erf", PlanFloat<Erf>);
FASTPIPE_KERNEL("erfc", PlanFloat<Erfc>);
FASTPIPE_KERNEL("lgamma", PlanFloat<Lgamma>);
FASTPIPE_KERNEL("softplus", PlanFloat<Softplus>);
FASTPIPE_KERNEL("sigmoid", PlanFloat<Sigmoid>);
FASTPIPE_KERNEL("is_nan", PlanPredicate<IsNan>);
FASTPIPE_KERNEL("is_inf", PlanPredicate<IsInf>);
FASTPIPE_KERNEL("is_finite", PlanPredicate<IsFinite>);

}  // namespace
}  // namespace fastpipe
