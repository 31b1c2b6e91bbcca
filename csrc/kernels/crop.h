// CropKernel: a kernel that takes a rectangle of an image.
//
// Contract: what makes an image can make the rectangle alone; such a kernel tells it which.
// Thread rule: const, by any thread.
#pragma once

#include <cstdint>

#include "core/kernel.h"

namespace fastpipe {

// A rectangle in coordinates of the image; what lies outside of the image is zero.
struct Box {
  int64_t y = 0, x = 0, height = 0, width = 0;
};

class CropKernel : public Kernel {
 public:
  // What Run would take of an image [height, width, channels]; an error if Run would fail, or takes
  // something else than a rectangle of whole pixels. REQUIRES: the inputs of Run, of which the
  // image is not read.
  virtual Result<Box> Locate(Inputs inputs, Dims image) const = 0;
};

}  // namespace fastpipe
