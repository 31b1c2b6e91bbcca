// convert_image_dtype(images): integers to float32, or float32 to the integers of `dtype`, scaled:
// integers span 0 to their maximum, floats 0 to 1. Attribute saturate: what does not fit becomes
// the nearest that does, instead of wrapping around.

#include "core/registry.h"
#include "kernels/elementwise.h"
#include "kernels/image_floats.h"

namespace fastpipe {
namespace {

class ConvertKernel final : public ElementwiseKernel {
 public:
  // Loads floats of another dtype, or with `store` stores them in one.
  ConvertKernel(DType to, LoadFloats load, StoreFloats store)
      : to_(to), load_(load), store_(store) {}
  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    Convert(in[0]->raw(), out[0].Allocate(to_, in[0]->dims()), in[0]->num_elements());
    return Status::Ok();
  }
  void RunBlock(std::span<const Operand> in, void* out, int64_t count) const override {
    Convert(in[0].data, out, count);
  }

 private:
  void Convert(const void* from, void* to, int64_t count) const {
    if (store_ == nullptr) {
      load_(from, static_cast<float*>(to), count);
    } else {
      store_(static_cast<const float*>(from), to, count);
    }
  }

  const DType to_;
  const LoadFloats load_;
  const StoreFloats store_;
};

Result<KernelPlan> PlanConvertImageDtype(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  const DType from = inputs[0].dtype;
  FASTPIPE_ASSIGN(const DType to, attrs.Dtype("dtype"));
  FASTPIPE_ASSIGN(const bool saturate, attrs.BoolOr("saturate", false));
  const bool to_floats = IsInteger(from) && to == DType::kFloat32;
  if (!to_floats && !(from == DType::kFloat32 && IsInteger(to))) {
    return attrs.Error(StrCat("converts between integers and float32, got ", DTypeName(from),
                              " and ", DTypeName(to)));
  }
  TensorSpec spec = inputs[0];
  spec.dtype = to;
  const FloatCodec codec = Find(FloatCodecs(), to_floats ? from : to);
  const StoreFloats store = saturate ? codec.store_saturated : codec.store;
  return KernelPlan{
      {std::move(spec)},
      std::make_shared<const ConvertKernel>(to, codec.load, to_floats ? nullptr : store)};
}

FASTPIPE_KERNEL("convert_image_dtype", PlanConvertImageDtype);

}  // namespace
}  // namespace fastpipe
