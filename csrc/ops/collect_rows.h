// RowCollector: pulls the rows of one batch; what all batching ops share.
//
// Contract: an error of the input passes at once and the rows pulled before it stay, so that the
// next call goes on with the same batch. The position is that of the input before the first of
// them. Thread rule: as an Iterator.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/args.h"
#include "core/row_space.h"
#include "ops/replayed_input.h"

namespace fastpipe {

class RowCollector {
 public:
  using Rows = std::vector<Element>;

  // `rows`, if not null, is told which results are the rows of one batch. REQUIRES: batch_size >= 1
  RowCollector(std::unique_ptr<Iterator> input, int64_t batch_size, bool drop_remainder,
               std::shared_ptr<RowSpace> rows = nullptr)
      : input_(std::move(input)),
        batch_size_(batch_size),
        drop_remainder_(drop_remainder),
        space_(std::move(rows)) {}

  // OK: rows() is the next batch, of `batch_size` rows, or fewer at the end of the input.
  Status Collect();
  // Valid until the next call.
  std::span<const Element> rows() const { return {rows_.data(), count_}; }
  // Drops the rows, keeps their room.
  void Clear();
  // Gives the rows away and gets room for the next ones: for a stage that stacks elsewhere.
  void Exchange(Rows* rows);
  // Passes over `count` batches without stacking them. Stacking that would fail counts as well.
  Status Skip(int64_t count, int64_t* skipped);

  Status Save(PositionWriter* writer) { return input_.Save(writer); }
  Status Restore(PositionReader* reader);

 private:
  bool has_room() const { return count_ < static_cast<size_t>(batch_size_); }
  Status Pull();
  Status PullOne();
  // Says that the next batch begins with the next result, unless that was said.
  void BeginBatch();

  ReplayedInput input_;
  const int64_t batch_size_;
  const bool drop_remainder_;
  const std::shared_ptr<RowSpace> space_;
  std::vector<Element> rows_;  // reused: only the first count_ are rows
  size_t count_ = 0;
  int64_t begun_ = -1;  // the result that space_ was told of last
};

// The arguments `batch_size` and `drop_remainder`.
struct BatchSize {
  int64_t rows = 1;
  bool drop_remainder = false;
  int64_t known_rows = -1;  // of every batch; -1 if they may differ or are not known yet
};
Result<BatchSize> ReadBatchSize(const Args& args);

// InvalidArgument if a component is a dataset: those cannot be stacked.
Status ExpectStackable(const Args& args, const ElementSpec& spec);

// The number of batches that `size` elements give, where `size` is a Cardinality().
int64_t BatchCardinality(int64_t size, int64_t batch_size, bool drop_remainder);

}  // namespace fastpipe
