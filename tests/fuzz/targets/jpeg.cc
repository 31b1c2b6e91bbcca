// JPEG: whole, a window of it, and resized while it is decoded. Each must give what the plain way
// gives: libjpeg's own entropy decoder, a window of the whole, a resize of the whole.

#include "codec/jpeg.h"

#include <cstring>
#include <vector>

#include "../target.h"
#include "codec/jpeg_resize.h"
#include "codec/resample.h"

namespace fastpipe::fuzz {
namespace {

struct Image {
  Status status;
  JpegInfo info;
  std::vector<uint8_t> pixels;
};

Image Decode(std::string_view bytes, const JpegOptions& options) {
  Image image;
  JpegDecoder& decoder = ThreadJpegDecoder();
  image.status = decoder.Start(bytes, options, &image.info);
  if (!image.status.ok()) return image;
  const int64_t row = image.info.width * image.info.channels;
  image.pixels.resize(static_cast<size_t>(row * image.info.height));
  image.status = decoder.ReadInto(image.pixels.data(), row);
  return image;
}

JpegOptions ReadOptions(Choices* choices) {
  JpegOptions options;
  options.channels = choices->Flag() ? 2 * choices->Below(2) + 1 : 0;
  options.ratio = 1 << choices->Below(4);
  const int flags = choices->Below(16);
  options.fancy_upscaling = (flags & 1) == 0;
  options.dct_method = (flags & 2) == 0 ? JpegDctMethod::kAccurate : JpegDctMethod::kFast;
  options.try_recover_truncated = (flags & 4) != 0;
  options.acceptable_fraction = (flags & 8) != 0 ? 0.5f : 1.0f;
  options.max_pixels = kMaxPixels;
  return options;
}

void CheckSame(const Image& image, const Image& expected, const std::string& what) {
  Check(image.status.code() == expected.status.code(),
        StrCat(what, ": ", image.status.ToString(), " or ", expected.status.ToString()));
  if (image.status.ok()) Check(image.pixels == expected.pixels, StrCat(what, ": pixels"));
}

void FuzzWhole(std::string_view bytes) {
  Choices choices(bytes);
  JpegOptions options = ReadOptions(&choices);
  const Image image = Decode(choices.rest(), options);
  CheckError(image.status, {Code::kInvalidArgument, Code::kResourceExhausted});
  options.libjpeg_only = true;
  CheckSame(image, Decode(choices.rest(), options), "libjpeg decodes the same");
  auto info = ReadJpegInfo(choices.rest());
  CheckError(info.status(), {Code::kInvalidArgument, Code::kResourceExhausted});
  if (image.status.ok()) Check(info.ok(), "the header of an image can be read");
}

void FuzzCrop(std::string_view bytes) {
  Choices choices(bytes);
  JpegOptions options = ReadOptions(&choices);
  options.try_recover_truncated = false;
  const bool exact = choices.Flag();
  options.crop =
      JpegCrop{choices.Below(256), choices.Below(256), choices.Below(64), choices.Below(64)};
  if (!exact) options.crop_edges = JpegCropEdges::kAsTensorFlow;
  const Image window = Decode(choices.rest(), options);
  CheckError(window.status, {Code::kInvalidArgument, Code::kResourceExhausted});
  if (!window.status.ok() || !exact) return;
  const JpegCrop crop = *options.crop;
  options.crop.reset();
  const Image whole = Decode(choices.rest(), options);
  if (!whole.status.ok()) return;
  const size_t row = static_cast<size_t>(crop.width * whole.info.channels);
  for (int64_t y = 0; y < crop.height; ++y) {
    const int64_t at = ((crop.y + y) * whole.info.width + crop.x) * whole.info.channels;
    Check(std::memcmp(window.pixels.data() + static_cast<size_t>(y) * row, whole.pixels.data() + at,
                      row) == 0,
          StrCat("row ", y, " of the window is that of the image"));
  }
}

Status ResizeWhole(const Image& image, const JpegResize& resize, void* output) {
  const ImageShape shape = {image.info.height, image.info.width, image.info.channels};
  if (resize.arithmetic == JpegResize::Arithmetic::kPillow) {
    return ResizeLikePillow(image.pixels.data(), shape, resize.height, resize.width, resize.filter,
                            static_cast<uint8_t*>(output), resize.passes);
  }
  if (resize.method == ResizeMethod::kNearest) {
    return ResizeNearest(image.pixels.data(), shape.height, shape.width, resize.height,
                         resize.width, shape.channels, output);
  }
  return ResizeToFloat(image.pixels.data(), shape, resize.height, resize.width, resize.method,
                       resize.antialias, static_cast<float*>(output));
}

void FuzzResize(std::string_view bytes) {
  Choices choices(bytes);
  JpegOptions options = ReadOptions(&choices);
  options.try_recover_truncated = false;
  JpegResize resize;
  resize.height = choices.Below(100);
  resize.width = choices.Below(100);
  if (choices.Flag()) resize.arithmetic = JpegResize::Arithmetic::kPillow;
  resize.method = static_cast<ResizeMethod>(choices.Below(8));
  resize.filter = static_cast<PillowFilter>(choices.Below(5));
  resize.antialias = choices.Flag();
  if (choices.Flag()) resize.passes = PillowPasses::kHorizontalFirst;
  resize.fast_decode = choices.Below(4) == 1;
  ResizedJpegDecoder decoder;
  JpegInfo info;
  Status status = decoder.Start(choices.rest(), options, resize, &info);
  std::vector<uint8_t> output;
  if (status.ok()) {
    const size_t values = static_cast<size_t>(info.height * info.width * info.channels);
    output.resize(values * (resize.gives_floats() ? sizeof(float) : 1));
    status = decoder.ReadInto(output.data());
  }
  CheckError(status, {Code::kInvalidArgument, Code::kResourceExhausted});
  if (resize.fast_decode) return;
  Image whole = Decode(choices.rest(), options);
  std::vector<uint8_t> expected(output.size());
  if (whole.status.ok() && status.ok()) whole.status = ResizeWhole(whole, resize, expected.data());
  if (!status.ok() && (resize.height == 0 || resize.width == 0)) return;
  Check(status.ok() == whole.status.ok(),
        StrCat("both fail or none: ", status.ToString(), " or ", whole.status.ToString()));
  if (status.ok()) Check(output == expected, "resized while it is decoded, it is the same");
}

FASTPIPE_FUZZ_TARGET("jpeg", FuzzWhole);
FASTPIPE_FUZZ_TARGET("jpeg_crop", FuzzCrop);
FASTPIPE_FUZZ_TARGET("jpeg_resize", FuzzResize);

}  // namespace
}  // namespace fastpipe::fuzz
