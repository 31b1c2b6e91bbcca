// repeat(count): the input `count` times over; for ever when `count` is -1 or absent.

#include <algorithm>

#include "core/registry.h"
#include "runtime/context.h"

namespace fastpipe {
namespace {

class Repeat final : public Dataset {
 public:
  Repeat(DatasetRef input, int64_t count) : Dataset(input->spec(), {input}), count_(count) {}
  int64_t count() const { return count_; }

  bool GivesBlocks(const RunOptions& options) const override {
    return input()->GivesBlocks(options);
  }
  int64_t Cardinality() const override {
    const int64_t size = input()->Cardinality();
    if (count_ == 0 || size == 0) return 0;
    if (count_ < 0) return kInfinite;
    if (size < 0) return size;
    return size > INT64_MAX / count_ ? INT64_MAX : size * count_;
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const int64_t count_;
};

class RepeatIterator final : public IteratorOf<Repeat> {
 public:
  RepeatIterator(const Repeat& op, const IteratorContext& context)
      : IteratorOf(op, context), epochs_(op, context.epochs), done_(op.count() == 0) {
    if (!done_) StartEpoch();
  }

 private:
  Status Produce(Element* out) override {
    return FromEpochs([&] { return input_->Next(out); });
  }
  Status ProduceBlock(int64_t most, Block* out) override {
    return FromEpochs([&] { return input_->NextBlock(most, out); });
  }

  // What `next` gives of this epoch, or of the next one if this one has ended.
  template <typename Next>
  Status FromEpochs(Next next) {
    while (!done_) {
      if (!input_) StartEpoch();
      Status status = next();
      if (status.ok()) has_elements_ = true;
      if (!status.end_of_sequence()) return status;
      FASTPIPE_RETURN_IF_ERROR(EndEpoch());
    }
    return Status::EndOfSequence();
  }

  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    const int64_t target = *skipped + count;
    while (*skipped < target) {
      // Only an element shows that the epoch is not empty: Skip does not tell it from an error.
      Status status = has_elements_ ? input_->Skip(target - *skipped, skipped)
                                    : Iterator::ProduceSkip(1, skipped);
      if (status.end_of_sequence() && has_elements_ && !done_) {
        FASTPIPE_RETURN_IF_ERROR(EndEpoch());
        if (!done_) continue;
      }
      FASTPIPE_RETURN_IF_ERROR(std::move(status));
    }
    return Status::Ok();
  }

  void StartEpoch() {
    input_.reset();  // its threads end before those of the next epoch start
    has_elements_ = false;
    auto input =
        op().inputs().front()->MakeIterator(context().Within(RandomKey::Part::kEpoch, epoch_));
    epochs_.Note();
    input_ = std::move(input);
  }

  // Goes on to the next epoch, or drops the input if there is none.
  Status EndEpoch() {
    const bool last = op().count() < 0 ? !has_elements_ : epoch_ + 1 >= op().count();
    if (!last) {
      // Empty epochs return nothing, so that nobody above would look.
      if (context().cancel->cancelled()) return Cancelled("the iterator was closed");
      if (!has_elements_) FASTPIPE_RETURN_IF_ERROR(CheckInterrupt());
    }
    ++epoch_;
    done_ = last;
    input_.reset();
    if (done_) return Status::Ok();
    StartEpoch();
    return Status::Ok();
  }

  Status SavePosition(PositionWriter* writer) override {
    if (!done_ && !input_) StartEpoch();
    writer->PutInt(epoch_);
    writer->PutInt(has_elements_ ? 1 : 0);
    if (done_) return Status::Ok();
    epochs_.Save(writer);
    return input_->Save(writer);
  }
  Status RestorePosition(PositionReader* reader) override {
    epoch_ = reader->GetCount();
    if (epoch_ > 0 && !done_) StartEpoch();  // which it is, is part of what its iterators are
    has_elements_ = reader->GetCount(1) == 1;
    if (done_) return Status::Ok();
    epochs_.Restore(reader);
    return input_->Restore(reader);
  }

  int64_t epoch_ = 0;
  bool has_elements_ = false;  // whether this epoch delivered one
  EpochCounts epochs_;
  bool done_;
  std::unique_ptr<Iterator> input_;  // null if there was no memory for it: made when it is needed
};

std::unique_ptr<Iterator> Repeat::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<RepeatIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeRepeat(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(const int64_t count, args.IntOr("count", -1));
  return std::make_shared<Repeat>(inputs[0], std::max<int64_t>(count, -1));
}

FASTPIPE_OP("repeat", MakeRepeat);

}  // namespace
}  // namespace fastpipe
