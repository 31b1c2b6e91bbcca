// resize_like_pillow(images): uint8 images at another size, by Pillow's integer arithmetic, bit for
// bit. `size` is an IntegersArgument height, width.
//
// Attribute: filter, "bilinear", "box", "hamming", "bicubic" or "lanczos". Channels are
// independent: alpha is a channel like the others, while Pillow weighs colours by it.

#include "codec/resample.h"
#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/image_batch.h"
#include "kernels/image_resize.h"
#include "kernels/integers_argument.h"
#include "kernels/resize_choices.h"

namespace fastpipe {
namespace {

Status CheckSize(const Args& attrs, const std::vector<int64_t>& size) {
  if (size.size() != 2) {
    return attrs.Error(
        StrCat("size must be two integers (height, width), got ", size.size(), " of them"));
  }
  if (size[0] > 0 && size[1] > 0) return Status::Ok();
  return attrs.Error(
      StrCat("size must be a positive height and width, got [", size[0], ", ", size[1], "]"));
}

Status ResizeAll(const Args& attrs, PillowFilter filter, PillowPasses passes,
                 const std::vector<int64_t>& size, const Tensor& images, Output* output) {
  FASTPIPE_RETURN_IF_ERROR(CheckSize(attrs, size));
  FASTPIPE_ASSIGN(const ImageBatch in, ImageBatchOf(attrs, images));
  const std::vector<int64_t> dims = in.Resized(size[0], size[1]);
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), dims));
  const ImageShape shape = {in.height, in.width, in.channels};
  const uint8_t* from = images.data<uint8_t>();
  uint8_t* to = output->Allocate<uint8_t>(dims);
  for (int64_t i = 0; i < in.count; ++i) {
    FASTPIPE_RETURN_IF_ERROR(ResizeLikePillow(from, shape, size[0], size[1], filter, to, passes));
    from += in.height * in.width * in.channels;
    to += size[0] * size[1] * in.channels;
  }
  return Status::Ok();
}

class ResizeLikePillowKernel final : public ResizeKernel {
 public:
  ResizeLikePillowKernel(Args attrs, PillowFilter filter, PillowPasses passes,
                         IntegersArgument size)
      : attrs_(std::move(attrs)), filter_(filter), passes_(passes), size_(std::move(size)) {}
  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    return ResizeAll(attrs_, filter_, passes_, size_.Get(in), *in[0], &out[0]);
  }
  std::optional<JpegResize> HowResized(Inputs in) const override {
    const std::vector<int64_t> size = size_.Get(in);
    if (!CheckSize(attrs_, size).ok()) return std::nullopt;
    return JpegResize{.height = size[0],
                      .width = size[1],
                      .arithmetic = JpegResize::Arithmetic::kPillow,
                      .filter = filter_,
                      .passes = passes_};
  }

 private:
  const Args attrs_;
  const PillowFilter filter_;
  const PillowPasses passes_;
  const IntegersArgument size_;
};

Result<KernelPlan> PlanResizeLikePillow(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectImages(attrs, inputs));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kUint8));
  size_t next = 1;
  FASTPIPE_ASSIGN(const IntegersArgument size,
                  IntegersArgument::Read(attrs, "size", inputs, &next));
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, next));
  FASTPIPE_ASSIGN(const PillowFilter filter, ReadChoice(attrs, "filter", kPillowFilters));
  FASTPIPE_ASSIGN(const bool horizontal_first, attrs.BoolOr("horizontal_first", false));
  const PillowPasses passes =
      horizontal_first ? PillowPasses::kHorizontalFirst : PillowPasses::kPillow13;
  std::vector<int64_t> known = size.size() ? size.Known() : std::vector<int64_t>{-1, -1};
  if (size.IsStatic() || known.size() != 2) FASTPIPE_RETURN_IF_ERROR(CheckSize(attrs, known));
  return KernelPlan{{ResizedSpec(inputs[0], DType::kUint8, known[0], known[1])},
                    std::make_shared<const ResizeLikePillowKernel>(attrs, filter, passes, size)};
}

FASTPIPE_KERNEL("resize_like_pillow", PlanResizeLikePillow);

}  // namespace
}  // namespace fastpipe
