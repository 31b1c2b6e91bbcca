// PNG: by codec/plain_png.h where it can, which must give what libpng gives.

#include "codec/png.h"

#include <zlib.h>

#include <string>
#include <vector>

#include "../target.h"

namespace fastpipe::fuzz {
namespace {

constexpr size_t kSignature = 8;

uint32_t BigEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

// With the checksums of all chunks as they should be: otherwise few bytes would come further.
std::string Mended(std::string_view bytes) {
  std::string png(bytes);
  size_t at = kSignature;
  while (png.size() >= at + 12) {
    const size_t size = BigEndian(std::string_view(png).substr(at));
    if (size > png.size() - at - 12) break;
    const auto* content = reinterpret_cast<const Bytef*>(png.data() + at + 4);
    const uLong checksum = crc32(0, content, static_cast<uInt>(size + 4));
    at += 8 + size;
    for (int shift = 24; shift >= 0; shift -= 8) png[at++] = static_cast<char>(checksum >> shift);
  }
  return png;
}

struct Image {
  Status status;
  PngInfo info;
  std::vector<uint16_t> pixels;  // of 16 bits, so that they lie as values of 16 bits must
};

Image Decode(std::string_view bytes, const PngOptions& options) {
  Image image;
  PngDecoder decoder;
  image.status = decoder.Start(bytes, options, &image.info);
  if (!image.status.ok()) return image;
  const int64_t row = image.info.width * image.info.channels * image.info.bytes_per_value;
  image.pixels.resize(static_cast<size_t>(row * image.info.height + 1) / 2);
  image.status = decoder.ReadInto(reinterpret_cast<uint8_t*>(image.pixels.data()), row);
  return image;
}

void Fuzz(std::string_view bytes) {
  Choices choices(bytes);
  PngOptions options;
  options.channels = choices.Below(5);
  options.bits = choices.Flag() ? 16 : 8;
  options.max_pixels = kMaxPixels;
  const bool mend = choices.Flag();
  const std::string mended = mend ? Mended(choices.rest()) : std::string();
  const std::string_view png = mend ? mended : choices.rest();
  const Image image = Decode(png, options);
  CheckError(image.status, {Code::kInvalidArgument, Code::kResourceExhausted});
  options.libpng_only = true;
  const Image expected = Decode(png, options);
  Check(image.status.code() == expected.status.code(),
        StrCat("libpng says the same: ", image.status.ToString(), " or ",
               expected.status.ToString()));
  if (image.status.ok()) Check(image.pixels == expected.pixels, "libpng gives the same pixels");
  auto info = ReadPngInfo(png);
  CheckError(info.status(), {Code::kInvalidArgument, Code::kResourceExhausted});
}

FASTPIPE_FUZZ_TARGET("png", Fuzz);

}  // namespace
}  // namespace fastpipe::fuzz
