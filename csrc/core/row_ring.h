// RowRing: small elements in columns, first in, but taken from anywhere: the buffer of a shuffle.
//
// Contract: rows are numbered from the first; taking one out moves the first into its place, as
// TensorFlow's shuffle does. A row of numbers takes its bytes here, and not a Tensor each. Memory
// grows with what is held, and is given back by clear().
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/block.h"

namespace fastpipe {

class RowRing {
 public:
  // Whether elements of `spec` are numbers of known shapes, few enough that copying a row is
  // cheaper than sharing its memory.
  static bool Fits(const ElementSpec& spec);

  // Holds `capacity` rows at most. REQUIRES: Fits(spec)
  RowRing(const ElementSpec& spec, int64_t capacity);

  int64_t size() const { return size_; }
  void clear();
  // REQUIRES: there is room.
  void Append(const Block& block);
  void Append(const Element& element);
  void TakeOut(int64_t index, Element* out);
  // For each pick in turn: appends the next row of `incoming`, unless that is null, and takes out
  // row `pick`. REQUIRES: as many rows as picks, and room for one.
  void TakeOut(const Block* incoming, std::span<const int64_t> picks, Block* out);
  // REQUIRES: empty. Makes `rows` rows that have no value until Set.
  void Resize(int64_t rows);
  void Set(int64_t row, const Element& element);

 private:
  struct Column {
    DType dtype = DType::kInvalid;
    std::vector<int64_t> dims;  // of a row
    size_t row_bytes = 0;
    std::vector<uint8_t> bytes;
  };
  // The place of a row counted from place `from`.
  int64_t PlaceOf(int64_t from, int64_t row) const {
    return from < capacity_ - row ? from + row : from - (capacity_ - row);
  }
  // Makes memory for all places before `end`.
  void Reserve(int64_t end);

  const int64_t capacity_;
  std::vector<Column> columns_;
  int64_t places_ = 0;  // that have memory
  int64_t head_ = 0;    // place of row 0
  int64_t size_ = 0;
  std::vector<int64_t> taken_;  // scratch: the places of the picks
};

}  // namespace fastpipe
