// ImageBatch: the sizes of an image [height, width, channels] or of a batch of them.
//
// Contract: kernels on images take rank 3 and rank 4 and give back the rank they got.
// Thread rule: a plain value and free functions.
#pragma once

#include <vector>

#include "core/kernel.h"

namespace fastpipe {

struct ImageBatch {
  int64_t count = 1;
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
  bool batched = false;

  // The shape of as many images of another size.
  std::vector<int64_t> Resized(int64_t new_height, int64_t new_width) const;
};

// InvalidArgument unless input 0 is an image or a batch of them, of numbers or bools.
Status ExpectImages(const Args& attrs, Specs inputs);
// InvalidArgument if images of shape `dims` have no row, column or channel; -1 is unknown.
// REQUIRES: rank 3 or 4.
Status ExpectNotEmpty(const Args& attrs, Dims dims);
// The sizes, -1 where unknown. REQUIRES: ExpectImages, and a known rank.
ImageBatch ImageBatchOf(const TensorSpec& spec);
// The sizes, or InvalidArgument for another rank.
Result<ImageBatch> ImageBatchOf(const Args& attrs, const Tensor& images);
// The spec of `images` at another size, -1 where unknown, in dtype `dtype`.
TensorSpec ResizedSpec(const TensorSpec& images, DType dtype, int64_t height, int64_t width);

}  // namespace fastpipe
