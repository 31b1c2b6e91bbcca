// resize(images): images at another size, as float32; method "nearest" keeps the dtype. `size` is
// an IntegersArgument height, width.
//
// Attributes: method ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian",
// "mitchellcubic"), antialias, and fit: "stretch" to the size; "within" it, keeping the
// proportions; or "pad": within it, with zeros around to fill it.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "codec/resample.h"
#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/dispatch.h"
#include "kernels/image_batch.h"
#include "kernels/image_resize.h"
#include "kernels/integers_argument.h"
#include "kernels/resize_choices.h"

namespace fastpipe {
namespace {

enum class Fit { kStretch, kWithin, kPad };

constexpr Choice<Fit> kFits[] = {
    {"stretch", Fit::kStretch}, {"within", Fit::kWithin}, {"pad", Fit::kPad}};

// Where the resized image lies in the result.
struct Placement {
  int64_t height = 0, width = 0;          // of the resized image
  int64_t out_height = 0, out_width = 0;  // of the result
  int64_t top = 0, left = 0;

  bool fills() const { return height == out_height && width == out_width; }
};

// In float32, operation by operation as TensorFlow computes it: the last pixel depends on it.
Placement PlaceWithin(const ImageBatch& in, int64_t height, int64_t width) {
  const float in_height = static_cast<float>(in.height), in_width = static_cast<float>(in.width);
  const float scale =
      std::min(static_cast<float>(height) / in_height, static_cast<float>(width) / in_width);
  const auto fitted_height = static_cast<int64_t>(std::nearbyint(scale * in_height));
  const auto fitted_width = static_cast<int64_t>(std::nearbyint(scale * in_width));
  return {fitted_height, fitted_width, fitted_height, fitted_width, 0, 0};
}

Placement PlacePadded(const ImageBatch& in, int64_t height, int64_t width) {
  const float in_height = static_cast<float>(in.height), in_width = static_cast<float>(in.width);
  const float ratio =
      std::max(in_width / static_cast<float>(width), in_height / static_cast<float>(height));
  const float fitted_height = in_height / ratio, fitted_width = in_width / ratio;
  const auto margin = [](int64_t whole, float part) {
    const float half = (static_cast<float>(whole) - part) / 2;
    return std::max<int64_t>(0, static_cast<int64_t>(std::floor(half)));
  };
  return {static_cast<int64_t>(fitted_height), static_cast<int64_t>(fitted_width), height, width,
          margin(height, fitted_height),       margin(width, fitted_width)};
}

// REQUIRES: positive sizes.
Placement Place(Fit fit, const ImageBatch& in, int64_t height, int64_t width) {
  if (fit == Fit::kWithin) return PlaceWithin(in, height, width);
  if (fit == Fit::kPad) return PlacePadded(in, height, width);
  return {height, width, height, width, 0, 0};
}

// ---- pixels ----

using Widen = void (*)(const void* from, float* to, int64_t count);

template <typename T>
void WidenAll(const void* from, float* to, int64_t count) {
  const T* values = static_cast<const T*>(from);
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(ToWide(values[i]));
}

constexpr auto kWidens = TableOf<NumberTypes>([]<typename T>() -> Widen { return WidenAll<T>; });

struct ResizePlan {
  Args attrs;
  IntegersArgument size;
  ResizeMethod method = ResizeMethod::kBilinear;
  bool antialias = false;
  Fit fit = Fit::kStretch;
  DType out_dtype = DType::kFloat32;
};

template <typename T>
Status ResizeImages(const ResizePlan& plan, const T* from, const ImageBatch& in,
                    const Placement& place, float* to) {
  const ImageShape shape = {in.height, in.width, in.channels};
  for (int64_t i = 0; i < in.count; ++i) {
    FASTPIPE_RETURN_IF_ERROR(
        ResizeToFloat(from, shape, place.height, place.width, plan.method, plan.antialias, to));
    from += in.height * in.width * in.channels;
    to += place.height * place.width * in.channels;
  }
  return Status::Ok();
}

Status ResizeNearestImages(const Tensor& images, const ImageBatch& in, const Placement& place,
                           uint8_t* to) {
  const int64_t pixel = in.channels * static_cast<int64_t>(DTypeSize(images.dtype()));
  const uint8_t* from = images.raw();
  for (int64_t i = 0; i < in.count; ++i) {
    FASTPIPE_RETURN_IF_ERROR(
        ResizeNearest(from, in.height, in.width, place.height, place.width, pixel, to));
    from += in.height * in.width * pixel;
    to += place.height * place.width * pixel;
  }
  return Status::Ok();
}

// The resized images, place.height x place.width, to `to`.
Status ResizeTo(const ResizePlan& plan, const Tensor& images, const ImageBatch& in,
                const Placement& place, uint8_t* to) {
  if (plan.method == ResizeMethod::kNearest) return ResizeNearestImages(images, in, place, to);
  float* floats = reinterpret_cast<float*>(to);
  if (images.dtype() == DType::kUint8) {
    return ResizeImages(plan, images.data<uint8_t>(), in, place, floats);
  }
  if (images.dtype() == DType::kFloat32) {
    return ResizeImages(plan, images.data<float>(), in, place, floats);
  }
  Tensor wide = Tensor::Allocate(DType::kFloat32, images.dims());
  Find(kWidens, images.dtype())(images.raw(), wide.mutable_data<float>(), images.num_elements());
  return ResizeImages(plan, wide.data<float>(), in, place, floats);
}

// Copies resized images into the middle of larger ones of zeros.
void Surround(const Tensor& resized, const ImageBatch& in, const Placement& place, uint8_t* to) {
  const size_t pixel = static_cast<size_t>(in.channels) * DTypeSize(resized.dtype());
  const size_t row = static_cast<size_t>(place.width) * pixel;
  const size_t out_row = static_cast<size_t>(place.out_width) * pixel;
  const size_t out_image = static_cast<size_t>(place.out_height) * out_row;
  const uint8_t* from = resized.raw();
  std::memset(to, 0, static_cast<size_t>(in.count) * out_image);
  for (int64_t i = 0; i < in.count; ++i, to += out_image) {
    uint8_t* at =
        to + static_cast<size_t>(place.top) * out_row + static_cast<size_t>(place.left) * pixel;
    for (int64_t y = 0; y < place.height; ++y, at += out_row, from += row) {
      std::memcpy(at, from, row);
    }
  }
}

Status CheckAsked(const Args& attrs, const std::vector<int64_t>& size) {
  if (size.size() != 2) {
    return attrs.Error(
        StrCat("size must be two integers (height, width), got ", size.size(), " of them"));
  }
  if (std::min(size[0], size[1]) > 0 && std::max(size[0], size[1]) <= INT32_MAX) {
    return Status::Ok();
  }
  return attrs.Error(StrCat("size must be a height and a width from 1 to ", INT32_MAX, ", got [",
                            size[0], ", ", size[1], "]"));
}

// Where images go that are not empty, neither before nor after.
Result<Placement> PlaceOrError(const ResizePlan& plan, const ImageBatch& in,
                               const std::vector<int64_t>& size) {
  FASTPIPE_RETURN_IF_ERROR(CheckAsked(plan.attrs, size));
  const std::vector<int64_t> dims = in.Resized(in.height, in.width);
  if (std::min({in.height, in.width, in.channels}) <= 0) {
    return plan.attrs.Error(StrCat("cannot resize empty images of shape ", ShapeString(dims)));
  }
  const Placement place = Place(plan.fit, in, size[0], size[1]);
  if (std::min(place.height, place.width) > 0) return place;
  return plan.attrs.Error(StrCat("images of shape ", ShapeString(dims), " would become ",
                                 place.height, " x ", place.width, " to fit into ", size[0], " x ",
                                 size[1]));
}

Status RunResize(const ResizePlan& plan, Inputs inputs, Output* output) {
  const Tensor& images = *inputs[0];
  FASTPIPE_ASSIGN(const ImageBatch in, ImageBatchOf(plan.attrs, images));
  FASTPIPE_ASSIGN(const Placement place, PlaceOrError(plan, in, plan.size.Get(inputs)));
  const std::vector<int64_t> dims = in.Resized(place.out_height, place.out_width);
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(plan.attrs.owner(), dims));
  if (place.fills()) {
    return ResizeTo(plan, images, in, place, output->Allocate(plan.out_dtype, dims));
  }
  Tensor resized = Tensor::Allocate(plan.out_dtype, in.Resized(place.height, place.width));
  FASTPIPE_RETURN_IF_ERROR(ResizeTo(plan, images, in, place, resized.mutable_raw()));
  Surround(resized, in, place, output->Allocate(plan.out_dtype, dims));
  return Status::Ok();
}

// The height and width of the result; -1 where unknown.
Result<std::pair<int64_t, int64_t>> PlannedSize(const ResizePlan& plan, const TensorSpec& images) {
  constexpr std::pair<int64_t, int64_t> kUnknown = {-1, -1};
  if (!plan.size.size()) return kUnknown;
  const std::vector<int64_t> size = plan.size.Known();
  if (plan.size.IsStatic() || size.size() != 2) {
    FASTPIPE_RETURN_IF_ERROR(CheckAsked(plan.attrs, size));
  }
  if (plan.fit != Fit::kWithin) return std::pair(size[0], size[1]);
  if (!plan.size.IsStatic() || !images.known_rank) return kUnknown;
  const ImageBatch in = ImageBatchOf(images);
  if (in.height <= 0 || in.width <= 0) return kUnknown;
  const Placement place = PlaceWithin(in, size[0], size[1]);
  return std::pair(place.out_height, place.out_width);
}

class ResizeImageKernel final : public ResizeKernel {
 public:
  explicit ResizeImageKernel(ResizePlan plan) : plan_(std::move(plan)) {}
  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    return RunResize(plan_, in, &out[0]);
  }
  std::optional<JpegResize> HowResized(Inputs in) const override {
    const std::vector<int64_t> size = plan_.size.Get(in);
    if (plan_.fit != Fit::kStretch || !CheckAsked(plan_.attrs, size).ok()) return std::nullopt;
    return JpegResize{
        .height = size[0], .width = size[1], .method = plan_.method, .antialias = plan_.antialias};
  }

 private:
  const ResizePlan plan_;
};

Result<KernelPlan> PlanResize(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectImages(attrs, inputs));
  FASTPIPE_RETURN_IF_ERROR(FindOrError(kWidens, attrs, inputs, 0).status());
  ResizePlan plan{.attrs = attrs, .size = {}};
  size_t next = 1;
  FASTPIPE_ASSIGN(plan.size, IntegersArgument::Read(attrs, "size", inputs, &next));
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, next));
  FASTPIPE_ASSIGN(plan.method, ReadChoice(attrs, "method", kResizeMethods));
  FASTPIPE_ASSIGN(plan.antialias, attrs.BoolOr("antialias", false));
  FASTPIPE_ASSIGN(plan.fit, ReadChoice(attrs, "fit", kFits));
  if (plan.method == ResizeMethod::kNearest) plan.out_dtype = inputs[0].dtype;
  FASTPIPE_ASSIGN(const auto size, PlannedSize(plan, inputs[0]));
  return KernelPlan{{ResizedSpec(inputs[0], plan.out_dtype, size.first, size.second)},
                    std::make_shared<const ResizeImageKernel>(std::move(plan))};
}

FASTPIPE_KERNEL("resize", PlanResize);

}  // namespace
}  // namespace fastpipe
