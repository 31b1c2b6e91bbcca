// segment_sum, segment_mean, segment_prod, segment_min, segment_max, segment_sqrt_n(x, ids): the
// slices of x along its first axes, the shape of `ids`, folded where their ids are equal.
//
// Sorted (the default): ids are a vector in order, from 0 on, and the last tells how many segments
// there are. With `unsorted` their number is an IntegersArgument of one integer, and slices with a
// negative id are left out. Of no slices: 0, and 1 for the product; unsorted least and greatest are
// the greatest and least value of the dtype.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/dispatch.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

// Fold joins a value to the state of its segment; Finish gets how many there were.
template <typename T>
struct SumOf {
  static constexpr T kStart = 0;
  static constexpr T kNothing = 0;
  static T Fold(T a, T b) {
    return Wrapped(a, b, [](auto x, auto y) { return x + y; });
  }
  static T Finish(T state, int64_t) { return state; }
};
template <typename T>
struct MeanOf : SumOf<T> {
  static T Finish(T state, int64_t count) {
    // The count need not fit a T.
    using Total = std::conditional_t<std::is_floating_point_v<T>, T,
                                     std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
    return static_cast<T>(static_cast<Total>(state) / static_cast<Total>(count));
  }
};
template <typename T>
struct SqrtNOf : SumOf<T> {
  static T Finish(T state, int64_t count) {
    return static_cast<T>(state / std::sqrt(static_cast<T>(count)));
  }
};
template <typename T>
struct ProductOf : SumOf<T> {
  static constexpr T kStart = 1;
  static constexpr T kNothing = 1;
  static T Fold(T a, T b) {
    return Wrapped(a, b, [](auto x, auto y) { return x * y; });
  }
};
template <typename T>
struct LeastOf : SumOf<T> {
  static constexpr T kStart = std::numeric_limits<T>::max();
  static T Fold(T a, T b) { return b < a || b != b ? b : a; }
};
template <typename T>
struct GreatestOf : SumOf<T> {
  static constexpr T kStart = std::numeric_limits<T>::lowest();
  static T Fold(T a, T b) { return b > a || b != b ? b : a; }
};

// The greatest finite value of a T.
template <typename T>
constexpr Wide<T> kGreatest = std::numeric_limits<Wide<T>>::max();
template <>
constexpr float kGreatest<Half> = 65504.0f;
template <>
constexpr float kGreatest<Bfloat16> = 0x1.fep127f;

template <typename F, typename T>
void FoldSegments(const Tensor& x, const std::vector<int64_t>& ids, int64_t inner, bool unsorted,
                  Dims dims, Output* out) {
  using State = Wide<T>;
  T* to = out->Allocate<T>(dims);
  const int64_t results = NumElements(dims);
  std::vector<State> states(static_cast<size_t>(results), F::kStart);
  std::vector<int64_t> counts(static_cast<size_t>(dims[0]), 0);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0) continue;
    const T* from = x.data<T>() + static_cast<int64_t>(i) * inner;
    State* state = states.data() + ids[i] * inner;
    for (int64_t j = 0; j < inner; ++j) state[j] = F::Fold(state[j], ToWide(from[j]));
    ++counts[static_cast<size_t>(ids[i])];
  }
  State nothing = unsorted ? F::kStart : F::kNothing;
  if constexpr (kIsHalf<T>) nothing = std::clamp(nothing, -kGreatest<T>, kGreatest<T>);
  for (int64_t i = 0; i < results; ++i) {
    const int64_t count = counts[static_cast<size_t>(i / inner)];
    const State state = states[static_cast<size_t>(i)];
    to[i] = FromWide<T>(count > 0 ? F::Finish(state, count) : nothing);
  }
}

using Run = void (*)(const Tensor& x, const std::vector<int64_t>& ids, int64_t inner, bool unsorted,
                     Dims dims, Output* out);

struct SegmentPlan {
  Args attrs;
  Run run = nullptr;
  bool unsorted = false;
  IntegersArgument segments;

  // The shape of the result; sizes may be unknown.
  Result<std::vector<int64_t>> DimsOf(Dims x, Dims ids, int64_t segments) const {
    bool good = ids.size() <= x.size() && (unsorted || ids.size() == 1);
    for (size_t i = 0; good && i < ids.size(); ++i) {
      good = ids[i] < 0 || x[i] < 0 || ids[i] == x[i];
    }
    if (!good) {
      return attrs.Error(StrCat("ids must ", unsorted ? "" : "be a vector and ",
                                "have the first sizes of the values, got ", ShapeString(ids),
                                " for ", ShapeString(x)));
    }
    std::vector<int64_t> dims{segments};
    dims.insert(dims.end(), x.begin() + static_cast<int64_t>(ids.size()), x.end());
    return dims;
  }

  Result<int64_t> Count(Inputs in, const std::vector<int64_t>& ids) const {
    if (!unsorted) {
      for (size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] >= (i == 0 ? 0 : ids[i - 1])) continue;
        return attrs.Error(StrCat("ids must be in order and >= 0, got ", ids[i], " at index ", i));
      }
      return ids.empty() ? 0 : ids.back() + 1;
    }
    const std::vector<int64_t> count = segments.Get(in);
    if (count.size() != 1 || count[0] < 0)
      return attrs.Error("num_segments must be an integer >= 0");
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] < count[0]) continue;
      return attrs.Error(StrCat("ids must be below the number of segments, ", count[0], ", got ",
                                ids[i], " at index ", i));
    }
    return count[0];
  }

  Status Compute(Inputs in, Output* out) const {
    const std::vector<int64_t> ids = IntegersOf(*in[1]);
    FASTPIPE_ASSIGN(const int64_t count, Count(in, ids));
    FASTPIPE_ASSIGN(const std::vector<int64_t> dims, DimsOf(in[0]->dims(), in[1]->dims(), count));
    FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), dims));
    run(*in[0], ids, NumElements(Dims(dims).subspan(1)), unsorted, dims, out);
    return Status::Ok();
  }
};

Result<KernelPlan> PlanWith(const Args& attrs, Specs inputs, const DTypeTable<Run>& runs) {
  if (inputs.size() < 2) return attrs.Error("takes values and ids");
  SegmentPlan plan{attrs, nullptr, false, {}};
  FASTPIPE_ASSIGN(plan.run, FindOrError(runs, attrs, inputs, 0));
  FASTPIPE_ASSIGN(plan.unsorted, attrs.BoolOr("unsorted", false));
  size_t next = 2;
  if (plan.unsorted) {
    FASTPIPE_ASSIGN(plan.segments, IntegersArgument::Read(attrs, "num_segments", inputs, &next));
    if (plan.segments.size().value_or(1) != 1)
      return attrs.Error("num_segments must be one integer");
  }
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, next));
  if (!IsInteger(inputs[1].dtype)) {
    return attrs.Error(StrCat("ids must be integers, got ", inputs[1].ToString()));
  }
  TensorSpec spec = TensorSpec::UnknownRank(inputs[0].dtype);
  if (inputs[0].known_rank && inputs[1].known_rank) {
    const int64_t count = plan.unsorted && plan.segments.size() ? plan.segments.Known()[0] : -1;
    spec.known_rank = true;
    FASTPIPE_ASSIGN(spec.dims, plan.DimsOf(inputs[0].dims, inputs[1].dims, count));
  }
  return KernelPlan{{std::move(spec)}, KernelFrom([plan](KernelContext*, Inputs in, Outputs out) {
                      return plan.Compute(in, &out[0]);
                    })};
}

template <template <typename> typename Fold, typename List = NumberTypes>
Result<KernelPlan> PlanSegments(const Args& attrs, Specs inputs) {
  static constexpr auto kRuns =
      TableOf<List>([]<typename T>() -> Run { return FoldSegments<Fold<Wide<T>>, T>; });
  return PlanWith(attrs, inputs, kRuns);
}

FASTPIPE_KERNEL("segment_sum", PlanSegments<SumOf>);
FASTPIPE_KERNEL("segment_mean", PlanSegments<MeanOf>);
FASTPIPE_KERNEL("segment_prod", PlanSegments<ProductOf>);
FASTPIPE_KERNEL("segment_min", PlanSegments<LeastOf>);
FASTPIPE_KERNEL("segment_max", PlanSegments<GreatestOf>);
FASTPIPE_KERNEL("segment_sqrt_n", (PlanSegments<SqrtNOf, FloatTypes>));

}  // namespace
}  // namespace fastpipe
