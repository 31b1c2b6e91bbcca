// RowResizer: resizes an image whose rows come one after the other. Private to csrc/codec.
//
// Contract: the input is a ring of rows, so that a decoder needs no memory for a whole image; a
// whole image in memory is a ring that is never filled again. Output rows are written as soon as
// the input rows that they are computed from are there. The bits are the same however the rows
// come.
//
//   while (ready < height) {
//     ... put rows from `ready` on into the ring, none over a row from first_needed() on ...
//     resizer->Advance(ring, ready += count);
//   }
//
// Threads: one thread; different resizers are independent.
#pragma once

#include <cstdint>
#include <memory>

#include "codec/resample.h"

namespace fastpipe {

template <typename Value>
struct RowRing {
  const Value* base = nullptr;
  int64_t stride = 0;  // from row to row
  int64_t rows = 0;    // row y of the image is row y % rows of the ring
  // Behind the last value that may be read. Loops read a little beyond a row where they can.
  const Value* end = nullptr;

  const Value* Row(int64_t y) const { return base + y % rows * stride; }
};

template <typename Value>
class RowResizer {
 public:
  virtual ~RowResizer() = default;
  // Computes all that needs no row from `available` on. REQUIRES: `available` never decreases.
  virtual void Advance(const RowRing<Value>& ring, int64_t available) = 0;
  // Rows before this one are not read again.
  virtual int64_t first_needed() const = 0;
  // With this many rows from first_needed() on, or all that there are, Advance computes something.
  virtual int64_t window() const = 0;
};

// The part of an image that is resized; it may begin and end within pixels.
struct ImageArea {
  double top = 0, left = 0, bottom = 0, right = 0;

  static ImageArea Whole(ImageShape in) {
    return {0, 0, static_cast<double>(in.height), static_cast<double>(in.width)};
  }
};

// Each makes what computes one image; `output` is that of the function in codec/resample.h.
// REQUIRES: sizes as these functions take them.

// `method` is not kNearest. `area` is the whole for kArea and where there is no antialias.
template <typename Value>
std::unique_ptr<RowResizer<Value>> NewFloatResizer(ImageShape in, ImageArea area,
                                                   int64_t out_height, int64_t out_width,
                                                   ResizeMethod method, bool antialias,
                                                   ResizeCode code, float* output);
// in.channels are the bytes of a pixel.
std::unique_ptr<RowResizer<uint8_t>> NewNearestResizer(ImageShape in, int64_t out_height,
                                                       int64_t out_width, uint8_t* output);
std::unique_ptr<RowResizer<uint8_t>> NewPillowResizer(ImageShape in, ImageArea area,
                                                      int64_t out_height, int64_t out_width,
                                                      PillowFilter filter, PillowPasses passes,
                                                      ResizeCode code, uint8_t* output);

// InvalidArgument unless all sizes are positive and fit 31 bits.
Status CheckResizeSizes(ImageShape in, int64_t out_height, int64_t out_width);

}  // namespace fastpipe
