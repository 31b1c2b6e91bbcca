// ScalarMaker: scalar tensors of a dtype that is known only when the program runs.
//
// Contract: looked up once, called for each element.
// Thread rule: pure functions.
#pragma once

#include "core/tensor.h"

namespace fastpipe {

// `value` in the dtype, by the rules of a C++ cast.
using ScalarMaker = Tensor (*)(int64_t value);

template <typename T>
T ScalarOf(int64_t value) {
  if constexpr (std::is_same_v<T, Half>) {
    return ToHalf(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    return ToBfloat16(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <typename T>
Tensor MakeScalar(int64_t value) {
  return Tensor::Scalar(ScalarOf<T>(value));
}

template <typename... Ts>
ScalarMaker FindScalarMaker(DType dtype) {
  ScalarMaker found = nullptr;
  ((dtype == DTypeOf<Ts>() ? void(found = &MakeScalar<Ts>) : void()), ...);
  return found;
}

// Null unless `dtype` is an integer or floating type.
inline ScalarMaker ScalarMakerOf(DType dtype) {
  return FindScalarMaker<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
                         Half, Bfloat16, float, double>(dtype);
}

}  // namespace fastpipe
