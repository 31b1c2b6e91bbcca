// TensorText: a tensor as a person reads it, as tf.print and tf.strings.format show it.
//
// Contract: a scalar is its value, an array nested brackets of which only the first and last
// `summarize` entries of each axis are shown; -1 shows all. Thread rule: a free function.
#pragma once

#include <string>

#include "core/tensor.h"

namespace fastpipe {

std::string TensorText(const Tensor& tensor, int64_t summarize);

}  // namespace fastpipe
