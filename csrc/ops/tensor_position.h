// Tensors in positions: for the few ops whose state is a value, not a place in the input.
#pragma once

#include "core/position.h"
#include "core/tensor.h"

namespace fastpipe {

// REQUIRES: not a dataset.
void PutTensor(const Tensor& tensor, PositionWriter* writer);
// DataLoss unless it is a tensor of `spec`.
Status GetTensor(PositionReader* reader, const TensorSpec& spec, Tensor* tensor);

}  // namespace fastpipe
