// The parallel iterator of interleave: takes results from a LanePool in the order of the sequential
// one, however many workers there are; or from whichever lane is ready, if order is free.

#include "ops/lane_pool.h"

namespace fastpipe {
namespace {

class ParallelInterleaveIterator final : public IteratorOf<Interleave> {
 public:
  ParallelInterleaveIterator(const Interleave& op, const IteratorContext& context)
      : IteratorOf(op, context),
        ordered_(op.ordered(context.run->options())),
        lanes_(op, context) {}

 private:
  Status Produce(Element* out) override {
    FASTPIPE_RETURN_IF_ERROR(lanes_.Start());
    FASTPIPE_RETURN_IF_ERROR(ordered_ ? FindOrdered() : FindAny());
    Lane* lane = lanes_.current();
    StageResult& result = lane->current.results[lane->next++];
    *out = std::move(result.element);
    Status status = std::move(result.status);
    if (lanes_.Delivered()) {
      lanes_.FreeSlot();
    } else if (status.ok() && ++block_index_ == op().settings().block_length) {
      Advance();
    }
    return status;
  }

  void Advance() {
    block_index_ = 0;
    lanes_.Advance();
  }

  // Turns the cycle to the lane whose turn it is, and waits until it has a result.
  Status FindOrdered() {
    while (true) {
      Lane* lane = lanes_.current();
      if (lane == nullptr) {
        bool filled = false;
        FASTPIPE_RETURN_IF_ERROR(lanes_.FillSlot(&filled));
        if (filled) continue;
        if (lanes_.open() == 0) return Status::EndOfSequence();
        Advance();
      } else if (lane->has_current()) {
        return Status::Ok();
      } else {
        bool found = false;
        FASTPIPE_RETURN_IF_ERROR(lanes_.AwaitBatch(&found));
        if (!found) Advance();
      }
    }
  }

  Status FindAny() {
    Lane* lane = lanes_.current();
    if (lane != nullptr && lane->has_current()) return Status::Ok();
    block_index_ = 0;
    return lanes_.AwaitAny();
  }

  Status SavePosition(PositionWriter* writer) override {
    if (!ordered_) {
      return Unimplemented(
          op().label() + ": interleave with deterministic=False has no position that can be saved");
    }
    InterleavePosition saved;
    saved.block_index = block_index_;
    FASTPIPE_RETURN_IF_ERROR(lanes_.Save(&saved));
    saved.Write(writer);
    return Status::Ok();
  }

  Status RestorePosition(PositionReader* reader) override {
    InterleavePosition saved;
    FASTPIPE_RETURN_IF_ERROR(saved.Read(reader, op().settings()));
    block_index_ = saved.block_index;
    return lanes_.Restore(saved);
  }

  const bool ordered_;
  int64_t block_index_ = 0;
  LanePool lanes_;
};

}  // namespace

std::unique_ptr<Iterator> MakeParallelInterleave(const Interleave& op,
                                                 const IteratorContext& context) {
  return std::make_unique<ParallelInterleaveIterator>(op, context);
}

}  // namespace fastpipe
