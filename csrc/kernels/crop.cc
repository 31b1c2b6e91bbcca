// Kernels that take a rectangle of images, or place images in a larger rectangle of zeros.
//
// crop_image(images): `box` is an IntegersArgument y, x, height, width within the images.
// pad_image(images): `box` y, x, height, width: the images at (y, x) of that larger size.
// crop_or_pad_image(images): `size` height, width: cropped or padded around the centre.
// central_crop(images): the middle part of every axis; attribute central_fraction, in (0, 1].

#include "kernels/crop.h"

#include <algorithm>
#include <cstring>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/image_batch.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

// The box for an image of some size, from the integers that the kernel was given.
using LocateBox = Result<Box> (*)(const Args& attrs, const ImageBatch& in, Dims given);

std::string SizeText(const ImageBatch& in) { return StrCat(in.height, " x ", in.width); }

Result<Box> LocateCrop(const Args& attrs, const ImageBatch& in, Dims box) {
  const auto [y, x, height, width] = Box{box[0], box[1], box[2], box[3]};
  if (y < 0 || x < 0 || height <= 0 || width <= 0 || height > in.height - y ||
      width > in.width - x) {
    return attrs.Error(StrCat("the box [y=", y, ", x=", x, ", height=", height, ", width=", width,
                              "] must lie within the image of ", SizeText(in)));
  }
  return Box{y, x, height, width};
}

Result<Box> LocatePad(const Args& attrs, const ImageBatch& in, Dims box) {
  const auto [y, x, height, width] = Box{box[0], box[1], box[2], box[3]};
  if (y < 0 || x < 0 || height < in.height || width < in.width || y > height - in.height ||
      x > width - in.width) {
    return attrs.Error(StrCat("an image of ", SizeText(in), " at [y=", y, ", x=", x,
                              "] does not lie within ", height, " x ", width));
  }
  return Box{-y, -x, height, width};
}

Result<Box> LocateCropOrPad(const Args& attrs, const ImageBatch& in, Dims size) {
  if (size[0] <= 0 || size[1] <= 0) {
    return attrs.Error(
        StrCat("size must be a positive height and width, got [", size[0], ", ", size[1], "]"));
  }
  // Crops and pads half the difference, rounded down: C++ rounds the negative ones up.
  return Box{(in.height - size[0]) / 2, (in.width - size[1]) / 2, size[0], size[1]};
}

// The part of `box` that lies within the image, by the row.
void CopyImage(const uint8_t* from, const ImageBatch& in, const Box& box, int64_t pixel,
               uint8_t* to) {
  const int64_t left = std::clamp<int64_t>(-box.x, 0, box.width);
  const int64_t right = std::clamp<int64_t>(in.width - box.x, left, box.width);
  const auto row = static_cast<size_t>(box.width * pixel);
  const auto before = static_cast<size_t>(left * pixel);
  const auto inside = static_cast<size_t>((right - left) * pixel);
  for (int64_t y = box.y; y < box.y + box.height; ++y, to += row) {
    if (y < 0 || y >= in.height || inside == 0) {
      std::memset(to, 0, row);
      continue;
    }
    std::memset(to, 0, before);
    std::memcpy(to + before, from + (y * in.width + box.x + left) * pixel, inside);
    std::memset(to + before + inside, 0, row - before - inside);
  }
}

Status TakeBox(const Args& attrs, const Tensor& images, const ImageBatch& in, const Box& box,
               Output* output) {
  if (box.y == 0 && box.x == 0 && box.height == in.height && box.width == in.width) {
    output->Set(images);
    return Status::Ok();
  }
  const std::vector<int64_t> dims = in.Resized(box.height, box.width);
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), dims));
  uint8_t* to = output->Allocate(images.dtype(), dims);
  const int64_t pixel = in.channels * static_cast<int64_t>(DTypeSize(images.dtype()));
  for (int64_t i = 0; i < in.count; ++i, to += box.height * box.width * pixel) {
    CopyImage(images.raw() + i * in.height * in.width * pixel, in, box, pixel, to);
  }
  return Status::Ok();
}

// A kernel that takes a box which it locates with `locate`, from `count` integers in the argument
// `name`; the last two are the height and width of the box.
struct BoxPlan {
  const char* name;
  size_t count;
  LocateBox locate;
};
constexpr BoxPlan kCrop = {"box", 4, LocateCrop};
constexpr BoxPlan kPad = {"box", 4, LocatePad};
constexpr BoxPlan kCropOrPad = {"size", 2, LocateCropOrPad};

Result<Box> LocateChecked(const BoxPlan& plan, const Args& attrs, const ImageBatch& in,
                          Dims given) {
  if (given.size() == plan.count) return plan.locate(attrs, in, given);
  return attrs.Error(StrCat(plan.name, " must be ", plan.count, " integers, got ", given.size()));
}

// The spec of the result. What cannot work is said here, where the function is traced.
Result<TensorSpec> BoxSpec(const BoxPlan& plan, const Args& attrs, const TensorSpec& images,
                           const IntegersArgument& given) {
  if (!given.size()) return ResizedSpec(images, images.dtype, -1, -1);
  const std::vector<int64_t> known = given.Known();
  const ImageBatch in = images.known_rank ? ImageBatchOf(images) : ImageBatch{1, -1, -1, -1, false};
  if (known.size() != plan.count || (given.IsStatic() && in.height >= 0 && in.width >= 0)) {
    FASTPIPE_RETURN_IF_ERROR(LocateChecked(plan, attrs, in, known).status());
  }
  const auto size = [&](size_t index) { return std::max<int64_t>(known[index], -1); };
  return ResizedSpec(images, images.dtype, size(plan.count - 2), size(plan.count - 1));
}

// A kernel whose box is found by `locate`, a callable Result<Box>(const ImageBatch&, Inputs) const.
template <typename F>
class BoxKernel final : public CropKernel {
 public:
  BoxKernel(Args attrs, F locate) : attrs_(std::move(attrs)), locate_(std::move(locate)) {}
  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    FASTPIPE_ASSIGN(const ImageBatch images, ImageBatchOf(attrs_, *in[0]));
    FASTPIPE_RETURN_IF_ERROR(ExpectNotEmpty(attrs_, in[0]->dims()));
    FASTPIPE_ASSIGN(const Box box, locate_(images, in));
    return TakeBox(attrs_, *in[0], images, box, &out[0]);
  }
  Result<Box> Locate(Inputs in, Dims image) const override {
    return locate_(ImageBatch{1, image[0], image[1], image[2], false}, in);
  }

 private:
  const Args attrs_;
  const F locate_;
};

template <typename F>
std::shared_ptr<const Kernel> MakeBoxKernel(const Args& attrs, F locate) {
  return std::make_shared<const BoxKernel<F>>(attrs, std::move(locate));
}

template <const BoxPlan& kPlan>
Result<KernelPlan> PlanBox(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectImages(attrs, inputs));
  size_t next = 1;
  FASTPIPE_ASSIGN(const IntegersArgument given,
                  IntegersArgument::Read(attrs, kPlan.name, inputs, &next));
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, next));
  if (inputs[0].known_rank) FASTPIPE_RETURN_IF_ERROR(ExpectNotEmpty(attrs, inputs[0].dims));
  FASTPIPE_ASSIGN(TensorSpec spec, BoxSpec(kPlan, attrs, inputs[0], given));
  return KernelPlan{{std::move(spec)},
                    MakeBoxKernel(attrs, [attrs, given](const ImageBatch& images, Inputs in) {
                      return LocateChecked(kPlan, attrs, images, given.Get(in));
                    })};
}

Box CentralBox(const ImageBatch& in, double fraction) {
  const auto margin = [fraction](int64_t size) {
    const auto whole = static_cast<double>(size);
    return static_cast<int64_t>((whole - whole * fraction) / 2);
  };
  const int64_t y = margin(in.height), x = margin(in.width);
  return {y, x, in.height - 2 * y, in.width - 2 * x};
}

Result<KernelPlan> PlanCentralCrop(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectImages(attrs, inputs));
  FASTPIPE_ASSIGN(const double fraction, attrs.DoubleOr("central_fraction", 1.0));
  if (!(fraction > 0 && fraction <= 1)) {
    return attrs.Error(StrCat("central_fraction must be in (0, 1], got ", fraction));
  }
  TensorSpec spec = inputs[0];
  if (spec.known_rank) {
    FASTPIPE_RETURN_IF_ERROR(ExpectNotEmpty(attrs, spec.dims));
    const ImageBatch in = ImageBatchOf(spec);
    const Box box = CentralBox(in, fraction);
    spec = ResizedSpec(spec, spec.dtype, in.height < 0 ? -1 : box.height,
                       in.width < 0 ? -1 : box.width);
  }
  return KernelPlan{
      {std::move(spec)},
      MakeBoxKernel(attrs, [fraction](const ImageBatch& images, Inputs) -> Result<Box> {
        return CentralBox(images, fraction);
      })};
}

FASTPIPE_KERNEL("crop_image", PlanBox<kCrop>);
FASTPIPE_KERNEL("pad_image", PlanBox<kPad>);
FASTPIPE_KERNEL("crop_or_pad_image", PlanBox<kCropOrPad>);
FASTPIPE_KERNEL("central_crop", PlanCentralCrop);

}  // namespace
}  // namespace fastpipe
