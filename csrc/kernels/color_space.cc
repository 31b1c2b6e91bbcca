// rgb_to_hsv(images), hsv_to_rgb(images): float pixels [..., 3] of any rank from 1 on, same dtype
// out. Hue, saturation and value span 0 to 1.
// mix_channels(images, matrix): float pixels [..., n] times a matrix [n, m] of the same dtype.
// rgb_to_grayscale(images): pixels [..., 3] of any number dtype to their luma [..., 1].
// grayscale_to_rgb(images): pixels [..., 1] of at least two axes, three times each.

#include <cmath>

#include "core/registry.h"
#include "kernels/image_floats.h"

namespace fastpipe {
namespace {

// `dims` with another number of channels.
std::vector<int64_t> WithChannels(Dims dims, int64_t channels) {
  std::vector<int64_t> changed(dims.begin(), dims.end());
  changed.back() = channels;
  return changed;
}

TensorSpec WithChannels(const TensorSpec& spec, int64_t channels) {
  if (!spec.known_rank) return spec;
  return TensorSpec::Of(spec.dtype, WithChannels(Dims(spec.dims), channels));
}

// ---- HSV ----

struct RgbToHsv {
  template <typename F>
  static void Apply(const F* rgb, F* hsv) {
    const F r = rgb[0], g = rgb[1], b = rgb[2];
    const F value = std::max(r, std::max(g, b));
    const F range = value - std::min(r, std::min(g, b));
    const F norm = F{1} / range / F{6};
    F hue = r == value   ? norm * (g - b)
            : g == value ? norm * (b - r) + F{2} / F{6}
                         : norm * (r - g) + F{4} / F{6};
    hue = range > 0 ? hue : F{0};
    hsv[0] = hue < 0 ? hue + F{1} : hue;
    hsv[1] = value > 0 ? range / value : F{0};
    hsv[2] = value;
  }
};

struct HsvToRgb {
  template <typename F>
  static void Apply(const F* hsv, F* rgb) {
    const auto clamped = [](F share) { return std::min(F{1}, std::max(F{0}, share)); };
    const F place = hsv[0] * F{6}, saturation = hsv[1], value = hsv[2];
    const F grey = F{1} - saturation;
    rgb[0] = (grey + saturation * clamped(std::abs(place - F{3}) - F{1})) * value;
    rgb[1] = (grey + saturation * clamped(F{2} - std::abs(place - F{2}))) * value;
    rgb[2] = (grey + saturation * clamped(F{2} - std::abs(place - F{4}))) * value;
  }
};

using ChangePixels = void (*)(const void* from, void* to, int64_t pixels);

template <typename Op, typename T>
void RunPixels(const void* from, void* to, int64_t pixels) {
  const T* values = static_cast<const T*>(from);
  T* results = static_cast<T*>(to);
  for (int64_t i = 0; i < pixels; ++i, values += 3, results += 3) {
    const Wide<T> in[3] = {ToWide(values[0]), ToWide(values[1]), ToWide(values[2])};
    Wide<T> out[3];
    Op::Apply(in, out);
    for (int c = 0; c < 3; ++c) results[c] = FromWide<T>(out[c]);
  }
}

template <typename Op>
Result<KernelPlan> PlanHsv(const Args& attrs, Specs inputs) {
  static constexpr auto kTable =
      TableOf<FloatTypes>([]<typename T>() -> ChangePixels { return RunPixels<Op, T>; });
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectPixels(attrs, inputs[0], 1, 3));
  FASTPIPE_ASSIGN(const ChangePixels change, FindOrError(kTable, attrs, inputs, 0));
  return KernelPlan{{WithChannels(inputs[0], 3)},
                    KernelFrom([attrs, change](KernelContext*, Inputs in, Outputs out) -> Status {
                      FASTPIPE_RETURN_IF_ERROR(ExpectPixels(attrs, *in[0], 1, 3));
                      change(in[0]->raw(), out[0].Allocate(in[0]->dtype(), in[0]->dims()),
                             in[0]->num_elements() / 3);
                      return Status::Ok();
                    })};
}

// ---- a matrix ----

using MixLoop = void (*)(const void* from, int64_t pixels, const Tensor& matrix, void* to);

template <typename T>
void Mix(const void* from, int64_t pixels, const Tensor& matrix, void* to) {
  const int64_t ins = matrix.dim(0), outs = matrix.dim(1);
  std::vector<Wide<T>> weights(static_cast<size_t>(ins * outs));
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = ToWide(matrix.data<T>()[i]);
  const T* values = static_cast<const T*>(from);
  T* results = static_cast<T*>(to);
  for (int64_t i = 0; i < pixels; ++i, values += ins, results += outs) {
    for (int64_t o = 0; o < outs; ++o) {
      Wide<T> sum = 0;
      for (int64_t c = 0; c < ins; ++c) {
        sum += ToWide(values[c]) * weights[static_cast<size_t>(c * outs + o)];
      }
      results[o] = FromWide<T>(sum);
    }
  }
}

constexpr auto kMixes = TableOf<FloatTypes>([]<typename T>() -> MixLoop { return Mix<T>; });

Result<KernelPlan> PlanMixChannels(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_ASSIGN(const MixLoop mix, FindOrError(kMixes, attrs, inputs, 0));
  FASTPIPE_RETURN_IF_ERROR(ExpectOneDType(attrs, inputs));
  if (!inputs[1].fully_known() || inputs[1].rank() != 2) {
    return attrs.Error(
        StrCat("matrix must be one of two axes of known size, got ", inputs[1].ToString()));
  }
  const int64_t ins = inputs[1].dims[0], outs = inputs[1].dims[1];
  FASTPIPE_RETURN_IF_ERROR(ExpectPixels(attrs, inputs[0], 1, ins));
  return KernelPlan{
      {WithChannels(inputs[0], outs)},
      KernelFrom([attrs, mix, ins, outs](KernelContext*, Inputs in, Outputs out) -> Status {
        const Tensor& images = *in[0];
        FASTPIPE_RETURN_IF_ERROR(ExpectPixels(attrs, images, 1, ins));
        uint8_t* to = out[0].Allocate(images.dtype(), WithChannels(images.dims(), outs));
        mix(images.raw(), NumElements(images.dims().first(images.dims().size() - 1)), *in[1], to);
        return Status::Ok();
      })};
}

// ---- grey ----

void ToGrey(const FloatCodec& codec, const Tensor& images, uint8_t* to) {
  std::vector<float> grey(static_cast<size_t>(FloatBlock(3) / 3));
  ReadFloats(codec, images.raw(), images.num_elements(), 3, [&](const float* rgb, int64_t count) {
    const int64_t pixels = count / 3;
    for (int64_t i = 0; i < pixels; ++i, rgb += 3) {
      grey[static_cast<size_t>(i)] = rgb[0] * 0.2989f + rgb[1] * 0.5870f + rgb[2] * 0.1140f;
    }
    codec.store(grey.data(), to, pixels);
    to += pixels * static_cast<int64_t>(codec.bytes);
  });
}

Result<KernelPlan> PlanRgbToGrayscale(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectPixels(attrs, inputs[0], 1, 3));
  FASTPIPE_ASSIGN(const FloatCodec codec, FindOrError(FloatCodecs(), attrs, inputs, 0));
  return KernelPlan{{WithChannels(inputs[0], 1)},
                    KernelFrom([attrs, codec](KernelContext*, Inputs in, Outputs out) -> Status {
                      FASTPIPE_RETURN_IF_ERROR(ExpectPixels(attrs, *in[0], 1, 3));
                      ToGrey(codec, *in[0],
                             out[0].Allocate(in[0]->dtype(), WithChannels(in[0]->dims(), 1)));
                      return Status::Ok();
                    })};
}

using RepeatLoop = void (*)(const void* from, void* to, int64_t count);

template <typename T>
void RepeatThrice(const void* from, void* to, int64_t count) {
  const T* values = static_cast<const T*>(from);
  T* results = static_cast<T*>(to);
  for (int64_t i = 0; i < count; ++i) {
    results[3 * i] = results[3 * i + 1] = results[3 * i + 2] = values[i];
  }
}

constexpr auto kRepeats =
    TableOf<FixedSizeTypes>([]<typename T>() -> RepeatLoop { return RepeatThrice<T>; });

Result<KernelPlan> PlanGrayscaleToRgb(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectPixels(attrs, inputs[0], 2, 1));
  FASTPIPE_ASSIGN(const RepeatLoop repeat, FindOrError(kRepeats, attrs, inputs, 0));
  return KernelPlan{{WithChannels(inputs[0], 3)},
                    KernelFrom([attrs, repeat](KernelContext*, Inputs in, Outputs out) -> Status {
                      FASTPIPE_RETURN_IF_ERROR(ExpectPixels(attrs, *in[0], 2, 1));
                      repeat(in[0]->raw(),
                             out[0].Allocate(in[0]->dtype(), WithChannels(in[0]->dims(), 3)),
                             in[0]->num_elements());
                      return Status::Ok();
                    })};
}

FASTPIPE_KERNEL("rgb_to_hsv", PlanHsv<RgbToHsv>);
FASTPIPE_KERNEL("hsv_to_rgb", PlanHsv<HsvToRgb>);
FASTPIPE_KERNEL("mix_channels", PlanMixChannels);
FASTPIPE_KERNEL("rgb_to_grayscale", PlanRgbToGrayscale);
FASTPIPE_KERNEL("grayscale_to_rgb", PlanGrayscaleToRgb);

}  // namespace
}  // namespace fastpipe
