// convert_image_dtype(images): integers to float32, or float32 to the integers of `dtype`, scaled:
// integers span 0 to their maximum, floats 0 to 1. Attribute saturate: what does not fit becomes
// the nearest that does, instead of wrapping around.

#include "core/registry.h"
#include "kernels/image_floats.h"

namespace fastpipe {
namespace {

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
      KernelFrom([to, to_floats, codec, store](KernelContext*, Inputs in, Outputs out) {
        uint8_t* result = out[0].Allocate(to, in[0]->dims());
        if (to_floats) {
          codec.load(in[0]->raw(), reinterpret_cast<float*>(result), in[0]->num_elements());
        } else {
          store(in[0]->data<float>(), result, in[0]->num_elements());
        }
        return Status::Ok();
      })};
}

FASTPIPE_KERNEL("convert_image_dtype", PlanConvertImageDtype);

}  // namespace
}  // namespace fastpipe
