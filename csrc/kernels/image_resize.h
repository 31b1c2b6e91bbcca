// ResizeKernel: a kernel that gives images another size.
//
// Contract: what makes an image a few rows at a time can resize it on the way; such a kernel tells
// it how. Thread rule: const, by any thread.
#pragma once

#include <optional>

#include "codec/jpeg_resize.h"
#include "core/kernel.h"

namespace fastpipe {

class ResizeKernel : public Kernel {
 public:
  // How Run resizes one uint8 image; nothing if it does anything else, or fails. REQUIRES: the
  // inputs of Run, of which the image is not read.
  virtual std::optional<JpegResize> HowResized(Inputs inputs) const = 0;
};

}  // namespace fastpipe
