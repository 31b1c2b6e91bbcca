#include "codec/png_unfilter.h"

#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace fastpipe {
namespace {

// Which of the three is nearest to a + b - c; the first of them where they are equally near.
int Paeth(int a, int b, int c) {
  const int to_a = std::abs(b - c), to_b = std::abs(a - c), to_c = std::abs(a + b - 2 * c);
  if (to_a <= to_b && to_a <= to_c) return a;
  return to_b <= to_c ? b : c;
}

// `predict` takes the bytes to the left, above, and above to the left.
template <typename Predict>
void UnfilterBytes(size_t step, const uint8_t* stored, const uint8_t* above, size_t size,
                   uint8_t* pixels, Predict predict) {
  for (size_t i = 0; i < size; ++i) {
    const int left = i < step ? 0 : pixels[i - step];
    const int corner = i < step ? 0 : above[i - step];
    pixels[i] = static_cast<uint8_t>(stored[i] + predict(left, int{above[i]}, corner));
  }
}

void UnfilterUp(const uint8_t* __restrict stored, const uint8_t* __restrict above, size_t size,
                uint8_t* __restrict pixels) {
  for (size_t i = 0; i < size; ++i) pixels[i] = static_cast<uint8_t>(stored[i] + above[i]);
}

#if defined(__x86_64__)

// A pixel is one register, its bytes 16 bits wide, so that the chain from pixel to pixel is short.
template <size_t kBytes>
__m128i LoadPixel(const uint8_t* from) {
  // Three bytes copied into four on the stack would be waited for when they are loaded again.
  constexpr size_t kFirst = kBytes == 3 ? 2 : kBytes;
  uint32_t bytes = 0;
  std::memcpy(&bytes, from, kFirst);
  if constexpr (kBytes == 3) bytes |= static_cast<uint32_t>(from[2]) << 16;
  return _mm_unpacklo_epi8(_mm_cvtsi32_si128(static_cast<int>(bytes)), _mm_setzero_si128());
}

template <size_t kBytes>
void StorePixel(__m128i pixel, uint8_t* to) {
  const int bytes = _mm_cvtsi128_si32(_mm_packus_epi16(pixel, pixel));
  std::memcpy(to, &bytes, kBytes);
}

__m128i Magnitude(__m128i values) {
  return _mm_max_epi16(values, _mm_sub_epi16(_mm_setzero_si128(), values));
}

__m128i Select(__m128i mask, __m128i yes, __m128i no) {
  return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

__m128i PaethOfPixel(__m128i a, __m128i b, __m128i c) {
  const __m128i to_a = Magnitude(_mm_sub_epi16(b, c));
  const __m128i to_b = Magnitude(_mm_sub_epi16(a, c));
  const __m128i to_c = Magnitude(_mm_sub_epi16(a, _mm_sub_epi16(_mm_add_epi16(c, c), b)));
  const __m128i b_or_c = Select(_mm_cmpgt_epi16(to_b, to_c), c, b);
  return Select(_mm_cmpgt_epi16(to_a, _mm_min_epi16(to_b, to_c)), b_or_c, a);
}

template <size_t kBytes, typename Predict>
void UnfilterPixels(const uint8_t* stored, const uint8_t* above, size_t size, uint8_t* pixels,
                    Predict predict) {
  __m128i left = _mm_setzero_si128(), corner = _mm_setzero_si128();
  for (size_t i = 0; i < size; i += kBytes) {
    const __m128i up = LoadPixel<kBytes>(above + i);
    // The upper halves of the 16 bits are zero before and after.
    left = _mm_add_epi8(LoadPixel<kBytes>(stored + i), predict(left, up, corner));
    corner = up;
    StorePixel<kBytes>(left, pixels + i);
  }
}

// The row below lags by a pixel, whose upper neighbour is then just known.
template <size_t kBytes>
void UnfilterTwoPaeth(const uint8_t* stored, const uint8_t* stored_below, const uint8_t* above,
                      size_t size, uint8_t* pixels, uint8_t* below) {
  __m128i left = _mm_setzero_si128(), corner = left, below_left = left, below_corner = left;
  for (size_t i = 0; i < size; i += kBytes) {
    const __m128i up = LoadPixel<kBytes>(above + i);
    const __m128i below_up = left;
    left = _mm_add_epi8(LoadPixel<kBytes>(stored + i), PaethOfPixel(left, up, corner));
    corner = up;
    StorePixel<kBytes>(left, pixels + i);
    if (i == 0) continue;
    below_left = _mm_add_epi8(LoadPixel<kBytes>(stored_below + i - kBytes),
                              PaethOfPixel(below_left, below_up, below_corner));
    below_corner = below_up;
    StorePixel<kBytes>(below_left, below + i - kBytes);
  }
  const size_t last = size - kBytes;
  below_left = _mm_add_epi8(LoadPixel<kBytes>(stored_below + last),
                            PaethOfPixel(below_left, left, below_corner));
  StorePixel<kBytes>(below_left, below + last);
}

template <size_t kBytes>
void UnfilterRow(PngFilter filter, const uint8_t* stored, const uint8_t* above, size_t size,
                 uint8_t* pixels) {
  switch (filter) {
    case PngFilter::kNone:
      std::memcpy(pixels, stored, size);
      return;
    case PngFilter::kSub:
      return UnfilterPixels<kBytes>(stored, above, size, pixels,
                                    [](__m128i a, __m128i, __m128i) { return a; });
    case PngFilter::kUp:
      return UnfilterUp(stored, above, size, pixels);
    case PngFilter::kAverage:
      return UnfilterPixels<kBytes>(stored, above, size, pixels, [](__m128i a, __m128i b, __m128i) {
        return _mm_srli_epi16(_mm_add_epi16(a, b), 1);
      });
    case PngFilter::kPaeth:
      return UnfilterPixels<kBytes>(stored, above, size, pixels, PaethOfPixel);
  }
}

#endif

}  // namespace

void UnfilterPngRowScalar(PngFilter filter, int pixel_bytes, const uint8_t* stored,
                          const uint8_t* above, size_t size, uint8_t* pixels) {
  const size_t step = static_cast<size_t>(pixel_bytes);
  const auto unfilter = [&](auto predict) {
    UnfilterBytes(step, stored, above, size, pixels, predict);
  };
  switch (filter) {
    case PngFilter::kNone:
      return unfilter([](int, int, int) { return 0; });
    case PngFilter::kSub:
      return unfilter([](int a, int, int) { return a; });
    case PngFilter::kUp:
      return unfilter([](int, int b, int) { return b; });
    case PngFilter::kAverage:
      return unfilter([](int a, int b, int) { return (a + b) / 2; });
    case PngFilter::kPaeth:
      return unfilter(Paeth);
  }
}

void UnfilterPngRow(PngFilter filter, int pixel_bytes, const uint8_t* stored, const uint8_t* above,
                    size_t size, uint8_t* pixels) {
#if defined(__x86_64__)
  switch (pixel_bytes) {
    case 1:
      return UnfilterRow<1>(filter, stored, above, size, pixels);
    case 2:
      return UnfilterRow<2>(filter, stored, above, size, pixels);
    case 3:
      return UnfilterRow<3>(filter, stored, above, size, pixels);
    default:
      return UnfilterRow<4>(filter, stored, above, size, pixels);
  }
#else
  UnfilterPngRowScalar(filter, pixel_bytes, stored, above, size, pixels);
#endif
}

void UnfilterTwoPaethRows(int pixel_bytes, const uint8_t* stored, const uint8_t* stored_below,
                          const uint8_t* above, size_t size, uint8_t* pixels, uint8_t* below) {
#if defined(__x86_64__)
  switch (pixel_bytes) {
    case 1:
      return UnfilterTwoPaeth<1>(stored, stored_below, above, size, pixels, below);
    case 2:
      return UnfilterTwoPaeth<2>(stored, stored_below, above, size, pixels, below);
    case 3:
      return UnfilterTwoPaeth<3>(stored, stored_below, above, size, pixels, below);
    default:
      return UnfilterTwoPaeth<4>(stored, stored_below, above, size, pixels, below);
  }
#else
  UnfilterPngRow(PngFilter::kPaeth, pixel_bytes, stored, above, size, pixels);
  UnfilterPngRow(PngFilter::kPaeth, pixel_bytes, stored_below, pixels, size, below);
#endif
}

}  // namespace fastpipe
