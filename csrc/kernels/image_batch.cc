#include "kernels/image_batch.h"

#include <algorithm>

namespace fastpipe {
namespace {

constexpr const char* kExpected =
    "takes an image [height, width, channels] or a batch of images "
    "[batch, height, width, channels], got ";

ImageBatch FromDims(Dims dims) {
  const size_t skip = dims.size() - 3;
  return {skip == 1 ? dims[0] : 1, dims[skip], dims[skip + 1], dims[skip + 2], skip == 1};
}

}  // namespace

std::vector<int64_t> ImageBatch::Resized(int64_t new_height, int64_t new_width) const {
  std::vector<int64_t> dims;
  if (batched) dims.push_back(count);
  dims.insert(dims.end(), {new_height, new_width, channels});
  return dims;
}

Status ExpectImages(const Args& attrs, Specs inputs) {
  if (inputs.empty()) return attrs.Error(StrCat(kExpected, "nothing"));
  const TensorSpec& spec = inputs[0];
  const bool shaped = !spec.known_rank || spec.rank() == 3 || spec.rank() == 4;
  if (shaped && DTypeSize(spec.dtype) > 0) return Status::Ok();
  return attrs.Error(StrCat(kExpected, spec.ToString()));
}

Status ExpectNotEmpty(const Args& attrs, Dims dims) {
  const Dims image = dims.last(3);
  if (std::find(image.begin(), image.end(), 0) == image.end()) return Status::Ok();
  return attrs.Error(StrCat("takes images of at least one value, got shape ", ShapeString(dims)));
}

ImageBatch ImageBatchOf(const TensorSpec& spec) { return FromDims(spec.dims); }

Result<ImageBatch> ImageBatchOf(const Args& attrs, const Tensor& images) {
  if (images.rank() == 3 || images.rank() == 4) return FromDims(images.dims());
  return attrs.Error(StrCat(kExpected, "shape ", ShapeString(images.dims())));
}

TensorSpec ResizedSpec(const TensorSpec& images, DType dtype, int64_t height, int64_t width) {
  if (!images.known_rank) return TensorSpec::UnknownRank(dtype);
  return TensorSpec::Of(dtype, ImageBatchOf(images).Resized(height, width));
}

}  // namespace fastpipe
