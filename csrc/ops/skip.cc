// skip(count): everything after the first `count` elements; nothing when `count` is -1.

#include <algorithm>

#include "core/numbered.h"
#include "core/registry.h"
#include "runtime/context.h"

namespace fastpipe {
namespace {

class Skip final : public Dataset {
 public:
  Skip(DatasetRef input, int64_t count) : Dataset(input->spec(), {input}), count_(count) {}
  int64_t count() const { return count_; }

  bool GivesBlocks(const RunOptions& options) const override {
    return input()->GivesBlocks(options);
  }
  int64_t Cardinality() const override {
    if (count_ < 0) return 0;
    const int64_t size = input()->Cardinality();
    return size < 0 ? size : std::max<int64_t>(size - count_, 0);
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const int64_t count_;
};

class SkipIterator final : public UnaryIterator<Skip> {
 public:
  using UnaryIterator::UnaryIterator;

 private:
  Status Produce(Element* out) override {
    if (op().count() < 0) return Status::EndOfSequence();
    FASTPIPE_RETURN_IF_ERROR(PassBeginning(out));
    return input_->Next(out);
  }
  Status ProduceBlock(int64_t most, Block* out) override {
    if (op().count() < 0) return Status::EndOfSequence();
    Element dropped;
    FASTPIPE_RETURN_IF_ERROR(PassBeginning(&dropped));
    return input_->NextBlock(most, out);
  }
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    if (passed_ < op().count() || op().count() < 0) {
      return UnaryIterator::ProduceSkip(count, skipped);
    }
    return input_->Skip(count, skipped);
  }
  Status SavePosition(PositionWriter* writer) override {
    writer->PutInt(passed_);
    return UnaryIterator::SavePosition(writer);
  }
  Status RestorePosition(PositionReader* reader) override {
    passed_ = reader->GetCount();
    return UnaryIterator::RestorePosition(reader);
  }

  // One by one, because Iterator::Skip would pass over an error in silence and count it as an
  // element: a missing file is reported, and does not take the place of a header line. Where
  // elements have numbers, there is nothing to count.
  Status PassBeginning(Element* dropped) {
    if (passed_ < op().count() && numbered_) {
      return input_->Skip(op().count() - passed_, &passed_);
    }
    while (passed_ < op().count()) {
      FASTPIPE_RETURN_IF_ERROR(input_->Next(dropped));
      ++passed_;
    }
    return Status::Ok();
  }

  // Elements that pass in blocks are no errors.
  const bool numbered_ =
      dynamic_cast<const Numbered*>(input_.get()) != nullptr || op().GivesBlocks(run().options());
  int64_t passed_ = 0;  // elements; an error passes without counting
};

std::unique_ptr<Iterator> Skip::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<SkipIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeSkip(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(const int64_t count, args.Int("count"));
  return std::make_shared<Skip>(inputs[0], std::max<int64_t>(count, -1));
}

FASTPIPE_OP("skip", MakeSkip);

}  // namespace
}  // namespace fastpipe
