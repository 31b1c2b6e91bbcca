// Random numbers of a shape: inputs seed (two integers) and `shape`, an IntegersArgument.
//
// random_uniform: floats in [0, 1). random_normal: of mean 0 and deviation 1.
// random_truncated_normal: the same, redrawn beyond 2. random_bits: integers of all values.
// random_integers: two more scalar inputs of the dtype before the shape, minval and maxval:
//   integers in [minval, maxval).
//
// All are equal to TensorFlow's: one block of Philox makes one group of results.

#include <algorithm>
#include <cmath>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/dispatch.h"
#include "kernels/integers_argument.h"
#include "kernels/seed_argument.h"

namespace fastpipe {
namespace {

// Results of one block.
template <typename T>
constexpr int kGroup = sizeof(T) == 8 ? 2 : 4;

// Fills `to` with groups that draw(block number, group) makes; of the last one it takes a part.
template <typename T, typename Draw>
void FillGroups(int64_t count, T* to, Draw draw) {
  for (int64_t number = 0; count > 0; ++number) {
    T group[kGroup<T>];
    draw(number, group);
    const int64_t step = std::min<int64_t>(count, kGroup<T>);
    to = std::copy(group, group + step, to);
    count -= step;
  }
}

template <typename T>
T UnitHalf(uint32_t bits, int fraction_bits, uint32_t one) {
  const auto raw = static_cast<uint16_t>(one | (bits & ((1u << fraction_bits) - 1)));
  return FromWide<T>(ToWide(T{raw}) - 1.0f);
}

template <typename T>
void FillUniform(Philox random, int64_t count, T* to) {
  FillGroups(count, to, [&random](int64_t, T* group) {
    const Philox::Block block = random.Next();
    for (size_t i = 0; i < kGroup<T>; ++i) {
      if constexpr (std::is_same_v<T, Half>) {
        group[i] = UnitHalf<T>(block[i], 10, 15u << 10);
      } else if constexpr (std::is_same_v<T, Bfloat16>) {
        group[i] = UnitHalf<T>(block[i], 7, 127u << 7);
      } else if constexpr (std::is_same_v<T, float>) {
        group[i] = UnitFloat(block[i]);
      } else {
        group[i] = UnitDouble(block[2 * i], block[2 * i + 1]);
      }
    }
  });
}

// Two normal numbers from two uniform ones (Box and Muller).
template <typename Real>
void BoxMuller(Real u1, Real u2, Real* pair) {
  // Zero has no logarithm.
  u1 = std::max(u1, static_cast<Real>(1.0e-7));
  const auto angle = static_cast<Real>(2 * M_PI * u2);
  const Real radius = std::sqrt(Real{-2} * std::log(u1));
  pair[0] = std::sin(angle) * radius;
  pair[1] = std::cos(angle) * radius;
}

// How normal numbers of dtype T come about: in which reals, and how many numbers each takes.
template <typename T>
using NormalReal = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename Real, typename NextNumber>
void NormalPair(NextNumber next, Real* pair) {
  uint32_t n[4];
  const int count = sizeof(Real) == 8 ? 4 : 2;
  for (int i = 0; i < count; ++i) n[i] = next();
  if constexpr (sizeof(Real) == 8) {
    BoxMuller(UnitDouble(n[0], n[1]), UnitDouble(n[2], n[3]), pair);
  } else {
    BoxMuller(UnitFloat(n[0]), UnitFloat(n[1]), pair);
  }
}

template <typename T>
T OfReal(NormalReal<T> real) {
  if constexpr (kIsHalf<T>) {
    return FromWide<T>(real);
  } else {
    return real;
  }
}

template <typename T>
void FillNormal(Philox random, int64_t count, T* to) {
  PhiloxNumbers numbers(random);
  FillGroups(count, to, [&numbers](int64_t, T* group) {
    for (int i = 0; i < kGroup<T>; i += 2) {
      NormalReal<T> pair[2];
      NormalPair([&numbers] { return numbers.Next(); }, pair);
      group[i] = OfReal<T>(pair[0]);
      group[i + 1] = OfReal<T>(pair[1]);
    }
  });
}

// Each group has a place of its own in the stream, so that it does not matter how many numbers
// those before it rejected.
template <typename T>
void FillTruncatedNormal(Philox random, int64_t count, T* to) {
  constexpr uint64_t kBlocksPerGroup = 64 * kGroup<T>;
  FillGroups(count, to, [random](int64_t number, T* group) {
    Philox place = random;
    place.Skip(static_cast<uint64_t>(number) * kBlocksPerGroup);
    PhiloxNumbers numbers(place);
    int found = 0;
    while (found < kGroup<T>) {
      NormalReal<T> pair[2];
      NormalPair([&numbers] { return numbers.Next(); }, pair);
      for (const NormalReal<T> real : pair) {
        if (std::abs(real) < 2 && found < kGroup<T>) group[found++] = OfReal<T>(real);
      }
    }
  });
}

template <typename T>
T BitsOf(const Philox::Block& block, size_t index) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(Philox::Join(block[2 * index], block[2 * index + 1]));
  } else {
    return static_cast<T>(block[index]);
  }
}

template <typename T>
void FillBits(Philox random, int64_t count, T* to) {
  FillGroups(count, to, [&random](int64_t, T* group) {
    const Philox::Block block = random.Next();
    for (size_t i = 0; i < kGroup<T>; ++i) group[i] = BitsOf<T>(block, i);
  });
}

template <typename T>
Status FillIntegers(const Args& attrs, const Tensor& minval, const Tensor& maxval, Philox random,
                    int64_t count, T* to) {
  using Unsigned = std::make_unsigned_t<T>;
  const T low = minval.scalar<T>();
  const T high = maxval.scalar<T>();
  if (low >= high) {
    return attrs.Error(StrCat("minval must be < maxval, got ", low, " and ", high));
  }
  const auto range =
      static_cast<Unsigned>(static_cast<Unsigned>(high) - static_cast<Unsigned>(low));
  FillGroups(count, to, [&](int64_t, T* group) {
    const Philox::Block block = random.Next();
    for (size_t i = 0; i < kGroup<T>; ++i) {
      group[i] = static_cast<T>(static_cast<Unsigned>(low) + BitsOf<Unsigned>(block, i) % range);
    }
  });
  return Status::Ok();
}

// Makes the numbers of `shape` from the inputs; `seed` is the first of them.
using Draw = Status (*)(const Args& attrs, Inputs in, Dims shape, Output* out);

template <typename T>
using Fill = void (*)(Philox random, int64_t count, T* to);

template <typename T, Fill<T> kFill>
Status DrawWith(const Args& attrs, Inputs in, Dims shape, Output* out) {
  FASTPIPE_ASSIGN(const Philox random, PhiloxOf(attrs, *in[0]));
  kFill(random, NumElements(shape), out->Allocate<T>(shape));
  return Status::Ok();
}

template <typename T>
Status DrawIntegers(const Args& attrs, Inputs in, Dims shape, Output* out) {
  FASTPIPE_ASSIGN(const Philox random, PhiloxOf(attrs, *in[0]));
  for (size_t i : {1, 2}) {
    if (in[i]->rank() == 0) continue;
    return attrs.Error(
        StrCat("minval and maxval must be scalars, got shape ", ShapeString(in[i]->dims())));
  }
  const int64_t count = NumElements(shape);
  return FillIntegers(attrs, *in[1], *in[2], random, count, out->Allocate<T>(shape));
}

using SizedIntegers = Types<int32_t, int64_t>;
using SizedBits = Types<int32_t, int64_t, uint32_t, uint64_t>;

constexpr auto kUniform =
    TableOf<FloatTypes>([]<typename T>() -> Draw { return DrawWith<T, FillUniform<T>>; });
constexpr auto kNormal =
    TableOf<FloatTypes>([]<typename T>() -> Draw { return DrawWith<T, FillNormal<T>>; });
constexpr auto kTruncatedNormal =
    TableOf<FloatTypes>([]<typename T>() -> Draw { return DrawWith<T, FillTruncatedNormal<T>>; });
constexpr auto kBits =
    TableOf<SizedBits>([]<typename T>() -> Draw { return DrawWith<T, FillBits<T>>; });
constexpr auto kIntegers =
    TableOf<SizedIntegers>([]<typename T>() -> Draw { return DrawIntegers<T>; });

// The shape comes behind the first `before` inputs.
Result<KernelPlan> PlanDraw(const Args& attrs, Specs inputs, DType dtype, Draw draw,
                            size_t before) {
  FASTPIPE_RETURN_IF_ERROR(ExpectSeed(attrs, inputs, 0));
  FASTPIPE_ASSIGN(const IntegersArgument shape,
                  IntegersArgument::Read(attrs, "shape", inputs, &before));
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, before));
  TensorSpec spec = TensorSpec::UnknownRank(dtype);
  if (shape.size()) spec = TensorSpec::Of(dtype, shape.Known());
  if (shape.IsStatic()) FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), spec.dims));
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, draw, shape](KernelContext*, Inputs in, Outputs out) {
                      const std::vector<int64_t> dims = shape.Get(in);
                      FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), dims));
                      return draw(attrs, in, dims, &out[0]);
                    })};
}

Result<KernelPlan> PlanOfDtype(const Args& attrs, Specs inputs, const DTypeTable<Draw>& draws) {
  FASTPIPE_ASSIGN(const DType dtype, attrs.Dtype("dtype"));
  const Draw draw = Find(draws, dtype);
  if (draw != nullptr) return PlanDraw(attrs, inputs, dtype, draw, 1);
  return attrs.Error(StrCat("dtype must be ",
                            DTypeList([&](DType each) { return Find(draws, each) != nullptr; }),
                            ", got ", DTypeName(dtype)));
}

Result<KernelPlan> PlanUniform(const Args& attrs, Specs inputs) {
  return PlanOfDtype(attrs, inputs, kUniform);
}
Result<KernelPlan> PlanNormal(const Args& attrs, Specs inputs) {
  return PlanOfDtype(attrs, inputs, kNormal);
}
Result<KernelPlan> PlanTruncatedNormal(const Args& attrs, Specs inputs) {
  return PlanOfDtype(attrs, inputs, kTruncatedNormal);
}
Result<KernelPlan> PlanBits(const Args& attrs, Specs inputs) {
  return PlanOfDtype(attrs, inputs, kBits);
}

Result<KernelPlan> PlanIntegers(const Args& attrs, Specs inputs) {
  if (inputs.size() < 3) {
    return attrs.Error(StrCat("takes a seed, minval and maxval, got ", inputs.size(), " tensors"));
  }
  FASTPIPE_RETURN_IF_ERROR(ExpectOneDType(attrs, inputs.subspan(1, 2)));
  FASTPIPE_ASSIGN(const Draw draw, FindOrError(kIntegers, attrs, inputs, 1));
  for (const TensorSpec& bound : inputs.subspan(1, 2)) {
    if (bound.rank() > 0) {
      return attrs.Error(StrCat("minval and maxval must be scalars, got ", bound.ToString()));
    }
  }
  return PlanDraw(attrs, inputs, inputs[1].dtype, draw, 3);
}

FASTPIPE_KERNEL("random_uniform", PlanUniform);
FASTPIPE_KERNEL("random_normal", PlanNormal);
FASTPIPE_KERNEL("random_truncated_normal", PlanTruncatedNormal);
FASTPIPE_KERNEL("random_bits", PlanBits);
FASTPIPE_KERNEL("random_integers", PlanIntegers);

}  // namespace
}  // namespace fastpipe
