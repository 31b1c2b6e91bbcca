// clip(x, low, high): x with values below `low` raised to it and those above `high` lowered to it.
// Three number tensors of one dtype; the bounds broadcast to x.

#include "core/registry.h"
#include "kernels/broadcast.h"
#include "kernels/elementwise.h"

namespace fastpipe {
namespace {

using Run = void (*)(const StridedLoop& loop, Inputs in, void* out);

template <typename T>
T Clip(T value, Wide<T> low, Wide<T> high) {
  Wide<T> clipped = ToWide(value);
  clipped = clipped > high ? high : clipped;  // NaN stays
  clipped = clipped < low ? low : clipped;
  return FromWide<T>(clipped);
}

template <typename T>
void ClipBlock(const T* values, int64_t step, const T* low, int64_t low_step, const T* high,
               int64_t high_step, T* to, int64_t count) {
  if (step == 1 && low_step == 0 && high_step == 0) {
    const Wide<T> least = ToWide(*low);
    const Wide<T> most = ToWide(*high);
    for (int64_t i = 0; i < count; ++i) to[i] = Clip<T>(values[i], least, most);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      to[i] = Clip<T>(values[i * step], ToWide(low[i * low_step]), ToWide(high[i * high_step]));
    }
  }
}

template <typename T>
void RunClip(const StridedLoop& loop, Inputs in, void* out) {
  T* to = static_cast<T*>(out);
  loop.Run({}, [&](const auto& offsets, const auto& steps, int64_t count) {
    ClipBlock(in[0]->data<T>() + offsets[0], steps[0], in[1]->data<T>() + offsets[1], steps[1],
              in[2]->data<T>() + offsets[2], steps[2], to, count);
    to += count;
  });
}

using Operand = ElementwiseKernel::Operand;

template <typename T>
void RunClipBlock(std::span<const Operand> in, void* out, int64_t count) {
  const auto at = [&](size_t input) { return static_cast<const T*>(in[input].data); };
  ClipBlock(at(0), in[0].step, at(1), in[1].step, at(2), in[2].step, static_cast<T*>(out), count);
}

struct ClipEntry {
  Run run = nullptr;
  void (*run_block)(std::span<const Operand> in, void* out, int64_t count) = nullptr;
  bool operator==(const ClipEntry&) const = default;
};

constexpr auto kEntries =
    TableOf<NumberTypes>([]<typename T>() { return ClipEntry{RunClip<T>, RunClipBlock<T>}; });

Status BoundsTooLarge(const Args& attrs, const std::string& x, const std::string& result) {
  return attrs.Error(StrCat("the bounds must broadcast to the shape ", x,
                            " of the values, but stretch it to ", result));
}

Status ClipAll(const Args& attrs, Run run, Inputs in, Output* out) {
  if (in[0]->rank() == 0 && in[1]->rank() == 0 && in[2]->rank() == 0) {
    run(StridedLoop(0), in, out->Allocate(in[0]->dtype(), {}));
    return Status::Ok();
  }
  FASTPIPE_ASSIGN(const std::vector<int64_t> dims, BroadcastDims(attrs.owner(), in));
  const Dims x = in[0]->dims();
  if (!std::equal(x.begin(), x.end(), dims.begin(), dims.end())) {
    return BoundsTooLarge(attrs, ShapeString(x), ShapeString(dims));
  }
  run(BroadcastLoop(x, {x, in[1]->dims(), in[2]->dims()}), in, out->Allocate(in[0]->dtype(), x));
  return Status::Ok();
}

class ClipKernel final : public ElementwiseKernel {
 public:
  ClipKernel(Args attrs, const ClipEntry& entry) : attrs_(std::move(attrs)), entry_(entry) {}
  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    return ClipAll(attrs_, entry_.run, in, &out[0]);
  }
  void RunBlock(std::span<const Operand> in, void* out, int64_t count) const override {
    entry_.run_block(in, out, count);
  }

 private:
  const Args attrs_;
  const ClipEntry entry_;
};

Result<KernelPlan> PlanClip(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 3));
  FASTPIPE_RETURN_IF_ERROR(ExpectOneDType(attrs, inputs));
  FASTPIPE_ASSIGN(const ClipEntry entry, FindOrError(kEntries, attrs, inputs, 0));
  FASTPIPE_ASSIGN(const TensorSpec whole, BroadcastSpecs(attrs, inputs, inputs[0].dtype));
  if (inputs[0].fully_known() && whole.known_rank && !(whole == inputs[0])) {
    return BoundsTooLarge(attrs, ShapeString(inputs[0].dims), ShapeString(whole.dims));
  }
  // The bounds may know sizes that x does not.
  const bool more = inputs[0].known_rank && whole.rank() == inputs[0].rank();
  return KernelPlan{.outputs = {more ? whole : inputs[0]},
                    .kernel = std::make_shared<const ClipKernel>(attrs, entry),
                    .elementwise = true};
}

FASTPIPE_KERNEL("clip", PlanClip);

}  // namespace
}  // namespace fastpipe
