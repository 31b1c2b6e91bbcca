// BlockCollector: takes the rows of one batch from its input in blocks.
//
// Contract: what RowCollector does, of an input that GivesBlocks, with the same positions.
// Thread rule: as an Iterator.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ops/replayed_input.h"

namespace fastpipe {

class BlockCollector {
 public:
  using Rows = std::vector<Block>;
  // REQUIRES: batch_size >= 1
  BlockCollector(std::unique_ptr<Iterator> input, int64_t batch_size, bool drop_remainder)
      : input_(std::move(input)), batch_size_(batch_size), drop_remainder_(drop_remainder) {}

  // OK: rows() is the next batch, of `batch_size` rows, or fewer at the end of the input.
  Status Collect();
  // Valid until the next call. JoinBlocks stacks them.
  std::span<const Block> rows() const { return {parts_.data(), count_}; }
  // Drops the rows, keeps their room.
  void Clear();
  // Gives the rows away and gets room for the next ones: for a stage that stacks elsewhere.
  void Exchange(Rows* rows);
  // Passes over `count` batches.
  Status Skip(int64_t count, int64_t* skipped);

  Status Save(PositionWriter* writer) { return input_.Save(writer); }
  Status Restore(PositionReader* reader);

 private:
  // Takes what is missing of `rows` rows.
  Status Pull(int64_t rows);

  ReplayedInput input_;
  const int64_t batch_size_;
  const bool drop_remainder_;
  std::vector<Block> parts_;  // reused: only the first count_ are of this batch
  size_t count_ = 0;
  int64_t rows_ = 0;    // of those
  int64_t passed_ = 0;  // rows of this batch, by a Skip that was interrupted
};

}  // namespace fastpipe
