// shard(num_shards, index): every num_shards-th element, beginning with number `index`.

#include "core/numbered.h"
#include "core/registry.h"

namespace fastpipe {
namespace {

class Shard final : public Dataset {
 public:
  Shard(DatasetRef input, int64_t num_shards, int64_t index)
      : Dataset(input->spec(), {input}), num_shards_(num_shards), index_(index) {}
  int64_t num_shards() const { return num_shards_; }
  int64_t index() const { return index_; }

  int64_t Cardinality() const override {
    const int64_t size = input()->Cardinality();
    if (size < 0) return size;
    return size / num_shards_ + (index_ < size % num_shards_ ? 1 : 0);
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const int64_t num_shards_;
  const int64_t index_;
};

class ShardIterator final : public UnaryIterator<Shard> {
 public:
  using UnaryIterator::UnaryIterator;

 private:
  Status Produce(Element* out) override {
    if (numbered_) return ProduceByNumber(out);
    while (true) {
      FASTPIPE_RETURN_IF_ERROR(input_->Next(out));
      const bool ours = turn_ == op().index();
      Turn(1);
      if (ours) return Status::Ok();
    }
  }
  // An error has its number, and so its turn.
  Status ProduceByNumber(Element* out) {
    const int64_t ahead = op().index() - turn_;
    int64_t skipped = 0;
    Status status = input_->Skip(ahead < 0 ? ahead + op().num_shards() : ahead, &skipped);
    Turn(skipped);
    FASTPIPE_RETURN_IF_ERROR(std::move(status));
    status = input_->Next(out);
    if (!status.end_of_sequence() && status.code() != Code::kCancelled) Turn(1);
    return status;
  }
  void Turn(int64_t elements) { turn_ = (turn_ + elements) % op().num_shards(); }
  Status SavePosition(PositionWriter* writer) override {
    writer->PutInt(turn_);
    return UnaryIterator::SavePosition(writer);
  }
  Status RestorePosition(PositionReader* reader) override {
    turn_ = reader->GetCount(op().num_shards() - 1);
    return UnaryIterator::RestorePosition(reader);
  }

  const bool numbered_ = dynamic_cast<const Numbered*>(input_.get()) != nullptr;
  int64_t turn_ = 0;  // the shard that the next element belongs to; an error passes without a turn
};

std::unique_ptr<Iterator> Shard::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<ShardIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeShard(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(const int64_t num_shards, args.Int("num_shards", {.min = 1}));
  FASTPIPE_ASSIGN(int64_t index, args.Int("index", {.min = 0}));
  if (args.IsPlaceholder("num_shards") || args.IsPlaceholder("index")) index = 0;
  if (index >= num_shards) {
    return args.Error(
        StrCat("index must be below num_shards, which is ", num_shards, ", got ", index));
  }
  return std::make_shared<Shard>(inputs[0], num_shards, index);
}

FASTPIPE_OP("shard", MakeShard);

}  // namespace
}  // namespace fastpipe
