// crop_and_resize(images, boxes, box_indices): rectangles of images, each at the size `size`, an
// IntegersArgument height, width.
//
// images [batch, height, width, channels] of numbers; boxes [count, 4], float32: y1, x1, y2, x2,
// where 0 is the first row or column and 1 the last one; a box may be upside down or lie outside of
// the image, where results are the attribute extrapolation_value. box_indices [count]: which image,
// int32 or int64. Attribute method: "bilinear" or "nearest". float32 out.

#include <algorithm>
#include <cmath>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/choice.h"
#include "kernels/dispatch.h"
#include "kernels/image_batch.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

enum class Method { kBilinear, kNearest };
constexpr Choice<Method> kMethods[] = {{"bilinear", Method::kBilinear},
                                       {"nearest", Method::kNearest}};

struct CropPlan {
  Args attrs;
  IntegersArgument size;
  Method method = Method::kBilinear;
  float outside = 0;
};

// Where a row or a column of the result comes from: between two of the image.
struct Place {
  bool inside = false;
  int64_t before = 0;
  int64_t after = 0;
  float share = 0;  // of `after`
};

// In float32, operation by operation as TensorFlow computes it: which pixel is nearest, and whether
// a place is still inside, depends on it.
std::vector<Place> PlacesOf(float from, float to, int64_t size, int64_t count, Method method) {
  const auto last = static_cast<float>(size - 1);
  const float step = count > 1 ? (to - from) * last / static_cast<float>(count - 1) : 0.0f;
  std::vector<Place> places(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const float at = count > 1 ? from * last + static_cast<float>(i) * step
                               : static_cast<float>(0.5 * static_cast<double>(from + to) *
                                                    static_cast<double>(size - 1));
    if (!(at >= 0 && at <= last)) continue;
    Place& place = places[static_cast<size_t>(i)];
    place.inside = true;
    if (method == Method::kNearest) {
      place.before = static_cast<int64_t>(std::round(at));
    } else {
      place.before = static_cast<int64_t>(std::floor(at));
      place.after = static_cast<int64_t>(std::ceil(at));
      place.share = at - std::floor(at);
    }
  }
  return places;
}

template <typename T>
void Blend(const T* top, const T* bottom, const Place& y, const Place& x, int64_t channels,
           float* to) {
  const auto value = [](T pixel) { return static_cast<float>(ToWide(pixel)); };
  const T* corners[4] = {top + x.before * channels, top + x.after * channels,
                         bottom + x.before * channels, bottom + x.after * channels};
  for (int64_t c = 0; c < channels; ++c) {
    const float left = value(corners[0][c]), left_below = value(corners[2][c]);
    const float above = left + (value(corners[1][c]) - left) * x.share;
    const float below = left_below + (value(corners[3][c]) - left_below) * x.share;
    to[c] = above + (below - above) * y.share;
  }
}

using CropImage = void (*)(const CropPlan& plan, const void* image, const ImageBatch& in,
                           const std::vector<Place>& rows, const std::vector<Place>& columns,
                           float* to);

template <typename T>
void Crop(const CropPlan& plan, const void* image, const ImageBatch& in,
          const std::vector<Place>& rows, const std::vector<Place>& columns, float* to) {
  const T* pixels = static_cast<const T*>(image);
  const int64_t row_size = in.width * in.channels;
  for (const Place& y : rows) {
    const T* top = pixels + y.before * row_size;
    const T* bottom = pixels + y.after * row_size;
    for (const Place& x : columns) {
      if (!y.inside || !x.inside) {
        std::fill_n(to, in.channels, plan.outside);
      } else if (plan.method == Method::kBilinear) {
        Blend(top, bottom, y, x, in.channels, to);
      } else {
        std::transform(top + x.before * in.channels, top + (x.before + 1) * in.channels, to,
                       [](T pixel) { return static_cast<float>(ToWide(pixel)); });
      }
      to += in.channels;
    }
  }
}

constexpr auto kCrops = TableOf<NumberTypes>([]<typename T>() -> CropImage { return Crop<T>; });

// ---- checks, of what is known while planning and again of what is there ----

Status CheckSize(const Args& attrs, const std::vector<int64_t>& size) {
  if (size.size() == 2 && size[0] > 0 && size[1] > 0) return Status::Ok();
  return attrs.Error(
      StrCat("crop_size must be a positive height and width, got ", ShapeString(size)));
}

bool Fits(int64_t size, int64_t expected) { return size < 0 || expected < 0 || size == expected; }

Status CheckShapes(const Args& attrs, const TensorSpec& images, const TensorSpec& boxes,
                   const TensorSpec& indices) {
  if (images.known_rank) {
    if (images.rank() != 4 || images.dims[1] == 0 || images.dims[2] == 0) {
      return attrs.Error(
          StrCat("takes a batch of images [batch, height, width, channels] with at least a pixel, "
                 "got ",
                 images.ToString()));
    }
  }
  if (boxes.known_rank && (boxes.rank() != 2 || !Fits(boxes.dims[1], 4))) {
    return attrs.Error(StrCat("boxes must be [count, 4], got ", boxes.ToString()));
  }
  if (!indices.known_rank) return Status::Ok();
  if (indices.rank() == 1 && (!boxes.known_rank || Fits(indices.dims[0], boxes.dims[0]))) {
    return Status::Ok();
  }
  return attrs.Error(StrCat("box_indices must be one for each of the boxes ", boxes.ToString(),
                            ", got ", indices.ToString()));
}

Status CheckValues(const Args& attrs, const Tensor& boxes, const std::vector<int64_t>& indices,
                   int64_t images) {
  for (int64_t i = 0; i < boxes.num_elements(); ++i) {
    if (std::isfinite(boxes.data<float>()[i])) continue;
    return attrs.Error(
        StrCat("boxes must be finite, got ", boxes.data<float>()[i], " in box ", i / 4));
  }
  for (const int64_t index : indices) {
    if (index >= 0 && index < images) continue;
    return OutOfRange(StrCat(attrs.owner(), ": box_indices must be from 0 to below ", images,
                             ", the number of images, got ", index));
  }
  return Status::Ok();
}

Status Run(const CropPlan& plan, CropImage crop, Inputs inputs, Output* output) {
  const Tensor &images = *inputs[0], &boxes = *inputs[1];
  FASTPIPE_RETURN_IF_ERROR(CheckShapes(plan.attrs, TensorSpec::Of(images), TensorSpec::Of(boxes),
                                       TensorSpec::Of(*inputs[2])));
  const std::vector<int64_t> size = plan.size.Get(inputs);
  FASTPIPE_RETURN_IF_ERROR(CheckSize(plan.attrs, size));
  FASTPIPE_ASSIGN(const ImageBatch in, ImageBatchOf(plan.attrs, images));
  const std::vector<int64_t> indices = IntegersOf(*inputs[2]);
  FASTPIPE_RETURN_IF_ERROR(CheckValues(plan.attrs, boxes, indices, in.count));
  const std::vector<int64_t> dims = {boxes.dim(0), size[0], size[1], in.channels};
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(plan.attrs.owner(), dims));
  float* to = output->Allocate<float>(dims);
  const float* box = boxes.data<float>();
  const int64_t image_size = in.height * in.width * in.channels;
  for (const int64_t index : indices) {
    const uint8_t* image =
        images.raw() + index * image_size * static_cast<int64_t>(DTypeSize(images.dtype()));
    crop(plan, image, in, PlacesOf(box[0], box[2], in.height, size[0], plan.method),
         PlacesOf(box[1], box[3], in.width, size[1], plan.method), to);
    box += 4;
    to += size[0] * size[1] * in.channels;
  }
  return Status::Ok();
}

Result<KernelPlan> PlanCropAndResize(const Args& attrs, Specs inputs) {
  if (inputs.size() < 3) {
    return attrs.Error(
        StrCat("takes images, boxes and box_indices, got ", inputs.size(), " tensors"));
  }
  FASTPIPE_ASSIGN(const CropImage crop, FindOrError(kCrops, attrs, inputs, 0));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 1, DType::kFloat32));
  if (inputs[2].dtype != DType::kInt64) {
    FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 2, DType::kInt32));
  }
  FASTPIPE_RETURN_IF_ERROR(CheckShapes(attrs, inputs[0], inputs[1], inputs[2]));
  CropPlan plan{.attrs = attrs, .size = {}};
  size_t next = 3;
  FASTPIPE_ASSIGN(plan.size, IntegersArgument::Read(attrs, "size", inputs, &next));
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, next));
  FASTPIPE_ASSIGN(plan.method, ReadChoice(attrs, "method", kMethods));
  FASTPIPE_ASSIGN(const double outside, attrs.DoubleOr("extrapolation_value", 0));
  plan.outside = static_cast<float>(outside);
  const std::vector<int64_t> size =
      plan.size.size() ? plan.size.Known() : std::vector<int64_t>{-1, -1};
  if (plan.size.IsStatic() || size.size() != 2) {
    FASTPIPE_RETURN_IF_ERROR(CheckSize(attrs, size));
  }
  const int64_t boxes = inputs[1].known_rank ? inputs[1].dims[0] : -1;
  const int64_t count = boxes < 0 && inputs[2].known_rank ? inputs[2].dims[0] : boxes;
  const int64_t channels = inputs[0].known_rank ? inputs[0].dims[3] : -1;
  return KernelPlan{{TensorSpec::Of(DType::kFloat32, {count, size[0], size[1], channels})},
                    KernelFrom([plan, crop](KernelContext*, Inputs in, Outputs out) {
                      return Run(plan, crop, in, &out[0]);
                    })};
}

FASTPIPE_KERNEL("crop_and_resize", PlanCropAndResize);

}  // namespace
}  // namespace fastpipe
