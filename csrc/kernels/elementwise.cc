#include "kernels/elementwise.h"

#include <algorithm>
#include <cstring>

#include "kernels/broadcast.h"

namespace fastpipe {
namespace {

bool SameDims(Dims a, Dims b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

// True if `part` is the end of `whole`: an operand that repeats as a whole.
bool IsSuffix(Dims part, Dims whole) {
  return part.size() < whole.size() && SameDims(part, whole.last(part.size()));
}

// The entry with the loop that this processor runs fastest.
template <typename Entry>
Entry Fastest(Entry entry) {
  if (entry.avx2_loop != nullptr && HasAvx2()) entry.loop = entry.avx2_loop;
  return entry;
}

class BinaryKernel final : public ElementwiseKernel {
 public:
  BinaryKernel(Args attrs, const BinaryEntry& entry, size_t size)
      : attrs_(std::move(attrs)), entry_(Fastest(entry)), size_(static_cast<int64_t>(size)) {}

  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    const Tensor& x = *in[0];
    const Tensor& y = *in[1];
    if (SameDims(x.dims(), y.dims())) return RunFlat(x, 1, y, 1, x.dims(), &out[0]);
    if (y.rank() == 0) return RunFlat(x, 1, y, 0, x.dims(), &out[0]);
    if (x.rank() == 0) return RunFlat(x, 0, y, 1, y.dims(), &out[0]);
    if (IsSuffix(y.dims(), x.dims())) return RunRepeating(x, y, false, &out[0]);
    if (IsSuffix(x.dims(), y.dims())) return RunRepeating(y, x, true, &out[0]);
    return RunBroadcast(in, &out[0]);
  }
  bool Infallible() const override { return entry_.check == nullptr; }
  void RunBlock(std::span<const Operand> in, void* out, int64_t count) const override {
    entry_.loop(in[0].data, in[0].step, in[1].data, in[1].step, out, count);
  }

 private:
  Status RunFlat(const Tensor& x, int64_t step_x, const Tensor& y, int64_t step_y, Dims dims,
                 Output* out) const {
    const int64_t count = NumElements(dims);
    if (entry_.check && count > 0) FASTPIPE_RETURN_IF_ERROR(entry_.check(attrs_, y));
    entry_.loop(x.raw(), step_x, y.raw(), step_y, out->Allocate(entry_.result, dims), count);
    return Status::Ok();
  }

  // `part` repeats along `whole`, like the means of three channels along an image. Copies of it
  // side by side make runs long enough to be vectorised.
  Status RunRepeating(const Tensor& whole, const Tensor& part, bool swap, Output* out) const {
    constexpr int64_t kRun = 512;
    const int64_t total = whole.num_elements();
    const int64_t length = part.num_elements();
    if (entry_.check && total > 0) {
      FASTPIPE_RETURN_IF_ERROR(entry_.check(attrs_, swap ? whole : part));
    }
    uint8_t* to = out->Allocate(entry_.result, whole.dims());
    if (total == 0) return Status::Ok();
    const int64_t copies = std::min((kRun + length - 1) / length, total / length);
    const size_t bytes = static_cast<size_t>(length * size_);
    std::vector<uint8_t> run(copies > 1 ? bytes * static_cast<size_t>(copies) : 0);
    for (size_t at = 0; at < run.size(); at += bytes) std::memcpy(&run[at], part.raw(), bytes);
    const uint8_t* repeated = copies > 1 ? run.data() : part.raw();
    const int64_t out_size = static_cast<int64_t>(DTypeSize(entry_.result));
    for (int64_t done = 0; done < total; done += copies * length) {
      const int64_t count = std::min(copies * length, total - done);
      const uint8_t* from = whole.raw() + done * size_;
      entry_.loop(swap ? repeated : from, 1, swap ? from : repeated, 1, to + done * out_size,
                  count);
    }
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

class UnaryKernel final : public ElementwiseKernel {
 public:
  explicit UnaryKernel(const UnaryEntry& entry) : entry_(Fastest(entry)) {}
  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    const Tensor& x = *in[0];
    uint8_t* to = out[0].Allocate(entry_.result, x.dims());
    entry_.loop(x.raw(), to, x.num_elements());
    return Status::Ok();
  }
  void RunBlock(std::span<const Operand> in, void* out, int64_t count) const override {
    entry_.loop(in[0].data, out, count);
  }

 private:
  const UnaryEntry entry_;
};

}  // namespace

bool HasAvx2() {
#if defined(__x86_64__) && defined(__GNUC__)
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

std::shared_ptr<const Kernel> MakeUnary(const UnaryEntry& entry) {
  return std::make_shared<const UnaryKernel>(entry);
}

Result<KernelPlan> PlanBinary(const Args& attrs, Specs inputs,
                              const DTypeTable<BinaryEntry>& table) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectOneDType(attrs, inputs));
  FASTPIPE_ASSIGN(const BinaryEntry entry, FindOrError(table, attrs, inputs, 0));
  FASTPIPE_ASSIGN(TensorSpec spec, BroadcastSpecs(attrs, inputs, entry.result));
  return KernelPlan{
      .outputs = {std::move(spec)},
      .kernel = std::make_shared<const BinaryKernel>(attrs, entry, DTypeSize(inputs[0].dtype)),
      .elementwise = true,
      .deciding_input = entry.check ? 1 : -1};
}

Result<KernelPlan> PlanUnary(const Args& attrs, Specs inputs, const DTypeTable<UnaryEntry>& table) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const UnaryEntry entry, FindOrError(table, attrs, inputs, 0));
  TensorSpec spec = inputs[0];
  spec.dtype = entry.result;
  return KernelPlan{.outputs = {std::move(spec)}, .kernel = MakeUnary(entry), .elementwise = true};
}

}  // namespace fastpipe
