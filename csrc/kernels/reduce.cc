// reduce_sum, reduce_prod, reduce_max, reduce_min: numbers folded over `axis`, same dtype out.
// reduce_mean: their mean; of integers rounded towards zero. reduce_any, reduce_all: of bools.
//
// Floats are summed in double, whatever their width. Integers wrap around. Nothing at all folds to
// 0, 1, the least, the greatest, NaN (a mean; of integers 0), false and true.

#include <limits>

#include "core/registry.h"
#include "kernels/dispatch.h"
#include "kernels/reduction.h"

namespace fastpipe {
namespace {

// In which type values of type T are added up.
template <typename T>
using Total = std::conditional_t<std::is_floating_point_v<Wide<T>>, double,
                                 std::conditional_t<std::is_signed_v<Wide<T>>, int64_t, uint64_t>>;

// A fold over values of type T keeps a State. Fold adds a value to it, Merge joins two, Finish
// makes the result.
template <typename T>
struct SumOf {
  using State = std::conditional_t<std::is_floating_point_v<Wide<T>>, double, uint64_t>;
  static constexpr State kStart = 0;
  static State Fold(State state, Wide<T> value) { return state + static_cast<State>(value); }
  static State Merge(State a, State b) { return a + b; }
  static T Finish(State state, int64_t) { return FromWide<T>(static_cast<Wide<T>>(state)); }
};

template <typename T>
struct MeanOf : SumOf<T> {
  static T Finish(typename SumOf<T>::State state, int64_t count) {
    const auto total = static_cast<Total<T>>(state);
    if constexpr (!std::is_floating_point_v<Wide<T>>) {
      if (count == 0) return 0;
    }
    return FromWide<T>(static_cast<Wide<T>>(total / static_cast<Total<T>>(count)));
  }
};

template <typename T>
struct ProductOf : SumOf<T> {
  using State = typename SumOf<T>::State;
  static constexpr State kStart = 1;
  static State Fold(State state, Wide<T> value) { return state * static_cast<State>(value); }
  static State Merge(State a, State b) { return a * b; }
};

template <typename T>
struct GreatestOf {
  using State = Wide<T>;
  using Limits = std::numeric_limits<State>;
  static constexpr State kStart = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  static State Fold(State state, State value) {
    return (value > state) | (value != value) ? value : state;  // NaN, once met, stays
  }
  static State Merge(State a, State b) { return Fold(a, b); }
  static T Finish(State state, int64_t) { return FromWide<T>(state); }
};

template <typename T>
struct LeastOf : GreatestOf<T> {
  using State = Wide<T>;
  using Limits = std::numeric_limits<State>;
  static constexpr State kStart = Limits::has_infinity ? Limits::infinity() : Limits::max();
  static State Fold(State state, State value) {
    return (value < state) | (value != value) ? value : state;
  }
  static State Merge(State a, State b) { return Fold(a, b); }
};

template <typename T>
struct AnyOf {
  using State = uint8_t;  // std::vector<bool> has no elements to point at
  static constexpr State kStart = 0;
  static State Fold(State state, bool value) { return state | static_cast<State>(value); }
  static State Merge(State a, State b) { return a | b; }
  static bool Finish(State state, int64_t) { return state != 0; }
};

template <typename T>
struct AllOf : AnyOf<T> {
  using State = uint8_t;
  static constexpr State kStart = 1;
  static State Fold(State state, bool value) { return state & static_cast<State>(value); }
  static State Merge(State a, State b) { return a & b; }
};

// Folds a run into one state. Several side by side, because with a single one each value would wait
// for the one before.
template <typename F, typename T>
auto FoldRun(const T* values, int64_t count) {
  using State = std::remove_const_t<decltype(F::kStart)>;
  constexpr int64_t kLanes = 8;
  std::array<State, kLanes> lanes;
  lanes.fill(F::kStart);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = F::Fold(lanes[lane], ToWide(values[i + static_cast<int64_t>(lane)]));
    }
  }
  State state = F::kStart;
  for (State lane : lanes) state = F::Merge(state, lane);
  for (; i < count; ++i) state = F::Fold(state, ToWide(values[i]));
  return state;
}

template <typename F, typename T>
void RunReduce(const Tensor& x, const ReducedAxes& axes, Dims dims, Output* out) {
  using State = std::remove_const_t<decltype(F::kStart)>;
  const T* values = x.data<T>();
  T* to = out->Allocate<T>(dims);
  const int64_t results = NumElements(dims);
  const int64_t count = x.num_elements();
  if (results == 1) {
    *to = F::Finish(FoldRun<F>(values, count), count);
    return;
  }
  std::vector<State> states(static_cast<size_t>(results), F::kStart);
  axes.Loop(x.dims()).Run({}, [&](const auto& offsets, const auto& steps, int64_t run) {
    const T* from = values + offsets[0];
    State* state = states.data() + offsets[1];
    if (steps[1] == 0) {
      *state = F::Merge(*state, FoldRun<F>(from, run));
    } else {
      for (int64_t i = 0; i < run; ++i) state[i] = F::Fold(state[i], ToWide(from[i]));
    }
  });
  for (int64_t i = 0; i < results; ++i) {
    to[i] = F::Finish(states[static_cast<size_t>(i)], count / results);
  }
}

using Run = void (*)(const Tensor& x, const ReducedAxes& axes, Dims dims, Output* out);

Result<KernelPlan> PlanWith(const Args& attrs, Specs inputs, const DTypeTable<Run>& runs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const Run run, FindOrError(runs, attrs, inputs, 0));
  FASTPIPE_ASSIGN(const ReducedAxes axes, ReducedAxes::Read(attrs));
  FASTPIPE_ASSIGN(TensorSpec spec, axes.ResultSpec(inputs[0], inputs[0].dtype));
  return KernelPlan{
      {std::move(spec)}, KernelFrom([run, axes](KernelContext*, Inputs in, Outputs out) {
        FASTPIPE_ASSIGN(const std::vector<int64_t> dims, axes.ResultDims(in[0]->dims()));
        run(*in[0], axes, dims, &out[0]);
        return Status::Ok();
      })};
}

template <template <typename> typename Fold, typename List>
Result<KernelPlan> PlanReduce(const Args& attrs, Specs inputs) {
  static constexpr auto kRuns =
      TableOf<List>([]<typename T>() -> Run { return RunReduce<Fold<T>, T>; });
  return PlanWith(attrs, inputs, kRuns);
}

FASTPIPE_KERNEL("reduce_sum", (PlanReduce<SumOf, NumberTypes>));
FASTPIPE_KERNEL("reduce_mean", (PlanReduce<MeanOf, NumberTypes>));
FASTPIPE_KERNEL("reduce_prod", (PlanReduce<ProductOf, NumberTypes>));
FASTPIPE_KERNEL("reduce_max", (PlanReduce<GreatestOf, NumberTypes>));
FASTPIPE_KERNEL("reduce_min", (PlanReduce<LeastOf, NumberTypes>));
FASTPIPE_KERNEL("reduce_any", (PlanReduce<AnyOf, Types<bool>>));
FASTPIPE_KERNEL("reduce_all", (PlanReduce<AllOf, Types<bool>>));

}  // namespace
}  // namespace fastpipe
