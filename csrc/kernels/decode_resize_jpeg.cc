// decode_resize_jpeg(contents): what decode_jpeg and then a resizing kernel give, maybe with a crop
// in between; rewrites plan it in their place. JPEGs are decoded and resized a few rows at a time,
// and rows and columns outside of a crop are not decoded. The result is the same to the bit, and so
// are errors: whatever is not the common case is computed by these kernels themselves. With
// fast_decode large JPEGs are decoded at a fraction of their size, which is not exact.
//
// Attributes: those of decode_jpeg and of the resizing kernel; resizer, "resize" or
// "resize_like_pillow"; crop, "" (none), "crop_image" (of the decoded image, to its argument `box`)
// or "decode_and_crop_jpeg" (instead of decode_jpeg, to its argument `crop_window`). Inputs after
// the contents: those of the box or window, then those of the size.

#include <limits>

#include "codec/jpeg_resize.h"
#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/encoded_image.h"
#include "kernels/integers_argument.h"
#include "kernels/resize_choices.h"

namespace fastpipe {
namespace {

enum class Crop { kNone, kImage, kWindow };
constexpr Choice<Crop> kCrops[] = {
    {"", Crop::kNone}, {"crop_image", Crop::kImage}, {"decode_and_crop_jpeg", Crop::kWindow}};
constexpr Choice<bool> kResizers[] = {{"resize", false}, {"resize_like_pillow", true}};

struct FusedPlan {
  JpegOptions options;
  JpegResize resize;
  Crop crop = Crop::kNone;
  IntegersArgument window, size;
  size_t window_inputs = 0;
  bool stretches = true;  // the result has the size that was asked for
  DType dtype = DType::kUint8;
  // The kernels in whose place this one stands; no crop where decoding crops, or nothing does.
  std::shared_ptr<const Kernel> decode_kernel, crop_kernel, resize_kernel;
};

// Plans the kernel `name` with the attributes of this one. `inputs` becomes the specs of its
// results.
Result<std::shared_ptr<const Kernel>> PlanPart(const std::string& name, const Args& attrs,
                                               std::vector<TensorSpec>* inputs) {
  FASTPIPE_ASSIGN(KernelPlan plan, PlanKernel(Args(name, attrs.values()), *inputs));
  *inputs = std::move(plan.outputs);
  return std::move(plan.kernel);
}

Status PlanParts(const Args& attrs, Specs inputs, FusedPlan* plan,
                 std::vector<TensorSpec>* outputs) {
  const Specs window = inputs.subspan(1, plan->window_inputs);
  const Specs size = inputs.subspan(1 + plan->window_inputs);
  std::vector<TensorSpec> specs = {inputs[0]};
  if (plan->crop == Crop::kWindow) {
    specs.insert(specs.end(), window.begin(), window.end());
    FASTPIPE_ASSIGN(plan->decode_kernel, PlanPart("decode_and_crop_jpeg", attrs, &specs));
  } else {
    FASTPIPE_ASSIGN(plan->decode_kernel, PlanPart("decode_jpeg", attrs, &specs));
  }
  if (plan->crop == Crop::kImage) {
    specs.insert(specs.end(), window.begin(), window.end());
    FASTPIPE_ASSIGN(plan->crop_kernel, PlanPart("crop_image", attrs, &specs));
  }
  specs.insert(specs.end(), size.begin(), size.end());
  const bool pillow = plan->resize.arithmetic == JpegResize::Arithmetic::kPillow;
  FASTPIPE_ASSIGN(plan->resize_kernel,
                  PlanPart(pillow ? "resize_like_pillow" : "resize", attrs, &specs));
  *outputs = std::move(specs);
  return Status::Ok();
}

Status RunParts(const FusedPlan& plan, KernelContext* context, Inputs in, Outputs out) {
  Tensor image;
  Output image_output(&image);
  const Inputs window = in.subspan(1, plan.window_inputs);
  const Inputs size = in.subspan(1 + plan.window_inputs);
  std::vector<const Tensor*> inputs = {in[0]};
  if (plan.crop == Crop::kWindow) inputs.insert(inputs.end(), window.begin(), window.end());
  FASTPIPE_RETURN_IF_ERROR(plan.decode_kernel->Run(context, inputs, {&image_output, 1}));
  if (plan.crop_kernel != nullptr) {
    const Tensor whole = std::move(image);
    inputs.assign({&whole});
    inputs.insert(inputs.end(), window.begin(), window.end());
    FASTPIPE_RETURN_IF_ERROR(plan.crop_kernel->Run(context, inputs, {&image_output, 1}));
  }
  inputs.assign({&image});
  inputs.insert(inputs.end(), size.begin(), size.end());
  return plan.resize_kernel->Run(context, inputs, out);
}

// False if anything is out of the ordinary, damaged data included.
bool RunFused(const FusedPlan& plan, Inputs in, Output* output) {
  if (!plan.stretches || plan.options.try_recover_truncated || plan.options.channels == 4 ||
      in[0]->rank() != 0 || ImageFormatOf(in[0]->str()) != ImageFormat::kJpeg) {
    return false;
  }
  JpegOptions options = plan.options;
  if (plan.crop != Crop::kNone) {
    const std::vector<int64_t> window = plan.window.Get(in);
    if (window.size() != 4) return false;
    options.crop = JpegCrop{window[0], window[1], window[2], window[3]};
  }
  const std::vector<int64_t> size = plan.size.Get(in);
  if (size.size() != 2) return false;
  JpegResize resize = plan.resize;
  resize.height = size[0];
  resize.width = size[1];
  ResizedJpegDecoder decoder;
  JpegInfo info;
  if (!decoder.Start(in[0]->str(), options, resize, &info).ok()) return false;
  const int64_t dims[] = {info.height, info.width, info.channels};
  if (!ExpectPossibleDims("", dims).ok()) return false;
  return decoder.ReadInto(output->Allocate(plan.dtype, dims)).ok();
}

Status ReadResize(const Args& attrs, FusedPlan* plan) {
  JpegResize& resize = plan->resize;
  FASTPIPE_ASSIGN(resize.fast_decode, attrs.BoolOr("fast_decode", false));
  FASTPIPE_ASSIGN(const bool pillow, ReadChoice(attrs, "resizer", kResizers));
  if (pillow) {
    resize.arithmetic = JpegResize::Arithmetic::kPillow;
    FASTPIPE_ASSIGN(resize.filter, ReadChoice(attrs, "filter", kPillowFilters));
    FASTPIPE_ASSIGN(const bool horizontal_first, attrs.BoolOr("horizontal_first", false));
    if (horizontal_first) resize.passes = PillowPasses::kHorizontalFirst;
    return Status::Ok();
  }
  FASTPIPE_ASSIGN(resize.method, ReadChoice(attrs, "method", kResizeMethods));
  FASTPIPE_ASSIGN(resize.antialias, attrs.BoolOr("antialias", false));
  FASTPIPE_ASSIGN(const std::string fit, attrs.StringOr("fit", "stretch"));
  plan->stretches = fit == "stretch";
  if (resize.gives_floats()) plan->dtype = DType::kFloat32;
  return Status::Ok();
}

Result<KernelPlan> PlanDecodeResizeJpeg(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectEncoded(attrs, inputs));
  FusedPlan plan;
  FASTPIPE_ASSIGN(plan.options, ReadJpegOptions(attrs));
  FASTPIPE_ASSIGN(plan.crop, ReadChoice(attrs, "crop", kCrops));
  FASTPIPE_RETURN_IF_ERROR(ReadResize(attrs, &plan));
  size_t next = 1;
  if (plan.crop != Crop::kNone) {
    const char* name = plan.crop == Crop::kImage ? "box" : "crop_window";
    FASTPIPE_ASSIGN(plan.window, IntegersArgument::Read(attrs, name, inputs, &next));
    plan.window_inputs = next - 1;
    if (plan.crop == Crop::kWindow) plan.options.crop_edges = JpegCropEdges::kAsTensorFlow;
  }
  FASTPIPE_ASSIGN(plan.size, IntegersArgument::Read(attrs, "size", inputs, &next));
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, next));
  std::vector<TensorSpec> outputs;
  FASTPIPE_RETURN_IF_ERROR(PlanParts(attrs, inputs, &plan, &outputs));
  return KernelPlan{std::move(outputs),
                    KernelFrom([plan](KernelContext* context, Inputs in, Outputs out) -> Status {
                      if (RunFused(plan, in, &out[0])) return Status::Ok();
                      return RunParts(plan, context, in, out);
                    })};
}

FASTPIPE_KERNEL("decode_resize_jpeg", PlanDecodeResizeJpeg);

}  // namespace
}  // namespace fastpipe
