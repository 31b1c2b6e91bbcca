// Resizing images: the methods of tf.image.resize in float32, and Pillow's integer resize of uint8.
//
// Contract: images are dense, row-major, height x width x channels. Each method is separable: two
// passes over precomputed weights, which are cached by size and method. Results do not depend on
// the processor: where it has SSE4.1 or AVX2, faster code gives the same bits.
//
// Sizes must be positive, or the result is InvalidArgument. Outputs are allocated by the caller and
// must not overlap the input.
//
// Threads: all functions are safe from any thread.
#pragma once

#include <cstdint>

#include "core/status.h"

namespace fastpipe {

struct ImageShape {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
};

enum class ResizeMethod {
  kNearest,
  kBilinear,
  kBicubic,
  kArea,
  kLanczos3,
  kLanczos5,
  kGaussian,
  kMitchellCubic,
};

enum class PillowFilter { kBox, kBilinear, kHamming, kBicubic, kLanczos };

// Pillow rounds to 8 bits between its two passes, so their order shows in the last bit.
enum class PillowPasses {
  kPillow13,  // vertical first where the height shrinks by more than twice what the width does
  kHorizontalFirst,  // Pillow up to 12, and pillow-simd's order
};

// Which code may run at most. kScalar is the reference that tests compare with.
enum class ResizeCode { kFastest, kAvx2, kSse41, kScalar };

// tf.image.resize (half-pixel centres) of `input` to out_height x out_width x in.channels.
// `antialias` widens the kernel when an axis shrinks; kNearest and kArea ignore it.
Status ResizeToFloat(const uint8_t* input, ImageShape in, int64_t out_height, int64_t out_width,
                     ResizeMethod method, bool antialias, float* output,
                     ResizeCode code = ResizeCode::kFastest);
Status ResizeToFloat(const float* input, ImageShape in, int64_t out_height, int64_t out_width,
                     ResizeMethod method, bool antialias, float* output,
                     ResizeCode code = ResizeCode::kFastest);

// tf.image.resize with the nearest method, which keeps the dtype: pixels are `pixel_bytes` bytes
// (channels times the size of an element), copied unchanged.
Status ResizeNearest(const void* input, int64_t height, int64_t width, int64_t out_height,
                     int64_t out_width, int64_t pixel_bytes, void* output);

// Pillow's Image.resize of 8-bit channels, bit for bit. Channels are independent; Pillow itself
// multiplies colours by alpha before it resizes RGBA and LA, which is the caller's business.
Status ResizeLikePillow(const uint8_t* input, ImageShape in, int64_t out_height, int64_t out_width,
                        PillowFilter filter, uint8_t* output,
                        PillowPasses passes = PillowPasses::kPillow13,
                        ResizeCode code = ResizeCode::kFastest);

}  // namespace fastpipe
