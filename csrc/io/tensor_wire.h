// TensorProto: one tensor as a protocol buffer message, as TensorFlow serializes it.
//
// Contract: everything that TensorFlow writes is read: values as bytes, or listed one by one, where
// the last one listed stands for those that are missing. Damaged messages give InvalidArgument.
// Thread rule: free functions without state.
#pragma once

#include <string>
#include <string_view>

#include "core/status.h"
#include "core/tensor.h"

namespace fastpipe {

// REQUIRES: a tensor of numbers, bools or strings.
std::string SerializeTensor(const Tensor& tensor);
Result<Tensor> ParseTensor(std::string_view message);

}  // namespace fastpipe
