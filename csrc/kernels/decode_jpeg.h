// JpegKernel: a kernel that decodes a JPEG as a whole.
//
// Contract: what uses a part of the image only, or the image at another size only, can have it
// decoded so; such a kernel says how it decodes. Thread rule: const, by any thread.
#pragma once

#include "kernels/encoded_image.h"

namespace fastpipe {

class JpegKernel : public Kernel {
 public:
  const JpegOptions& options() const { return options_; }

 protected:
  explicit JpegKernel(const JpegOptions& options) : options_(options) {}

 private:
  const JpegOptions options_;
};

}  // namespace fastpipe
