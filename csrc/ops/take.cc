// take(count): the first `count` elements; all of them when `count` is -1.

#include <algorithm>

#include "core/registry.h"

namespace fastpipe {
namespace {

class Take final : public Dataset {
 public:
  Take(DatasetRef input, int64_t count) : Dataset(input->spec(), {input}), count_(count) {}
  int64_t count() const { return count_; }

  bool GivesBlocks(const RunOptions& options) const override {
    return input()->GivesBlocks(options);
  }
  int64_t Cardinality() const override {
    const int64_t size = input()->Cardinality();
    if (count_ < 0 || size == kUnknown) return count_ == 0 ? 0 : size;
    return size == kInfinite ? count_ : std::min(size, count_);
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const int64_t count_;
};

class TakeIterator final : public UnaryIterator<Take> {
 public:
  using UnaryIterator::UnaryIterator;

 private:
  Status Produce(Element* out) override {
    if (Left() == 0) return End();
    Status status = input_->Next(out);
    if (status.ok()) ++taken_;
    return status;
  }
  Status ProduceBlock(int64_t most, Block* out) override {
    if (Left() == 0) return End();
    Status status = input_->NextBlock(std::min(most, Left()), out);
    taken_ += out->rows;
    return status;
  }

  int64_t Left() const {
    return op().count() < 0 ? INT64_MAX : std::max<int64_t>(op().count() - taken_, 0);
  }
  Status End() {
    input_.reset();  // stops the stages underneath, however long the consumer keeps us
    return Status::EndOfSequence();
  }

  Status SavePosition(PositionWriter* writer) override {
    writer->PutInt(taken_);
    return UnaryIterator::SavePosition(writer);
  }
  Status RestorePosition(PositionReader* reader) override {
    taken_ = reader->GetCount();
    return UnaryIterator::RestorePosition(reader);
  }

  int64_t taken_ = 0;  // elements; an error passes without counting
};

std::unique_ptr<Iterator> Take::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<TakeIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeTake(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(const int64_t count, args.Int("count"));
  return std::make_shared<Take>(inputs[0], std::max<int64_t>(count, -1));
}

FASTPIPE_OP("take", MakeTake);

}  // namespace
}  // namespace fastpipe
