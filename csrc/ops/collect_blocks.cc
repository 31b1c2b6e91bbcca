#include "ops/collect_blocks.h"

#include <algorithm>
#include <utility>

namespace fastpipe {

Status BlockCollector::Pull(int64_t rows) {
  while (rows_ < rows) {
    if (count_ == parts_.size()) parts_.emplace_back();
    Block& part = parts_[count_];
    FASTPIPE_RETURN_IF_ERROR(input_.NextBlock(rows - rows_, &part));
    rows_ += part.rows;
    ++count_;
  }
  return Status::Ok();
}

Status BlockCollector::Collect() {
  Status status = Pull(batch_size_);
  const bool remainder = status.end_of_sequence() && rows_ > 0 && !drop_remainder_;
  return remainder ? Status::Ok() : status;
}

Status BlockCollector::Skip(int64_t count, int64_t* skipped) {
  for (int64_t i = 0; i < count; ++i) {
    FASTPIPE_RETURN_IF_ERROR(CheckInterrupt());
    // Rows that an interrupted call has passed over, this one, which repeats it, need not.
    passed_ = std::max(passed_, rows_);
    Status status = input_.Skip(batch_size_ - passed_, &passed_);
    if (status.error()) return status;
    const int64_t passed = std::exchange(passed_, 0);
    if (passed < batch_size_ && (passed == 0 || drop_remainder_)) return status;
    Clear();
    ++*skipped;
  }
  return Status::Ok();
}

Status BlockCollector::Restore(PositionReader* reader) {
  int64_t again = 0;
  FASTPIPE_RETURN_IF_ERROR(input_.Restore(reader, &again, batch_size_));
  Status status = Pull(again);
  return status.end_of_sequence() ? Status::Ok() : status;
}

void BlockCollector::Exchange(Rows* rows) {
  parts_.resize(count_);
  parts_.swap(*rows);
  count_ = 0;
  rows_ = 0;
  input_.ReleaseAll();
}

void BlockCollector::Clear() {
  for (size_t i = 0; i < count_; ++i) parts_[i].clear();
  count_ = 0;
  rows_ = 0;
  input_.ReleaseAll();
}

}  // namespace fastpipe
