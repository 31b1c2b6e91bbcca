// decode_jpeg(contents): the pixels of a JPEG as uint8 [height, width, channels]. PNGs, and GIFs
// and WebPs of one frame, are decoded too, as in TensorFlow. decode_and_crop_jpeg(contents): those
// within `crop_window`, an IntegersArgument y, x, height, width; rows and columns outside are not
// decoded. JPEGs only.
//
// Attributes: channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction,
// dct_method. decode_jpeg also has fast_decode, which only a rewrite heeds: decode_region.cc.

#include "kernels/decode_jpeg.h"

#include "core/registry.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

Status RunDecodeJpeg(const Args& attrs, const JpegOptions& options, const Limits& limits,
                     const Tensor& contents, Output* output) {
  FASTPIPE_ASSIGN(const std::string_view bytes, EncodedBytes(attrs, contents));
  switch (ImageFormatOf(bytes)) {
    case ImageFormat::kJpeg:
      return DecodeJpeg(bytes, options, limits, output);
    case ImageFormat::kPng:
      return DecodePng(bytes, {.channels = options.channels}, limits, output);
    case ImageFormat::kGif:
      return DecodeGif(bytes, options.channels, Frames::kOnly, limits, output);
    case ImageFormat::kWebp:
      return DecodeWebp(bytes, options.channels, Frames::kOnly, limits, output);
    default:
      return NotDecodable(attrs, bytes, "a JPEG");
  }
}

class DecodeJpegKernel final : public JpegKernel {
 public:
  DecodeJpegKernel(Args attrs, const JpegOptions& options, bool fast_decode)
      : attrs_(std::move(attrs)), options_(options), fast_decode_(fast_decode) {}
  Status Run(KernelContext* context, Inputs in, Outputs out) const override {
    return RunDecodeJpeg(attrs_, options_, context->limits, *in[0], &out[0]);
  }
  Result<JpegOptions> HowDecoded(Inputs) const override { return options_; }
  bool crops() const override { return false; }
  bool fast_decode() const override { return fast_decode_; }

 private:
  const Args attrs_;
  const JpegOptions options_;
  const bool fast_decode_;
};

Result<KernelPlan> PlanDecodeJpeg(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectEncoded(attrs, inputs));
  FASTPIPE_ASSIGN(const JpegOptions options, ReadJpegOptions(attrs));
  FASTPIPE_ASSIGN(const bool fast_decode, attrs.BoolOr("fast_decode", false));
  return KernelPlan{{DecodedSpec(DType::kUint8, options.channels)},
                    std::make_shared<const DecodeJpegKernel>(attrs, options, fast_decode)};
}

class DecodeAndCropKernel final : public JpegKernel {
 public:
  DecodeAndCropKernel(Args attrs, const JpegOptions& options, IntegersArgument window)
      : attrs_(std::move(attrs)), options_(options), window_(std::move(window)) {}
  Status Run(KernelContext* context, Inputs in, Outputs out) const override {
    FASTPIPE_ASSIGN(const std::string_view bytes, EncodedBytes(attrs_, *in[0]));
    if (ImageFormatOf(bytes) != ImageFormat::kJpeg) return NotDecodable(attrs_, bytes, "a JPEG");
    FASTPIPE_ASSIGN(const JpegOptions options, HowDecoded(in));
    return DecodeJpeg(bytes, options, context->limits, &out[0]);
  }
  Result<JpegOptions> HowDecoded(Inputs in) const override {
    const std::vector<int64_t> sizes = window_.Get(in);
    if (sizes.size() != 4) {
      return attrs_.Error(
          StrCat("crop_window must be four integers (y, x, height, width), got ", sizes.size()));
    }
    JpegOptions options = options_;
    options.crop = JpegCrop{sizes[0], sizes[1], sizes[2], sizes[3]};
    return options;
  }
  bool crops() const override { return true; }

 private:
  const Args attrs_;
  const JpegOptions options_;
  const IntegersArgument window_;
};

Result<KernelPlan> PlanDecodeAndCrop(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectEncoded(attrs, inputs));
  FASTPIPE_ASSIGN(JpegOptions options, ReadJpegOptions(attrs));
  options.crop_edges = JpegCropEdges::kAsTensorFlow;
  size_t next = 1;
  FASTPIPE_ASSIGN(const IntegersArgument window,
                  IntegersArgument::Read(attrs, "crop_window", inputs, &next));
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, next));
  TensorSpec spec = DecodedSpec(DType::kUint8, options.channels);
  if (window.size() && *window.size() != 4) {
    return attrs.Error(
        StrCat("crop_window must be four integers (y, x, height, width), got ", *window.size()));
  }
  if (window.size()) {
    const std::vector<int64_t> known = window.Known();
    spec.dims[0] = known[2] > 0 ? known[2] : -1;
    spec.dims[1] = known[3] > 0 ? known[3] : -1;
  }
  return KernelPlan{{std::move(spec)},
                    std::make_shared<const DecodeAndCropKernel>(attrs, options, window)};
}

FASTPIPE_KERNEL("decode_jpeg", PlanDecodeJpeg);
FASTPIPE_KERNEL("decode_and_crop_jpeg", PlanDecodeAndCrop);

}  // namespace
}  // namespace fastpipe
