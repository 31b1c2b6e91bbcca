#include "kernels/nd_indices.h"

namespace fastpipe {

Status ExpectNdIndices(const Args& attrs, const TensorSpec& indices) {
  if (!IsInteger(indices.dtype)) {
    return attrs.Error(StrCat("indices must be integers, got ", indices.ToString()));
  }
  if (indices.known_rank && indices.dims.empty()) {
    return attrs.Error("indices must have one axis or more, got a scalar");
  }
  return Status::Ok();
}

Result<std::vector<int64_t>> SlicesAt(const Args& attrs, const Tensor& indices, Dims dims,
                                      size_t batch_dims) {
  if (indices.rank() == 0) return attrs.Error("indices must have one axis or more, got a scalar");
  const size_t depth = static_cast<size_t>(indices.dims().back());
  if (batch_dims >= indices.dims().size() || batch_dims + depth > dims.size()) {
    return attrs.Error(StrCat("indices of shape ", ShapeString(indices.dims()), " name ", depth,
                              " axes of a tensor of shape ", ShapeString(dims)));
  }
  const std::vector<int64_t> values = IntegersOf(indices);
  const int64_t count = NumElements(indices.dims().first(indices.dims().size() - 1));
  const int64_t batches = NumElements(dims.first(batch_dims));
  const int64_t per_batch = batches == 0 ? 0 : count / batches;
  std::vector<int64_t> slices;
  slices.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    int64_t slice = batches > 1 ? i / per_batch : 0;
    for (size_t axis = 0; axis < depth; ++axis) {
      const int64_t index = values[static_cast<size_t>(i) * depth + axis];
      const int64_t size = dims[batch_dims + axis];
      if (index < 0 || index >= size) {
        return attrs.Error(StrCat("indices along axis ", batch_dims + axis,
                                  " must be between 0 and ", size - 1, ", got ", index));
      }
      slice = slice * size + index;
    }
    slices.push_back(slice);
  }
  return slices;
}

}  // namespace fastpipe
