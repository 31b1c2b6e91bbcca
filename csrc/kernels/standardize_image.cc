// standardize_image(images): each image less its mean, divided by its standard deviation or by
// 1 / sqrt(number of its values), whichever is greater. Images [..., height, width, channels] of
// any number dtype or bool, not scaled; float32 out.

#include <cmath>

#include "core/registry.h"
#include "kernels/dispatch.h"
#include "kernels/image_floats.h"

namespace fastpipe {
namespace {

using Widen = void (*)(const void* from, float* to, int64_t count);

template <typename T>
void WidenAll(const void* from, float* to, int64_t count) {
  const T* values = static_cast<const T*>(from);
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(ToWide(values[i]));
}

constexpr auto kWidens = TableOf<FixedSizeTypes>([]<typename T>() -> Widen { return WidenAll<T>; });

// The sum of term(value) over all values.
template <typename Term>
double SumOf(const float* values, int64_t count, Term term) {
  // Several sums at once do not wait for each other.
  double sums[4] = {};
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (int lane = 0; lane < 4; ++lane) sums[lane] += term(static_cast<double>(values[i + lane]));
  }
  for (; i < count; ++i) sums[0] += term(static_cast<double>(values[i]));
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

void Standardize(float* values, int64_t count) {
  const auto size = static_cast<double>(count);
  const double mean = SumOf(values, count, [](double value) { return value; }) / size;
  const double variance =
      SumOf(values, count, [mean](double value) { return (value - mean) * (value - mean); }) / size;
  const double scale = 1 / std::max(std::sqrt(variance), 1 / std::sqrt(size));
  // In double: the mean of large values has digits that float32 has not.
  for (int64_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>((static_cast<double>(values[i]) - mean) * scale);
  }
}

// Images with no pixel or no channel have no mean.
Status ExpectValues(const Args& attrs, Dims dims) {
  const Dims image = dims.last(3);
  if (std::find(image.begin(), image.end(), 0) == image.end()) return Status::Ok();
  return attrs.Error(StrCat("cannot standardize empty images of shape ", ShapeString(dims)));
}

Result<KernelPlan> PlanStandardizeImage(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectPixels(attrs, inputs[0], 3, 0));
  if (inputs[0].known_rank) FASTPIPE_RETURN_IF_ERROR(ExpectValues(attrs, inputs[0].dims));
  FASTPIPE_ASSIGN(const Widen widen, FindOrError(kWidens, attrs, inputs, 0));
  TensorSpec spec = inputs[0];
  spec.dtype = DType::kFloat32;
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, widen](KernelContext*, Inputs in, Outputs out) -> Status {
                      const Tensor& images = *in[0];
                      FASTPIPE_RETURN_IF_ERROR(ExpectPixels(attrs, images, 3, 0));
                      FASTPIPE_RETURN_IF_ERROR(ExpectValues(attrs, images.dims()));
                      float* to = out[0].Allocate<float>(images.dims());
                      widen(images.raw(), to, images.num_elements());
                      const int64_t size = NumElements(images.dims().last(3));
                      const float* end = to + images.num_elements();
                      for (; to < end; to += size) Standardize(to, size);
                      return Status::Ok();
                    })};
}

FASTPIPE_KERNEL("standardize_image", PlanStandardizeImage);

}  // namespace
}  // namespace fastpipe
