#include "ops/collect_rows.h"

#include <limits>

namespace fastpipe {

Status RowCollector::Collect() {
  if (count_ == 0) BeginBatch();
  Status status = Pull();
  // Now the batch shares its memory with nobody.
  if (status.ok()) BeginBatch();
  if (status.ok() && space_ && has_room()) {
    space_->NextBatchFrom(std::numeric_limits<int64_t>::max());  // it was the last
  }
  return status;
}

void RowCollector::BeginBatch() {
  if (!space_ || begun_ == input_.count()) return;
  begun_ = input_.count();
  space_->NextBatchFrom(begun_);
}

Status RowCollector::Pull() {
  while (has_room()) {
    Status status = PullOne();
    if (status.end_of_sequence() && count_ > 0 && !drop_remainder_) return Status::Ok();
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status RowCollector::PullOne() {
  if (count_ == rows_.size()) rows_.emplace_back();
  Status status = input_.Next(&rows_[count_]);
  if (status.ok()) ++count_;
  return status;
}

void RowCollector::Clear() {
  for (size_t i = 0; i < count_; ++i) rows_[i].clear();
  count_ = 0;
  input_.ReleaseAll();
}

void RowCollector::Exchange(Rows* rows) {
  rows_.resize(count_);
  rows_.swap(*rows);
  count_ = 0;
  input_.ReleaseAll();
}

Status RowCollector::Skip(int64_t count, int64_t* skipped) {
  for (int64_t i = 0; i < count; ++i) {
    FASTPIPE_RETURN_IF_ERROR(CheckInterrupt());
    Status status = Collect();
    if (status.end_of_sequence() || status.code() == Code::kCancelled) return status;
    if (status.ok()) Clear();
    ++*skipped;
  }
  return Status::Ok();
}

Status RowCollector::Restore(PositionReader* reader) {
  return input_.Restore(reader, [this] { return has_room(); }, [this] { return PullOne(); });
}

Result<BatchSize> ReadBatchSize(const Args& args) {
  BatchSize size;
  FASTPIPE_ASSIGN(size.rows, args.Int("batch_size", {.min = 1}));
  FASTPIPE_ASSIGN(size.drop_remainder, args.BoolOr("drop_remainder", false));
  if (size.drop_remainder && !args.IsPlaceholder("batch_size")) size.known_rows = size.rows;
  return size;
}

Status ExpectStackable(const Args& args, const ElementSpec& spec) {
  for (size_t i = 0; i < spec.size(); ++i) {
    if (spec[i].dtype == DType::kDataset) {
      return args.Error(StrCat("expects tensors, got a dataset as component ", i));
    }
  }
  return Status::Ok();
}

int64_t BatchCardinality(int64_t size, int64_t batch_size, bool drop_remainder) {
  if (size < 0) return size;
  return size / batch_size + (!drop_remainder && size % batch_size != 0 ? 1 : 0);
}

}  // namespace fastpipe
