#include <algorithm>

#include "ops/cache.h"
#include "runtime/context.h"

namespace fastpipe {
namespace {

class Cache final : public Dataset {
 public:
  Cache(DatasetRef input, std::unique_ptr<CacheStore> store)
      : Dataset(input->spec(), {input}), store_(std::move(store)) {}
  int64_t Cardinality() const override { return input()->Cardinality(); }
  bool GivesBlocks(const RunOptions& options) const override {
    if (!store_->keeps_rows()) return false;
    return input()->GivesBlocks(options) || (options.fusion && store_->filled());
  }
  CacheStore& store() const { return *store_; }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const std::unique_ptr<CacheStore> store_;
};

class CacheIterator final : public IteratorOf<Cache> {
 public:
  CacheIterator(const Cache& op, const IteratorContext& context)
      : IteratorOf(op, context), epochs_(op, context.epochs) {}

 private:
  enum class Mode : int64_t {
    kUndecided,  // before the first result
    kFilling,    // passes the input on and collects it
    kResumed,    // passes the input on from where a restored pass stood
    kFailed,     // passes the input on, which has had an error
    kServing,    // from the store
    kRefused,    // the store cannot be used: nothing follows
  };

  Status Produce(Element* out) override {
    FASTPIPE_RETURN_IF_ERROR(DecideOnce());
    if (mode_ == Mode::kServing) {
      Status status = kept_->Next(out);
      if (!status.end_of_sequence() && status.code() != Code::kCancelled) ++passed_;
      return status;
    }
    Status status = input_->Next(out);
    return Collect(std::move(status), *out, 1);
  }

  Status ProduceBlock(int64_t most, Block* out) override {
    FASTPIPE_RETURN_IF_ERROR(DecideOnce());
    if (mode_ == Mode::kServing) {
      Status status = kept_->NextBlock(most, out);
      passed_ += out->rows;
      return status;
    }
    // That a filled store gives blocks says nothing of the input, which a restored pass reads all
    // the same.
    if (!input_gives_blocks_) return Iterator::ProduceBlock(most, out);
    Status status = input_->NextBlock(most, out);
    return Collect(std::move(status), *out, out->rows);
  }

  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    FASTPIPE_RETURN_IF_ERROR(DecideOnce());
    if (mode_ == Mode::kFailed) return input_->Skip(count, skipped);
    if (mode_ != Mode::kServing) return Iterator::ProduceSkip(count, skipped);
    const int64_t before = *skipped;
    Status status = kept_->Skip(count, skipped);
    passed_ += *skipped - before;
    return status;
  }

  Status Decide() {
    if (mode_ != Mode::kUndecided) return Status::Ok();
    FASTPIPE_RETURN_IF_ERROR(OpenKept());
    if (!kept_) FASTPIPE_RETURN_IF_ERROR(OpenInput());
    mode_ = kept_ ? Mode::kServing : Mode::kFilling;
    return Status::Ok();
  }

  // As Decide; after an error nothing follows.
  Status DecideOnce() {
    if (mode_ == Mode::kRefused) return Status::EndOfSequence();
    Status status = Decide();
    if (status.error() && status.code() != Code::kCancelled) mode_ = Mode::kRefused;
    return status;
  }

  Status OpenKept() {
    FASTPIPE_ASSIGN(const DatasetRef kept, op().store().Kept(context()));
    if (kept) kept_ = kept->MakeIterator(context());
    return Status::Ok();
  }

  // Makes the input, where the store says that a pass begins.
  Status OpenInput() {
    beginning_ = op().store().beginning();
    if (beginning_) {
      PositionReader reader(*beginning_);
      FASTPIPE_RETURN_IF_ERROR(MakeInputAsOf(&reader));
      return input_->Restore(&reader);
    }
    MakeInput(context());
    PositionWriter writer;
    writer.PutInt(static_cast<int64_t>(context().random.run));
    writer.PutInt(static_cast<int64_t>(context().random.pass));
    PositionWriter seeds;
    SeedsOf(context()).Save(*op().inputs().front(), &seeds);
    writer.PutBytes(seeds.bytes());
    epochs_.Note();
    epochs_.Save(&writer);
    if (input_->Save(&writer).ok()) beginning_ = writer.bytes();
    return Status::Ok();
  }

  // Makes the input with the random numbers of the pass that `beginning` is of, and leaves the
  // position of it: whichever pass fills the store, what it finds is the same.
  Status MakeInputAsOf(PositionReader* beginning) {
    IteratorContext filling = context();
    filling.random.run = static_cast<uint64_t>(beginning->GetInt());
    filling.random.pass = static_cast<uint64_t>(beginning->GetInt());
    filling_seeds_ = SeedsOf(context());
    Status status = filling_seeds_.Restore(*op().inputs().front(), beginning->GetBytes());
    filling.random.seeds = &filling_seeds_;
    MakeInput(filling);
    epochs_.Restore(beginning);
    return status;
  }

  void MakeInput(const IteratorContext& context) {
    const DatasetRef& input = op().inputs().front();
    input_ = input->MakeIterator(context);
    input_gives_blocks_ = input->GivesBlocks(run().options());
  }

  // Adds what the input gave, an Element or a Block, to the part collected so far. What goes wrong
  // with keeping is told at the end of the pass: no element is lost to it.
  template <typename Given>
  Status Collect(Status status, const Given& given, int64_t elements) {
    if (status.code() == Code::kCancelled) return status;
    if (status.error()) {
      mode_ = Mode::kFailed;
      filling_.reset();
      keeping_ = Status::Ok();
      return status;
    }
    if (mode_ == Mode::kResumed && status.end_of_sequence()) {
      op().store().SetBeginning(beginning_);  // it would have completed the store
    }
    if (mode_ != Mode::kFilling) return status;
    if (keeping_.ok()) keeping_ = Keep(status, given);
    if (status.ok()) {
      passed_ += elements;
      return status;
    }
    filling_.reset();
    mode_ = Mode::kFailed;
    return keeping_.ok() ? std::move(status) : std::move(keeping_);
  }

  template <typename Given>
  Status Keep(const Status& status, const Given& given) {
    if (!filling_) {
      FASTPIPE_ASSIGN(filling_, op().store().Begin(context()));
    }
    return status.ok() ? filling_->Append(given) : filling_->Complete(beginning_);
  }

  Status SavePosition(PositionWriter* writer) override {
    // A pass that has not begun yet settles where it will begin.
    FASTPIPE_RETURN_IF_ERROR(Decide());
    writer->PutInt(static_cast<int64_t>(mode_));
    if (mode_ == Mode::kRefused) return Status::Ok();
    const bool serving = mode_ == Mode::kServing;
    const std::optional<std::string> beginning = serving ? op().store().beginning() : beginning_;
    if (!beginning && !serving) {
      return Unimplemented(op().label() + ": its input has no position that can be saved");
    }
    writer->PutInt(beginning ? 1 : 0);
    writer->PutBytes(beginning.value_or(""));
    writer->PutInt(passed_);
    if (!serving) return input_->Save(writer);
    PositionWriter kept;
    FASTPIPE_RETURN_IF_ERROR(kept_->Save(&kept));
    writer->PutBytes(kept.bytes());
    return Status::Ok();
  }

  // A restored pass has not seen the elements before its place, so it does not fill the store. But
  // it knows where the pass began that did, or would have: once that is certain, the next one fills
  // it with the same.
  Status RestorePosition(PositionReader* reader) override {
    const auto saved = static_cast<Mode>(reader->GetCount(static_cast<int64_t>(Mode::kRefused)));
    if (saved == Mode::kRefused) {
      mode_ = saved;
      return Status::Ok();
    }
    const bool has_beginning = reader->GetCount(1) == 1;
    const std::string beginning(reader->GetBytes());
    if (has_beginning) beginning_ = beginning;
    const int64_t passed = reader->GetCount();
    FASTPIPE_RETURN_IF_ERROR(reader->status());
    if (saved == Mode::kServing) return RestoreServing(passed, std::string(reader->GetBytes()));
    mode_ = saved == Mode::kFilling && passed > 0 ? Mode::kResumed : saved;
    PositionReader place(beginning);
    FASTPIPE_RETURN_IF_ERROR(MakeInputAsOf(&place));
    return input_->Restore(reader);
  }

  Status RestoreServing(int64_t passed, const std::string& position) {
    if (beginning_) op().store().SetBeginning(beginning_);
    FASTPIPE_RETURN_IF_ERROR(OpenKept());
    passed_ = passed;
    if (kept_) {
      mode_ = Mode::kServing;
      PositionReader reader(position);
      return kept_->Restore(&reader);
    }
    if (!beginning_) {
      return FailedPrecondition(
          "the position was saved while a cache was read that does not exist any more");
    }
    mode_ = Mode::kResumed;
    FASTPIPE_RETURN_IF_ERROR(OpenInput());
    int64_t skipped = 0;
    Status status = input_->Skip(passed, &skipped);
    return status.end_of_sequence() ? Status::Ok() : status;
  }

  Mode mode_ = Mode::kUndecided;
  std::unique_ptr<Iterator> kept_;  // of what the store keeps
  DrawnSeeds filling_seeds_;        // of the pass that beginning_ is of
  EpochCounts epochs_;
  std::unique_ptr<Iterator> input_;
  bool input_gives_blocks_ = false;
  std::optional<std::string> beginning_;  // of input_
  int64_t passed_ = 0;                    // elements served, or collected
  std::unique_ptr<CacheStore::Filling> filling_;
  Status keeping_;
};

std::unique_ptr<Iterator> Cache::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<CacheIterator>(*this, context);
}

}  // namespace

Status CacheStore::Filling::Append(const Block& block) {
  Element element;
  for (int64_t row = 0; row < block.rows; ++row) {
    element.clear();
    AppendRow(block, row, &element);
    FASTPIPE_RETURN_IF_ERROR(Append(element));
  }
  return Status::Ok();
}

std::shared_ptr<Dataset> MakeCacheOf(DatasetRef input, std::unique_ptr<CacheStore> store) {
  return std::make_shared<Cache>(std::move(input), std::move(store));
}

}  // namespace fastpipe
