// Composites: components that are made of several tensors, stacked into batches and taken apart.
//
// Contract: a sparse tensor is indices, values and dense shape; a ragged tensor flat values and the
// row splits of its ragged axes, outermost first, none at all for one dense row. Structure exists
// only in Python, which names the parts of an element for the few ops that must know. Stacking adds
// an axis: to sparse indices a column, to ragged rows one more vector of splits. Errors name the
// component and the row. Thread rule: pure functions.
#pragma once

#include <span>
#include <vector>

#include "core/args.h"
#include "core/element.h"

namespace fastpipe {

struct Component {
  enum class Kind : uint8_t { kTensor, kSparse, kRagged };
  Kind kind = Kind::kTensor;
  size_t first = 0;                   // its first tensor in the element
  size_t count = 1;                   // how many tensors it has
  DType split_dtype = DType::kInt64;  // of the splits that stacking makes where there are none
};
using Components = std::vector<Component>;

// From attribute parts, a word for each tensor: "tensor"; "indices", "values", "dense_shape"; or
// "flat_values" and "row_splits" after it. Without the attribute all are tensors.
Result<Components> ReadComponents(const Args& args, const ElementSpec& spec);
// True if every component is a tensor.
bool AllTensors(const Components& components);

// Stacks rows, component by component. REQUIRES: `rows` is not empty.
Status StackComposites(std::span<const Element> rows, const Components& components, Element* out);
// What stacking `count` elements of `spec` gives; -1: as many as there are.
ElementSpec StackedSpec(const ElementSpec& spec, const Components& components, int64_t count);

// The reverse, as UnstackSpec and CountRows of core/stack.h.
Status UnstackSpec(const Components& components, ElementSpec* spec, int64_t* rows);
Status CountRows(const Element& element, const Components& components, int64_t* rows);
// Appends row `row` of `element`. REQUIRES: CountRows passed and row is less than that.
void AppendRow(const Element& element, const Components& components, int64_t row, Element* out);

}  // namespace fastpipe
