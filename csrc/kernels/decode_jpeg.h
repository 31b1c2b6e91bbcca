// JpegKernel: a kernel that decodes JPEGs.
//
// Contract: what uses a part of the image only, or the image at another size only, can have it
// decoded so; such a kernel says how it decodes. Thread rule: const, by any thread.
#pragma once

#include "kernels/encoded_image.h"

namespace fastpipe {

class JpegKernel : public Kernel {
 public:
  // How Run decodes; an error if it would fail. REQUIRES: the inputs of Run.
  virtual Result<JpegOptions> HowDecoded(Inputs inputs) const = 0;
  // Whether these options say which part of the image it decodes.
  virtual bool crops() const = 0;
  // Whether the image may be decoded at a fraction of its size before it is resized.
  virtual bool fast_decode() const { return false; }
};

}  // namespace fastpipe
