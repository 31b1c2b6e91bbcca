// Encoded images: telling the format of bytes, and decoding them into a kernel's output.
//
// Contract: the kernels read each other's formats, as in TensorFlow, so all decode through these
// functions. Pixels are written once, into the memory of the output; bytes become other dtypes
// through a second tensor.
// Thread rule: free functions; JPEGs are decoded by the calling thread's decoder.
#pragma once

#include <string_view>

#include "codec/jpeg.h"
#include "codec/png.h"
#include "core/kernel.h"

namespace fastpipe {

enum class ImageFormat { kUnknown, kJpeg, kPng, kGif, kBmp, kWebp, kJpegXl };

// What becomes of the frames of an animation.
enum class Frames {
  kAll,    // all, along an axis before the others; a still image is one frame
  kFirst,  // the first alone, without that axis
  kOnly,   // the only one, without that axis; more are an error
};

// By the first bytes; the rest may be anything.
ImageFormat ImageFormatOf(std::string_view bytes);
const char* ImageFormatName(ImageFormat format);  // "JPEG", ...; "an unknown format"

// Reads the attribute `channels`: 0 (as stored), 1, 3 or 4.
Result<int> ReadChannels(const Args& attrs);
// Reads the attributes of decode_jpeg.
Result<JpegOptions> ReadJpegOptions(const Args& attrs);
// [height, width, channels] of dtype `dtype`, where `channels` is 0 if only the image tells.
TensorSpec DecodedSpec(DType dtype, int channels);
// InvalidArgument unless there is one scalar string, the first of the `inputs`.
Status ExpectEncoded(const Args& attrs, Specs inputs);
// The bytes of an image, or InvalidArgument if `input` is no scalar.
Result<std::string_view> EncodedBytes(const Args& attrs, const Tensor& input);
// InvalidArgument: `bytes` are in none of the formats that the kernel reads.
Status NotDecodable(const Args& attrs, std::string_view bytes, const char* expected);

// As uint8 [height, width, channels]. options.channels may be 4, which no JPEG has: an error.
Status DecodeJpeg(std::string_view bytes, const JpegOptions& options, const Limits& limits,
                  Output* output);
// How kernels that take no dct_method decode JPEGs: with TensorFlow's default.
JpegOptions AnyJpeg(int channels);
// `options` with what `limits` says of an image of these bytes.
JpegOptions Limited(JpegOptions options, std::string_view bytes, const Limits& limits);
// As uint8 or uint16 [height, width, channels], by options.bits.
Status DecodePng(std::string_view bytes, const PngOptions& options, const Limits& limits,
                 Output* output);
// As uint8 [height, width, 1, 3 or 4].
Status DecodeBmp(std::string_view bytes, int channels, const Limits& limits, Output* output);
// As uint8 [height, width, 3], with the axis of frames before it by `frames`.
Status DecodeGif(std::string_view bytes, int channels, Frames frames, const Limits& limits,
                 Output* output);
// As uint8 [height, width, 3 or 4], with the axis of frames before it by `frames`.
Status DecodeWebp(std::string_view bytes, int channels, Frames frames, const Limits& limits,
                  Output* output);

// uint8 `pixels` in uint16 or float32 as TensorFlow converts them: they become the upper bytes of
// uint16, and span 0 to 1 in float32.
void ConvertBytes(const Tensor& pixels, DType dtype, Output* output);

// What `decode`, a callable Status(Output*), gives as uint8, converted to `dtype`.
template <typename F>
Status DecodeBytesAs(DType dtype, Output* output, F decode) {
  if (dtype == DType::kUint8) return decode(output);
  Tensor pixels;
  Output bytes(&pixels);
  FASTPIPE_RETURN_IF_ERROR(decode(&bytes));
  ConvertBytes(pixels, dtype, output);
  return Status::Ok();
}

}  // namespace fastpipe
