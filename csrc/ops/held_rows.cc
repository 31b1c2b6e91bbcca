#include "ops/held_rows.h"

#include <algorithm>

#include "core/indexed.h"
#include "runtime/context.h"

namespace fastpipe {
namespace {

class HeldRows final : public Dataset {
 public:
  // All parts but the last have kMostBlockRows rows.
  HeldRows(const ElementSpec& spec, std::vector<Block> parts)
      : Dataset(spec, {}), parts_(std::move(parts)) {}

  int64_t Cardinality() const override {
    if (parts_.empty()) return 0;
    return static_cast<int64_t>(parts_.size() - 1) * kMostBlockRows + parts_.back().rows;
  }
  bool GivesBlocks(const RunOptions& options) const override { return options.fusion; }
  void Fill(int64_t index, Element* out) const {
    AppendRow(PartOf(index), index % kMostBlockRows, out);
  }
  int64_t FillBlock(int64_t first, int64_t most, Element* columns) const {
    const Block& part = PartOf(first);
    const int64_t row = first % kMostBlockRows;
    const int64_t rows = std::min(most, part.rows - row);
    for (const Tensor& column : part.columns) columns->push_back(column.Rows(row, rows));
    return rows;
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const Block& PartOf(int64_t index) const {
    return parts_[static_cast<size_t>(index / kMostBlockRows)];
  }

  const std::vector<Block> parts_;
};

std::unique_ptr<Iterator> HeldRows::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<IndexedIterator<HeldRows>>(*this, context);
}

Block EmptyPart(const ElementSpec& spec) {
  Block part;
  part.rows = kMostBlockRows;
  for (const TensorSpec& component : spec) {
    std::vector<int64_t> dims = {part.rows};
    dims.insert(dims.end(), component.dims.begin(), component.dims.end());
    part.columns.push_back(Tensor::Allocate(component.dtype, dims));
  }
  return part;
}

}  // namespace

void HeldRowsBuilder::Append(const Block& block) {
  for (int64_t row = 0; row < block.rows;) {
    if (rows_ == kMostBlockRows) {
      parts_.push_back(EmptyPart(spec_));
      rows_ = 0;
    }
    const int64_t count = std::min(block.rows - row, kMostBlockRows - rows_);
    for (size_t i = 0; i < spec_.size(); ++i) {
      const size_t bytes = RowBytes(spec_[i]);
      std::memcpy(parts_.back().columns[i].mutable_raw() + static_cast<size_t>(rows_) * bytes,
                  block.columns[i].raw() + static_cast<size_t>(row) * bytes,
                  static_cast<size_t>(count) * bytes);
    }
    row += count;
    rows_ += count;
  }
}

DatasetRef HeldRowsBuilder::Finish(const std::string& label) {
  if (!parts_.empty() && rows_ < kMostBlockRows) {
    // In memory of its own, which is no larger than it need be.
    Block last;
    last.rows = rows_;
    for (Tensor& column : parts_.back().columns) last.columns.push_back(column.Rows(0, rows_));
    parts_.back() = {};
    Element joined;
    JoinBlocks({&last, 1}, &joined);
    parts_.back() = {rows_, std::move(joined)};
  }
  auto held = std::make_shared<HeldRows>(spec_, std::exchange(parts_, {}));
  held->set_label(label);
  rows_ = kMostBlockRows;
  return held;
}

}  // namespace fastpipe
