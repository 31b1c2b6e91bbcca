// adjust_brightness(images, delta): `delta` added to every value.
// adjust_gamma(images, gamma, gain): gain * value ** gamma.
//
// Values count as convert_image_dtype scales them; results saturate. Images of any number dtype and
// any shape; delta, gamma and gain are float32 scalars.

#include <cmath>

#include "core/registry.h"
#include "kernels/image_floats.h"

namespace fastpipe {
namespace {

// Computes change(float* values, int64_t count) on all values. Bytes have 256 values: many of them
// are looked up.
template <typename Change>
void ChangeValues(const FloatCodec& codec, const Tensor& images, Output* output, Change change) {
  const int64_t count = images.num_elements();
  uint8_t* to = output->Allocate(images.dtype(), images.dims());
  if (images.dtype() != DType::kUint8 || count <= 256) {
    ChangeFloats(codec, codec.store_saturated, images.raw(), count, 1, to, change);
    return;
  }
  uint8_t identity[256], changed[256];
  for (int i = 0; i < 256; ++i) identity[i] = static_cast<uint8_t>(i);
  ChangeFloats(codec, codec.store_saturated, identity, 256, 1, changed, change);
  const uint8_t* from = images.data<uint8_t>();
  for (int64_t i = 0; i < count; ++i) to[i] = changed[from[i]];
}

Result<KernelPlan> PlanBrightness(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_ASSIGN(const FloatCodec codec, FindOrError(FloatCodecs(), attrs, inputs, 0));
  FASTPIPE_RETURN_IF_ERROR(ExpectFactor(attrs, inputs, 1, "delta"));
  return KernelPlan{{inputs[0]},
                    KernelFrom([attrs, codec](KernelContext*, Inputs in, Outputs out) -> Status {
                      FASTPIPE_ASSIGN(const float delta, FactorOf(attrs, *in[1], "delta"));
                      ChangeValues(codec, *in[0], &out[0], [delta](float* values, int64_t count) {
                        for (int64_t i = 0; i < count; ++i) values[i] += delta;
                      });
                      return Status::Ok();
                    })};
}

Result<KernelPlan> PlanGamma(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 3));
  FASTPIPE_ASSIGN(const FloatCodec codec, FindOrError(FloatCodecs(), attrs, inputs, 0));
  FASTPIPE_RETURN_IF_ERROR(ExpectFactor(attrs, inputs, 1, "gamma"));
  FASTPIPE_RETURN_IF_ERROR(ExpectFactor(attrs, inputs, 2, "gain"));
  return KernelPlan{
      {inputs[0]}, KernelFrom([attrs, codec](KernelContext*, Inputs in, Outputs out) -> Status {
        FASTPIPE_ASSIGN(const float gamma, FactorOf(attrs, *in[1], "gamma"));
        FASTPIPE_ASSIGN(const float gain, FactorOf(attrs, *in[2], "gain"));
        if (!(gamma >= 0)) return attrs.Error(StrCat("gamma must be at least 0, got ", gamma));
        ChangeValues(codec, *in[0], &out[0], [gamma, gain](float* values, int64_t count) {
          for (int64_t i = 0; i < count; ++i) values[i] = gain * std::pow(values[i], gamma);
        });
        return Status::Ok();
      })};
}

FASTPIPE_KERNEL("adjust_brightness", PlanBrightness);
FASTPIPE_KERNEL("adjust_gamma", PlanGamma);

}  // namespace
}  // namespace fastpipe
