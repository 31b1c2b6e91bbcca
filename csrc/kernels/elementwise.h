// Elementwise kernels: a table of loops by dtype, planned and run in one place for all of them.
//
// Contract: a file of a family writes operations as structs with a static Apply on one value, turns
// them into loops with BinaryLoopOf / UnaryLoopOf, and registers a planner that calls PlanBinary or
// PlanUnary with its table. Inputs of a binary kernel have one dtype and broadcast. All of them are
// ElementwiseKernels, of which several in a row become one pass: see elementwise_chain.cc.
// Thread rule: free functions without state.
#pragma once

#include "kernels/dispatch.h"

namespace fastpipe {

// A kernel that computes each value of its one result from the values of its inputs at that place.
class ElementwiseKernel : public Kernel {
 public:
  // The values of an input: `step` is 1, or 0 where one value serves all results.
  struct Operand {
    const void* data;
    int64_t step;
  };
  // False if some values are an error, which only Run finds.
  virtual bool Infallible() const { return true; }
  // REQUIRES: Infallible().
  virtual void RunBlock(std::span<const Operand> inputs, void* out, int64_t count) const = 0;
};

// Computes `count` results. A step is 1, or 0 where one value of that side serves all results.
using BinaryLoop = void (*)(const void* x, int64_t step_x, const void* y, int64_t step_y, void* out,
                            int64_t count);
// OK if all values of `y` are good as the second operand.
using OperandCheck = Status (*)(const Args& attrs, const Tensor& y);

struct BinaryEntry {
  BinaryLoop loop = nullptr;
  DType result = DType::kInvalid;
  OperandCheck check = nullptr;
  BinaryLoop avx2_loop = nullptr;  // the same for a processor that has it; may be null
  bool operator==(const BinaryEntry&) const = default;
};

using UnaryLoop = void (*)(const void* x, void* out, int64_t count);

struct UnaryEntry {
  UnaryLoop loop = nullptr;
  DType result = DType::kInvalid;
  UnaryLoop avx2_loop = nullptr;
  bool operator==(const UnaryEntry&) const = default;
};

bool HasAvx2();

// A kernel of one input, whose results are of dtype entry.result.
std::shared_ptr<const Kernel> MakeUnary(const UnaryEntry& entry);

Result<KernelPlan> PlanBinary(const Args& attrs, Specs inputs,
                              const DTypeTable<BinaryEntry>& table);
Result<KernelPlan> PlanUnary(const Args& attrs, Specs inputs, const DTypeTable<UnaryEntry>& table);

// Loops are compiled once more with AVX2 where that is worth it: values of 1 to 4 bytes, of which
// twice as many fit into a register. The bits are the same.
#if defined(__x86_64__) && defined(__GNUC__)
#define FASTPIPE_TARGET_AVX2 __attribute__((target("avx2")))
template <typename In, typename Out>
constexpr bool kGainsByAvx2 =
    (std::is_same_v<In, float> || std::is_same_v<In, uint8_t> || std::is_same_v<In, int32_t>) &&
    (std::is_same_v<Out, float> || std::is_same_v<Out, uint8_t> || std::is_same_v<Out, int32_t>);
#else
#define FASTPIPE_TARGET_AVX2
template <typename In, typename Out>
constexpr bool kGainsByAvx2 = false;
#endif

// Op::Apply(Wide<In>, Wide<In>) -> Wide<Out>.
template <typename Op, typename In, typename Out>
[[gnu::always_inline]] inline void BinaryLoopBody(const void* x, int64_t step_x, const void* y,
                                                  int64_t step_y, void* out, int64_t count) {
  const In* left = static_cast<const In*>(x);
  const In* right = static_cast<const In*>(y);
  Out* to = static_cast<Out*>(out);
  const auto apply = [](Wide<In> a, Wide<In> b) {
    return FromWide<Out>(static_cast<Wide<Out>>(Op::Apply(a, b)));
  };
  // Three loops, so that each can be vectorised.
  if (step_x == step_y) {
    for (int64_t i = 0; i < count; ++i) to[i] = apply(ToWide(left[i]), ToWide(right[i]));
  } else if (step_y == 0) {
    const Wide<In> one = ToWide(*right);
    for (int64_t i = 0; i < count; ++i) to[i] = apply(ToWide(left[i]), one);
  } else {
    const Wide<In> one = ToWide(*left);
    for (int64_t i = 0; i < count; ++i) to[i] = apply(one, ToWide(right[i]));
  }
}

template <typename Op, typename In, typename Out>
void RunBinaryLoop(const void* x, int64_t step_x, const void* y, int64_t step_y, void* out,
                   int64_t count) {
  BinaryLoopBody<Op, In, Out>(x, step_x, y, step_y, out, count);
}

template <typename Op, typename In, typename Out>
FASTPIPE_TARGET_AVX2 void RunBinaryLoopAvx2(const void* x, int64_t step_x, const void* y,
                                            int64_t step_y, void* out, int64_t count) {
  BinaryLoopBody<Op, In, Out>(x, step_x, y, step_y, out, count);
}

template <typename Op, typename In, typename Out>
constexpr BinaryEntry BinaryLoopOf(OperandCheck check = nullptr) {
  BinaryEntry entry = {RunBinaryLoop<Op, In, Out>, DTypeOf<Out>(), check};
  if constexpr (kGainsByAvx2<In, Out>) entry.avx2_loop = RunBinaryLoopAvx2<Op, In, Out>;
  return entry;
}

// Op::Apply(Wide<In>) -> Wide<Out>.
template <typename Op, typename In, typename Out>
[[gnu::always_inline]] inline void UnaryLoopBody(const void* x, void* out, int64_t count) {
  const In* from = static_cast<const In*>(x);
  Out* to = static_cast<Out*>(out);
  for (int64_t i = 0; i < count; ++i) {
    to[i] = FromWide<Out>(static_cast<Wide<Out>>(Op::Apply(ToWide(from[i]))));
  }
}

template <typename Op, typename In, typename Out>
void RunUnaryLoop(const void* x, void* out, int64_t count) {
  UnaryLoopBody<Op, In, Out>(x, out, count);
}

template <typename Op, typename In, typename Out>
FASTPIPE_TARGET_AVX2 void RunUnaryLoopAvx2(const void* x, void* out, int64_t count) {
  UnaryLoopBody<Op, In, Out>(x, out, count);
}

template <typename Op, typename In, typename Out>
constexpr UnaryEntry UnaryLoopOf() {
  UnaryEntry entry = {RunUnaryLoop<Op, In, Out>, DTypeOf<Out>()};
  if constexpr (kGainsByAvx2<In, Out>) entry.avx2_loop = RunUnaryLoopAvx2<Op, In, Out>;
  return entry;
}

// Tables of operations that keep the dtype, over the dtypes of `List`.
template <typename Op, typename List>
constexpr DTypeTable<BinaryEntry> BinaryTable() {
  return TableOf<List>([]<typename T>() { return BinaryLoopOf<Op, T, T>(); });
}
template <typename Op, typename List>
constexpr DTypeTable<UnaryEntry> UnaryTable() {
  return TableOf<List>([]<typename T>() { return UnaryLoopOf<Op, T, T>(); });
}

}  // namespace fastpipe
