// Stacking and its reverse: rows of equal shape become one element with a new first axis.
//
// Contract: one allocation for each component, one copy of each row. Rows that do not fit together
// are an InvalidArgument that names the component, the row and both shapes.
// Thread rule: pure functions.
#pragma once

#include <span>

#include "core/element.h"
#include "core/status.h"
#include "core/tensor.h"

namespace fastpipe {

// REQUIRES: `rows` is not empty, its elements have equally many components with equal dtypes.
Status StackElements(std::span<const Element> rows, Element* out);
// Component `component` of the same.
Status StackComponent(std::span<const Element> rows, size_t component, Tensor* out);

// A string array in one allocation. `at(i)` gives the text of string i in
// row-major order, and is asked twice.
template <typename At>
Tensor StringArrayFrom(Dims dims, At at) {
  const int64_t count = NumElements(dims);
  size_t end = static_cast<size_t>(count + 1) * sizeof(int64_t);
  size_t size = end;
  for (int64_t i = 0; i < count; ++i) size += at(i).size();
  BufferRef buffer = BufferPool::Get().Allocate(size);
  uint8_t* const data = buffer->data();
  int64_t* const offsets = reinterpret_cast<int64_t*>(data);
  for (int64_t i = 0; i < count; ++i) {
    const std::string_view text = at(i);
    offsets[i] = static_cast<int64_t>(end);
    if (!text.empty()) std::memcpy(data + end, text.data(), text.size());
    end += text.size();
  }
  offsets[count] = static_cast<int64_t>(end);
  return Tensor::View(DType::kString, dims, std::move(buffer), data);
}

// What stacking `count` elements of `spec` gives; -1: as many as there are.
TensorSpec StackedSpec(const TensorSpec& spec, int64_t count);
ElementSpec StackedSpec(const ElementSpec& spec, int64_t count);

// Removes the row axis from all components. `*rows` gets their number of rows, -1 if that is
// unknown. InvalidArgument if a component has no rows or the numbers differ.
Status UnstackSpec(ElementSpec* spec, int64_t* rows);
// The same of an element: how many rows it has.
Status CountRows(const Element& element, int64_t* rows);

}  // namespace fastpipe
