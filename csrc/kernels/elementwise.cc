#include "kernels/elementwise.h"

#include <algorithm>

#include "kernels/broadcast.h"

namespace fastpipe {
namespace {

bool SameDims(Dims a, Dims b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

class BinaryKernel final : public Kernel {
 public:
  BinaryKernel(Args attrs, const BinaryEntry& entry, size_t size)
      : attrs_(std::move(attrs)), entry_(entry), size_(static_cast<int64_t>(size)) {}

  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    const Tensor& x = *in[0];
    const Tensor& y = *in[1];
    if (SameDims(x.dims(), y.dims())) return RunFlat(x, 1, y, 1, x.dims(), &out[0]);
    if (y.rank() == 0) return RunFlat(x, 1, y, 0, x.dims(), &out[0]);
    if (x.rank() == 0) return RunFlat(x, 0, y, 1, y.dims(), &out[0]);
    return RunBroadcast(in, &out[0]);
  }

 private:
  Status RunFlat(const Tensor& x, int64_t step_x, const Tensor& y, int64_t step_y, Dims dims,
                 Output* out) const {
    const int64_t count = NumElements(dims);
    if (entry_.check && count > 0) FASTPIPE_RETURN_IF_ERROR(entry_.check(attrs_, y));
    entry_.loop(x.raw(), step_x, y.raw(), step_y, out->Allocate(entry_.result, dims), count);
    return Status::Ok();
  }

  Status RunBroadcast(Inputs in, Output* out) const {
    FASTPIPE_ASSIGN(const std::vector<int64_t> dims, BroadcastDims(attrs_.owner(), in));
    if (entry_.check && NumElements(dims) > 0) {
      FASTPIPE_RETURN_IF_ERROR(entry_.check(attrs_, *in[1]));
    }
    uint8_t* to = out->Allocate(entry_.result, dims);
    const uint8_t* x = in[0]->raw();
    const uint8_t* y = in[1]->raw();
    const int64_t out_size = static_cast<int64_t>(DTypeSize(entry_.result));
    BroadcastLoop(dims, {in[0]->dims(), in[1]->dims()})
        .Run({}, [&](const auto& offsets, const auto& steps, int64_t count) {
          entry_.loop(x + offsets[0] * size_, steps[0], y + offsets[1] * size_, steps[1], to,
                      count);
          to += count * out_size;
        });
    return Status::Ok();
  }

  const Args attrs_;
  const BinaryEntry entry_;
  const int64_t size_;  // bytes of one input value
};

}  // namespace

Result<KernelPlan> PlanBinary(const Args& attrs, Specs inputs,
                              const DTypeTable<BinaryEntry>& table) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectOneDType(attrs, inputs));
  FASTPIPE_ASSIGN(const BinaryEntry entry, FindOrError(table, attrs, inputs, 0));
  FASTPIPE_ASSIGN(TensorSpec spec, BroadcastSpecs(attrs, inputs, entry.result));
  return KernelPlan{{std::move(spec)},
                    std::make_shared<const BinaryKernel>(attrs, entry, DTypeSize(inputs[0].dtype))};
}

Result<KernelPlan> PlanUnary(const Args& attrs, Specs inputs, const DTypeTable<UnaryEntry>& table) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const UnaryEntry entry, FindOrError(table, attrs, inputs, 0));
  TensorSpec spec = inputs[0];
  spec.dtype = entry.result;
  return KernelPlan{{std::move(spec)}, KernelFrom([entry](KernelContext*, Inputs in, Outputs out) {
                      const Tensor& x = *in[0];
                      uint8_t* to = out[0].Allocate(entry.result, x.dims());
                      entry.loop(x.raw(), to, x.num_elements());
                      return Status::Ok();
                    })};
}

}  // namespace fastpipe
