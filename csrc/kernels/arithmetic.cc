// add, subtract, multiply, minimum, maximum, squared_difference, power, atan2,
// nextafter: two tensors of one
// dtype, broadcast.
//
// Integers wrap around. add also joins strings. minimum and maximum of a NaN and anything are NaN.

#include <cmath>

#include "core/registry.h"
#include "kernels/broadcast.h"
#include "kernels/elementwise.h"

namespace fastpipe {
namespace {

struct Add {
  template <typename T>
  static T Apply(T a, T b) {
    return Wrapped(a, b, [](auto x, auto y) { return x + y; });
  }
};

struct Subtract {
  template <typename T>
  static T Apply(T a, T b) {
    return Wrapped(a, b, [](auto x, auto y) { return x - y; });
  }
};

struct Multiply {
  template <typename T>
  static T Apply(T a, T b) {
    return Wrapped(a, b, [](auto x, auto y) { return x * y; });
  }
};

struct SquaredDifference {
  template <typename T>
  static T Apply(T a, T b) {
    return Wrapped(a, b, [](auto x, auto y) { return (x - y) * (x - y); });
  }
};

struct Minimum {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (a != a) return a;
    }
    return a < b ? a : b;  // b if b is NaN
  }
};

struct Maximum {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (a != a) return a;
    }
    return a > b ? a : b;
  }
};

struct Atan2 {
  template <typename T>
  static T Apply(T a, T b) {
    return std::atan2(a, b);
  }
};

struct NextAfter {
  template <typename T>
  static T Apply(T a, T b) {
    return std::nextafter(a, b);
  }
};

struct Power {
  template <typename T>
  static T Apply(T base, T exponent) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::pow(base, exponent);
    } else {
      Wrapping<T> result = 1;
      Wrapping<T> square = static_cast<Wrapping<T>>(base);
      for (auto left = static_cast<Wrapping<T>>(exponent); left != 0; left >>= 1) {
        if (left & 1) result *= square;
        square *= square;
      }
      return static_cast<T>(result);
    }
  }
};

template <typename T>
Status ExpectNonNegative(const Args& attrs, const Tensor& exponents) {
  const T* values = exponents.data<T>();
  const int64_t count = exponents.num_elements();
  for (int64_t i = 0; i < count; ++i) {
    if (values[i] < 0) {
      return attrs.Error(StrCat("the exponent of integers must be >= 0, got ", values[i]));
    }
  }
  return Status::Ok();
}

constexpr auto kPower = TableOf<NumberTypes>([]<typename T>() {
  constexpr bool kMayFail = std::is_integral_v<T> && std::is_signed_v<T>;
  if constexpr (kMayFail) {
    return BinaryLoopOf<Power, T, T>(ExpectNonNegative<T>);
  } else {
    return BinaryLoopOf<Power, T, T>();
  }
});

Status JoinStrings(const Args& attrs, Inputs in, Output* out) {
  FASTPIPE_ASSIGN(const std::vector<int64_t> dims, BroadcastDims(attrs.owner(), in));
  StringArrayBuilder builder(static_cast<size_t>(NumElements(dims)));
  std::string joined;
  BroadcastLoop(dims, {in[0]->dims(), in[1]->dims()})
      .Run({}, [&](const auto& offsets, const auto& steps, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          joined = in[0]->str(offsets[0] + i * steps[0]);
          joined += in[1]->str(offsets[1] + i * steps[1]);
          builder.Append(joined);
        }
      });
  out->Set(builder.Build(dims));
  return Status::Ok();
}

Result<KernelPlan> PlanAdd(const Args& attrs, Specs inputs) {
  static constexpr auto kTable = BinaryTable<Add, NumberTypes>();
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectOneDType(attrs, inputs));
  if (inputs[0].dtype != DType::kString) return PlanBinary(attrs, inputs, kTable);
  FASTPIPE_ASSIGN(TensorSpec spec, BroadcastSpecs(attrs, inputs, DType::kString));
  return KernelPlan{{std::move(spec)}, KernelFrom([attrs](KernelContext*, Inputs in, Outputs out) {
                      return JoinStrings(attrs, in, &out[0]);
                    })};
}

template <typename Op, typename List>
Result<KernelPlan> Plan(const Args& attrs, Specs inputs) {
  static constexpr auto kTable = BinaryTable<Op, List>();
  return PlanBinary(attrs, inputs, kTable);
}

Result<KernelPlan> PlanPower(const Args& attrs, Specs inputs) {
  return PlanBinary(attrs, inputs, kPower);
}

FASTPIPE_KERNEL("add", PlanAdd);
FASTPIPE_KERNEL("subtract", (Plan<Subtract, NumberTypes>));
FASTPIPE_KERNEL("multiply", (Plan<Multiply, NumberTypes>));
FASTPIPE_KERNEL("minimum", (Plan<Minimum, NumberTypes>));
FASTPIPE_KERNEL("maximum", (Plan<Maximum, NumberTypes>));
FASTPIPE_KERNEL("squared_difference", (Plan<SquaredDifference, NumberTypes>));
FASTPIPE_KERNEL("power", PlanPower);
FASTPIPE_KERNEL("atan2", (Plan<Atan2, FloatTypes>));
FASTPIPE_KERNEL("nextafter", (Plan<NextAfter, Types<float, double>>));

}  // namespace
}  // namespace fastpipe
