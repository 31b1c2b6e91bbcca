// Encoded images: telling the format of bytes, and decoding them into a kernel's output.
//
// Contract: decode_jpeg and decode_png read each other's format, as in TensorFlow, so both decode
// through these functions. Pixels are written once, into the memory of the output.
// Thread rule: free functions; JPEGs are decoded by the calling thread's decoder.
#pragma once

#include <string_view>

#include "codec/jpeg.h"
#include "codec/png.h"
#include "core/kernel.h"

namespace fastpipe {

enum class ImageFormat { kUnknown, kJpeg, kPng, kGif, kBmp, kWebp };

// By the first bytes; the rest may be anything.
ImageFormat ImageFormatOf(std::string_view bytes);
const char* ImageFormatName(ImageFormat format);  // "JPEG", ...; "an unknown format"

// Reads the attribute `channels`: 0 (as stored), 1, 3 or 4.
Result<int> ReadChannels(const Args& attrs);
// [height, width, channels] of dtype `dtype`, where `channels` is 0 if only the image tells.
TensorSpec DecodedSpec(DType dtype, int channels);
// InvalidArgument unless there is one scalar string, the first of the `inputs`.
Status ExpectEncoded(const Args& attrs, Specs inputs);
// The bytes of an image, or InvalidArgument if `input` is no scalar.
Result<std::string_view> EncodedBytes(const Args& attrs, const Tensor& input);
// InvalidArgument: `bytes` are in none of the formats that the kernel reads.
Status NotDecodable(const Args& attrs, std::string_view bytes, const char* expected);

// As uint8 [height, width, channels]. options.channels may be 4, which no JPEG has: an error.
Status DecodeJpeg(std::string_view bytes, const JpegOptions& options, Output* output);
// As uint8 or uint16 [height, width, channels], by options.bits.
Status DecodePng(std::string_view bytes, const PngOptions& options, Output* output);

}  // namespace fastpipe
