// adjust_contrast(images, factor): every value becomes (value - mean) * factor + mean, with the
// mean of its channel in its image.
//
// Images [..., height, width, channels] of any number dtype; values count as convert_image_dtype
// scales them, and results saturate. `factor` is a float32 scalar.

#include "core/registry.h"
#include "kernels/image_floats.h"

namespace fastpipe {
namespace {

// The means of the channels, repeated to the length of a block.
void ChannelMeans(const FloatCodec& codec, const uint8_t* image, int64_t count, int64_t channels,
                  std::vector<float>* means) {
  // So many floats are added up before the sum loses bits that matter.
  constexpr int kBlocks = 64;
  std::vector<float> sums(means->size());
  std::vector<double> totals(static_cast<size_t>(channels));
  int blocks = 0;
  const auto fold = [&] {
    for (size_t i = 0; i < sums.size(); ++i) {
      totals[i % totals.size()] += static_cast<double>(sums[i]);
    }
    std::fill(sums.begin(), sums.end(), 0.0f);
    blocks = 0;
  };
  ReadFloats(codec, image, count, channels, [&](const float* values, int64_t some) {
    for (int64_t i = 0; i < some; ++i) sums[static_cast<size_t>(i)] += values[i];
    if (++blocks == kBlocks) fold();
  });
  fold();
  const auto pixels = static_cast<double>(count / channels);
  for (size_t i = 0; i < means->size(); ++i) {
    (*means)[i] = static_cast<float>(totals[i % totals.size()] / pixels);
  }
}

void AdjustContrast(const FloatCodec& codec, const Tensor& images, float factor, uint8_t* to) {
  const Dims dims = images.dims();
  const int64_t channels = dims.back();
  const int64_t size = NumElements(dims.last(3));
  const int64_t bytes = size * static_cast<int64_t>(codec.bytes);
  std::vector<float> means(static_cast<size_t>(std::min(size, FloatBlock(channels))));
  const uint8_t* from = images.raw();
  for (int64_t i = NumElements(dims.first(dims.size() - 3)); i > 0; --i) {
    ChannelMeans(codec, from, size, channels, &means);
    ChangeFloats(codec, codec.store_saturated, from, size, channels, to,
                 [&](float* values, int64_t count) {
                   for (int64_t j = 0; j < count; ++j) {
                     const float mean = means[static_cast<size_t>(j)];
                     values[j] = (values[j] - mean) * factor + mean;
                   }
                 });
    from += bytes;
    to += bytes;
  }
}

Result<KernelPlan> PlanAdjustContrast(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectPixels(attrs, inputs[0], 3, 0));
  FASTPIPE_ASSIGN(const FloatCodec codec, FindOrError(FloatCodecs(), attrs, inputs, 0));
  FASTPIPE_RETURN_IF_ERROR(ExpectFactor(attrs, inputs, 1, "contrast_factor"));
  return KernelPlan{
      {inputs[0]}, KernelFrom([attrs, codec](KernelContext*, Inputs in, Outputs out) -> Status {
        FASTPIPE_RETURN_IF_ERROR(ExpectPixels(attrs, *in[0], 3, 0));
        FASTPIPE_ASSIGN(const float factor, FactorOf(attrs, *in[1], "contrast_factor"));
        uint8_t* to = out[0].Allocate(in[0]->dtype(), in[0]->dims());
        if (in[0]->num_elements() > 0) AdjustContrast(codec, *in[0], factor, to);
        return Status::Ok();
      })};
}

FASTPIPE_KERNEL("adjust_contrast", PlanAdjustContrast);

}  // namespace
}  // namespace fastpipe
