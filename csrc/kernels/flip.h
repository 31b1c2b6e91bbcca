// FlipKernel: a kernel that mirrors an image, or leaves it as it is.
//
// Contract: what reads an image anyway can read it mirrored; such a kernel tells it how.
// Thread rule: const, by any thread.
#pragma once

#include "core/kernel.h"

namespace fastpipe {

// Rows and columns are swapped before they are flipped.
struct Orientation {
  bool transposed = false;
  bool flip_rows = false;
  bool flip_columns = false;

  bool AsItIs() const { return !transposed && !flip_rows && !flip_columns; }
};

class FlipKernel : public Kernel {
 public:
  // What becomes of a single image. REQUIRES: the inputs of Run, of which the image is not read.
  virtual Result<Orientation> HowOne(Inputs inputs) const = 0;
};

// Pixels of `pixel` bytes in reverse order. `from` and `to` do not overlap.
void MirrorRow(const uint8_t* from, int64_t columns, size_t pixel, uint8_t* to);

}  // namespace fastpipe
