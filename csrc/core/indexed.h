// IndexedIterator: the pass over a source whose elements are known by their index.
//
// Contract: `Op` has a known Cardinality() and `void Fill(int64_t index, Element* out) const`,
// which writes element `index`. If it GivesBlocks it also has `int64_t FillBlock(int64_t first,
// int64_t most, Element* columns) const`, which returns how many rows it wrote. Skipping is O(1)
// and the position is the next index. Thread rule: as an Iterator.
#pragma once

#include <algorithm>
#include <memory>

#include "core/dataset.h"
#include "core/numbered.h"

namespace fastpipe {

template <typename Op>
class IndexedIterator final : public IteratorOf<Op>, public Numbered {
 public:
  using IteratorOf<Op>::IteratorOf;

 private:
  Status Produce(Element* out) override {
    if (next_ == size_) return Status::EndOfSequence();
    this->op().Fill(next_++, out);
    return Status::Ok();
  }
  Status ProduceBlock(int64_t most, Block* out) override {
    if constexpr (requires { this->op().FillBlock(next_, most, &out->columns); }) {
      if (next_ == size_) return Status::EndOfSequence();
      out->rows = this->op().FillBlock(next_, std::min(most, size_ - next_), &out->columns);
      next_ += out->rows;
      return Status::Ok();
    } else {
      Element element;
      FASTPIPE_RETURN_IF_ERROR(Produce(&element));
      *out = BlockOf(element);
      return Status::Ok();
    }
  }
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    const int64_t step = std::min(count, size_ - next_);
    next_ += step;
    *skipped += step;
    return step == count ? Status::Ok() : Status::EndOfSequence();
  }
  Status SavePosition(PositionWriter* writer) override {
    writer->PutInt(next_);
    return Status::Ok();
  }
  Status RestorePosition(PositionReader* reader) override {
    next_ = reader->GetCount(size_);
    return Status::Ok();
  }

  const int64_t size_ = this->op().Cardinality();
  int64_t next_ = 0;
};

}  // namespace fastpipe
