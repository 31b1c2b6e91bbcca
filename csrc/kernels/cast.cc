// cast(x): every value in dtype `dtype`, any fixed-size dtype to any other.
// kernels/convert.h says what becomes of a value.

#include "core/registry.h"
#include "kernels/convert.h"

namespace fastpipe {
namespace {

using CastLoop = void (*)(const void* from, void* to, int64_t count);

template <typename From, typename To>
void RunCast(const void* from, void* to, int64_t count) {
  const From* source = static_cast<const From*>(from);
  To* target = static_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i) target[i] = Convert<To>(source[i]);
}

constexpr auto kCasts = TableOf<FixedSizeTypes>([]<typename From>() {
  return TableOf<FixedSizeTypes>([]<typename To>() -> CastLoop { return RunCast<From, To>; });
});

Result<KernelPlan> PlanCast(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const DType dtype, attrs.Dtype("dtype"));
  TensorSpec spec = inputs[0];
  spec.dtype = dtype;
  if (dtype == inputs[0].dtype) {
    return KernelPlan{.outputs = {std::move(spec)},
                      .kernel = KernelFrom([](KernelContext*, Inputs in, Outputs out) {
                        out[0].Set(*in[0]);
                        return Status::Ok();
                      }),
                      .elementwise = true};
  }
  const CastLoop loop = Find(Find(kCasts, inputs[0].dtype), dtype);
  if (loop == nullptr) {
    return Unimplemented(StrCat("cast: there is no cast from ", inputs[0].ToString(), " to ",
                                DTypeName(dtype),
                                ": strings become numbers by strings.to_number or io.decode_raw, "
                                "numbers become strings by strings.as_string"));
  }
  return KernelPlan{.outputs = {std::move(spec)},
                    .kernel = KernelFrom([loop, dtype](KernelContext*, Inputs in, Outputs out) {
                      uint8_t* to = out[0].Allocate(dtype, in[0]->dims());
                      loop(in[0]->raw(), to, in[0]->num_elements());
                      return Status::Ok();
                    }),
                    .elementwise = true};
}

FASTPIPE_KERNEL("cast", PlanCast);

}  // namespace
}  // namespace fastpipe
