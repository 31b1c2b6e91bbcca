// The filters of PNG rows, taken back: every byte was stored as its difference from a prediction.
//
// Contract: `above` is the row before, as it was decoded (zeros for the first), of `size` bytes as
// all three rows; `pixels` overlaps neither of the others.
// Thread rule: free functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fastpipe {

enum class PngFilter : uint8_t { kNone, kSub, kUp, kAverage, kPaeth };
constexpr int kPngFilters = 5;

// REQUIRES: 1 <= pixel_bytes <= 4; size is a multiple of it.
void UnfilterPngRow(PngFilter filter, int pixel_bytes, const uint8_t* stored, const uint8_t* above,
                    size_t size, uint8_t* pixels);

// Two rows of PngFilter::kPaeth, the second below the first, at once: each pixel waits for the one
// to its left, so that two chains take hardly longer than one.
void UnfilterTwoPaethRows(int pixel_bytes, const uint8_t* stored, const uint8_t* stored_below,
                          const uint8_t* above, size_t size, uint8_t* pixels, uint8_t* below);

// The same as UnfilterPngRow, a byte at a time: what runs on other machines, and what tests compare
// with.
void UnfilterPngRowScalar(PngFilter filter, int pixel_bytes, const uint8_t* stored,
                          const uint8_t* above, size_t size, uint8_t* pixels);

}  // namespace fastpipe
