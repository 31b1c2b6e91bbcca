// cast(x): every value in dtype `dtype`, any fixed-size dtype to any other.
// kernels/convert.h says what becomes of a value.

#include <cstring>

#include "core/registry.h"
#include "kernels/convert.h"
#include "kernels/elementwise.h"

namespace fastpipe {
namespace {

template <typename From, typename To>
[[gnu::always_inline]] inline void CastBody(const void* from, void* to, int64_t count) {
  const From* source = static_cast<const From*>(from);
  To* target = static_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i) target[i] = Convert<To>(source[i]);
}

template <typename From, typename To>
void RunCast(const void* from, void* to, int64_t count) {
  CastBody<From, To>(from, to, count);
}

template <typename From, typename To>
FASTPIPE_TARGET_AVX2 void RunCastAvx2(const void* from, void* to, int64_t count) {
  CastBody<From, To>(from, to, count);
}

constexpr auto kCasts = TableOf<FixedSizeTypes>([]<typename From>() {
  return TableOf<FixedSizeTypes>([]<typename To>() {
    UnaryEntry entry = {RunCast<From, To>, DTypeOf<To>()};
    if constexpr (kGainsByAvx2<From, To>) entry.avx2_loop = RunCastAvx2<From, To>;
    return entry;
  });
});

// The same dtype.
class IdentityKernel final : public ElementwiseKernel {
 public:
  explicit IdentityKernel(DType dtype) : size_(DTypeSize(dtype)) {}
  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    out[0].Set(*in[0]);
    return Status::Ok();
  }
  bool Infallible() const override { return size_ > 0; }
  void RunBlock(std::span<const Operand> in, void* out, int64_t count) const override {
    std::memcpy(out, in[0].data, static_cast<size_t>(count) * size_);
  }

 private:
  const size_t size_;
};

Result<KernelPlan> PlanCast(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const DType dtype, attrs.Dtype("dtype"));
  TensorSpec spec = inputs[0];
  spec.dtype = dtype;
  if (dtype == inputs[0].dtype) {
    return KernelPlan{.outputs = {std::move(spec)},
                      .kernel = std::make_shared<const IdentityKernel>(dtype),
                      .elementwise = true};
  }
  const UnaryEntry entry = Find(Find(kCasts, inputs[0].dtype), dtype);
  if (entry.loop == nullptr) {
    return Unimplemented(StrCat("cast: there is no cast from ", inputs[0].ToString(), " to ",
                                DTypeName(dtype),
                                ": strings become numbers by strings.to_number or io.decode_raw, "
                                "numbers become strings by strings.as_string"));
  }
  return KernelPlan{.outputs = {std::move(spec)}, .kernel = MakeUnary(entry), .elementwise = true};
}

FASTPIPE_KERNEL("cast", PlanCast);

}  // namespace
}  // namespace fastpipe
