// Block: several elements as columns, for elements that cost less than passing them on.
//
// Contract: a column holds one component of all elements, with a new first axis: what stacking
// them would give. Only ops whose components have one shape, and which cannot fail, deal in blocks,
// so that a block says as much as its elements one by one. An op pulls no more rows than it
// delivers.
// Thread rule: plain values, one thread at a time; functions are pure.
#pragma once

#include <cstdint>
#include <span>

#include "core/element.h"

namespace fastpipe {

struct Block {
  int64_t rows = 0;
  Element columns;

  void clear() {
    rows = 0;
    columns.clear();
  }
};

// As many as Iterator::NextBlock gives at most: a few columns of numbers fit into the cache.
inline constexpr int64_t kMostBlockRows = 4096;

// The block of one element.
Block BlockOf(const Element& element);
// Appends row `row` of each column.
void AppendRow(const Block& block, int64_t row, Element* out);
// `rows` copies of `value`, with a new first axis.
Tensor RepeatedRow(const Tensor& value, int64_t rows);
// The rows of all parts, one behind the other, in memory that holds little else. REQUIRES: at
// least one part, and rows of equal shapes.
void JoinBlocks(std::span<const Block> parts, Element* out);

// Bytes of a row, or 0 if they are not known or are not of fixed size.
size_t RowBytes(const TensorSpec& spec);

}  // namespace fastpipe
