#include "core/row_ring.h"

#include <algorithm>

namespace fastpipe {
namespace {

constexpr size_t kLargestRow = 256;

// How TakeOut walks the places of one column.
struct Walk {
  std::span<const int64_t> taken;
  int64_t head = 0;      // place of row 0 at first; it goes on by one with each pick
  int64_t tail = 0;      // place that the first incoming row takes
  int64_t capacity = 0;  // where places begin anew
};

// Sizes that are constants make each copy one instruction.
template <size_t kBytes>
void Exchange(const Walk& walk, size_t bytes, const uint8_t* in, uint8_t* rows, uint8_t* out) {
  const size_t size = kBytes == 0 ? bytes : kBytes;
  const auto at = [&](int64_t place) { return rows + static_cast<size_t>(place) * size; };
  int64_t head = walk.head;
  int64_t tail = walk.tail;
  for (int64_t place : walk.taken) {
    if (in != nullptr) {
      std::memcpy(at(tail), in, size);
      in += size;
      if (++tail == walk.capacity) tail = 0;
    }
    std::memcpy(out, at(place), size);
    if (place != head) std::memcpy(at(place), at(head), size);
    if (++head == walk.capacity) head = 0;
    out += size;
  }
}

using ExchangeRows = void (*)(const Walk&, size_t, const uint8_t*, uint8_t*, uint8_t*);

ExchangeRows ExchangeOf(size_t bytes) {
  switch (bytes) {
    case 1:
      return Exchange<1>;
    case 2:
      return Exchange<2>;
    case 4:
      return Exchange<4>;
    case 8:
      return Exchange<8>;
    default:
      return Exchange<0>;
  }
}

}  // namespace

bool RowRing::Fits(const ElementSpec& spec) {
  size_t bytes = 0;
  for (const TensorSpec& component : spec) {
    const size_t row = RowBytes(component);
    if (row == 0) return false;
    bytes += row;
  }
  return bytes > 0 && bytes <= kLargestRow;
}

RowRing::RowRing(const ElementSpec& spec, int64_t capacity) : capacity_(capacity) {
  for (const TensorSpec& component : spec) {
    columns_.push_back({component.dtype, component.dims, RowBytes(component), {}});
  }
}

void RowRing::clear() {
  for (Column& column : columns_) column.bytes = {};
  places_ = head_ = size_ = 0;
}

void RowRing::Reserve(int64_t end) {
  end = std::min(end, capacity_);
  if (end <= places_) return;
  for (Column& column : columns_) column.bytes.resize(static_cast<size_t>(end) * column.row_bytes);
  places_ = end;
}

void RowRing::Append(const Block& block) {
  Reserve(head_ + size_ + block.rows);
  const int64_t tail = PlaceOf(head_, size_);
  const auto before_end = static_cast<size_t>(std::min(block.rows, capacity_ - tail));
  for (size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    const uint8_t* from = block.columns[i].raw();
    const size_t first = before_end * column.row_bytes;
    const size_t all = static_cast<size_t>(block.rows) * column.row_bytes;
    std::memcpy(&column.bytes[static_cast<size_t>(tail) * column.row_bytes], from, first);
    if (all > first) std::memcpy(column.bytes.data(), from + first, all - first);
  }
  size_ += block.rows;
}

void RowRing::Append(const Element& element) {
  Reserve(head_ + size_ + 1);
  Set(size_++, element);
}

void RowRing::TakeOut(int64_t index, Element* out) {
  const auto place = static_cast<size_t>(PlaceOf(head_, index));
  const auto head = static_cast<size_t>(head_);
  for (Column& column : columns_) {
    uint8_t* const bytes = column.bytes.data();
    const size_t size = column.row_bytes;
    Tensor taken = Tensor::Allocate(column.dtype, column.dims);
    std::memcpy(taken.mutable_raw(), bytes + place * size, size);
    if (place != head) std::memcpy(bytes + place * size, bytes + head * size, size);
    out->push_back(std::move(taken));
  }
  if (++head_ == capacity_) head_ = 0;
  --size_;
}

void RowRing::TakeOut(const Block* incoming, std::span<const int64_t> picks, Block* out) {
  const auto count = static_cast<int64_t>(picks.size());
  if (incoming != nullptr) Reserve(head_ + size_ + count);
  Walk walk{{}, head_, PlaceOf(head_, size_), capacity_};
  taken_.resize(picks.size());
  int64_t head = head_;
  for (size_t i = 0; i < picks.size(); ++i) {
    taken_[i] = PlaceOf(head, picks[i]);
    if (++head == capacity_) head = 0;
  }
  walk.taken = taken_;
  for (size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    std::vector<int64_t> dims = {count};
    dims.insert(dims.end(), column.dims.begin(), column.dims.end());
    Tensor taken = Tensor::Allocate(column.dtype, dims);
    ExchangeOf(column.row_bytes)(walk, column.row_bytes,
                                 incoming == nullptr ? nullptr : incoming->columns[i].raw(),
                                 column.bytes.data(), taken.mutable_raw());
    out->columns.push_back(std::move(taken));
  }
  out->rows = count;
  head_ = head;
  if (incoming == nullptr) size_ -= count;
}

void RowRing::Resize(int64_t rows) {
  Reserve(rows);
  size_ = rows;
}

void RowRing::Set(int64_t row, const Element& element) {
  const auto place = static_cast<size_t>(PlaceOf(head_, row));
  for (size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    std::memcpy(&column.bytes[place * column.row_bytes], element[i].raw(), column.row_bytes);
  }
}

}  // namespace fastpipe
