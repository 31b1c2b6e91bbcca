// adjust_saturation(images, factor): the saturation, in HSV, times `factor`, at most 1.
// adjust_hue(images, delta): the hue turned by `delta` of the colour circle.
//
// Images [..., height, width, 3] of any number dtype; values count as convert_image_dtype scales
// them. `factor` and `delta` are float32 scalars. Without a branch on a pixel.

#include <cmath>

#include "core/registry.h"
#include "kernels/image_floats.h"

namespace fastpipe {
namespace {

using ChangePixels = void (*)(float strength, float* pixels, int64_t count);

// Saturation is range / value; hue and value stay if the distance of each channel from the value
// scales as the saturation does.
void AdjustSaturation(float factor, float* pixels, int64_t count) {
  for (float* pixel = pixels; pixel < pixels + count; pixel += 3) {
    const float value = std::max(pixel[0], std::max(pixel[1], pixel[2]));
    const float range = value - std::min(pixel[0], std::min(pixel[1], pixel[2]));
    const float saturation = value > 0 ? range / value : 0.0f;
    const float wanted = std::min(1.0f, std::max(0.0f, saturation * factor));
    const float scale = saturation > 0 ? wanted / saturation : 0.0f;
    for (int c = 0; c < 3; ++c) pixel[c] = value - (value - pixel[c]) * scale;
  }
}

// Hue as a place on a circle of 6, where red is 0, green 2 and blue 4.
float HueOf(float r, float g, float b, float value, float range) {
  const float norm = range > 0 ? 1.0f / range : 0.0f;
  const float from_red = (g - b) * norm;
  const float from_green = (b - r) * norm + 2.0f;
  const float from_blue = (r - g) * norm + 4.0f;
  return value == r ? from_red : value == g ? from_green : from_blue;
}

float Clamped(float share) { return std::min(1.0f, std::max(0.0f, share)); }

void AdjustHue(float delta, float* pixels, int64_t count) {
  constexpr float kCircle = 6.0f;
  const float turn = std::fmod(delta, 1.0f) * kCircle;
  for (float* pixel = pixels; pixel < pixels + count; pixel += 3) {
    const float r = pixel[0], g = pixel[1], b = pixel[2];
    const float value = std::max(r, std::max(g, b));
    const float least = std::min(r, std::min(g, b));
    const float range = value - least;
    float hue = HueOf(r, g, b, value, range) + turn;  // from -7 to below 11
    hue = hue < 0 ? hue + kCircle : hue;
    hue = hue < 0 ? hue + kCircle : hue;
    hue = hue >= kCircle ? hue - kCircle : hue;
    pixel[0] = least + range * Clamped(std::fabs(hue - 3.0f) - 1.0f);
    pixel[1] = least + range * Clamped(2.0f - std::fabs(hue - 2.0f));
    pixel[2] = least + range * Clamped(2.0f - std::fabs(hue - 4.0f));
  }
}

struct Adjustment {
  const char* strength;
  ChangePixels change;
};
constexpr Adjustment kSaturation = {"saturation_factor", AdjustSaturation};
constexpr Adjustment kHue = {"delta", AdjustHue};

template <const Adjustment& kAdjustment>
Result<KernelPlan> PlanAdjustment(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectPixels(attrs, inputs[0], 3, 3));
  FASTPIPE_ASSIGN(const FloatCodec codec, FindOrError(FloatCodecs(), attrs, inputs, 0));
  FASTPIPE_RETURN_IF_ERROR(ExpectFactor(attrs, inputs, 1, kAdjustment.strength));
  return KernelPlan{
      {inputs[0]}, KernelFrom([attrs, codec](KernelContext*, Inputs in, Outputs out) -> Status {
        const Tensor& images = *in[0];
        FASTPIPE_RETURN_IF_ERROR(ExpectPixels(attrs, images, 3, 3));
        FASTPIPE_ASSIGN(const float strength, FactorOf(attrs, *in[1], kAdjustment.strength));
        ChangeFloats(codec, codec.store, images.raw(), images.num_elements(), 3,
                     out[0].Allocate(images.dtype(), images.dims()),
                     [strength](float* pixels, int64_t count) {
                       kAdjustment.change(strength, pixels, count);
                     });
        return Status::Ok();
      })};
}

FASTPIPE_KERNEL("adjust_saturation", PlanAdjustment<kSaturation>);
FASTPIPE_KERNEL("adjust_hue", PlanAdjustment<kHue>);

}  // namespace
}  // namespace fastpipe
