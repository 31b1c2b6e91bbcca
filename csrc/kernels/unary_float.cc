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

// The derivative of the logarithm of the gamma function: upwards by its recurrence to where the
// asymptotic series is exact, from below zero by reflection.
inline double Digamma(double x) {
  constexpr double kPi = 3.14159265358979323846;
  if (x <= 0 && x == std::floor(x)) return x == 0 ? std::copysign(INFINITY, -x) : NAN;
  if (x < 0) return Digamma(1 - x) - kPi / std::tan(kPi * x);
  double sum = 0;
  for (; x < 10; x += 1) sum -= 1 / x;
  const double y = 1 / (x * x);
  double tail = 0;
  for (const double each :
       {1.0 / 12, -691.0 / 32760, 1.0 / 132, -1.0 / 240, 1.0 / 252, -1.0 / 120, 1.0 / 12}) {
    tail = tail * y + each;
  }
  return sum + std::log(x) - 0.5 / x - tail * y;
}

// Giles's approximation, which has six digits or so, and Newton's method.
inline double ErfInverse(double x) {
  if (!(x > -1 && x < 1)) return x == 1 ? INFINITY : x == -1 ? -INFINITY : NAN;
  double w = -std::log((1 - x) * (1 + x));
  double p = 0;
  if (w < 5) {
    w -= 2.5;
    for (const double each :
         {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
          -0.00125372503, -0.00417768164, 0.246640727, 1.50140941}) {
      p = p * w + each;
    }
  } else {
    w = std::sqrt(w) - 3;
    for (const double each :
         {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
          -0.0076224613, 0.00943887047, 1.00167406, 2.83297682}) {
      p = p * w + each;
    }
  }
  double y = p * x;
  constexpr double kHalfRootPi = 0.88622692545275801365;
  for (int i = 0; i < 5; ++i) {
    // Near the ends erf has no digits left, erfc does.
    const double off = x < 0 ? (1 + x) - std::erfc(-y) : std::erfc(y) - (1 - x);
    y += kHalfRootPi * std::exp(y * y) * off;
  }
  return y;
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
FASTPIPE_FLOAT_OP(DigammaOf, static_cast<T>(Digamma(x)));
FASTPIPE_FLOAT_OP(Erfinv, static_cast<T>(ErfInverse(x)));
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
FASTPIPE_KERNEL("digamma", PlanFloat<DigammaOf>);
FASTPIPE_KERNEL("erfinv", PlanFloat<Erfinv>);
FASTPIPE_KERNEL("softplus", PlanFloat<Softplus>);
FASTPIPE_KERNEL("sigmoid", PlanFloat<Sigmoid>);
FASTPIPE_KERNEL("is_nan", PlanPredicate<IsNan>);
FASTPIPE_KERNEL("is_inf", PlanPredicate<IsInf>);
FASTPIPE_KERNEL("is_finite", PlanPredicate<IsFinite>);

}  // namespace
}  // namespace fastpipe
