// concatenate(first, second): all elements of the one, then all of the other.

#include "core/registry.h"
#include "ops/element_choice.h"

namespace fastpipe {
namespace {

class Concatenate final : public Dataset {
 public:
  Concatenate(ElementSpec spec, std::vector<DatasetRef> inputs)
      : Dataset(std::move(spec), std::move(inputs)) {}

  int64_t Cardinality() const override {
    int64_t total = 0;
    bool unknown = false;
    for (const DatasetRef& input : inputs()) {
      const int64_t size = input->Cardinality();
      if (size == kInfinite) return kInfinite;
      unknown = unknown || size == kUnknown;
      if (!unknown) total = size > INT64_MAX - total ? INT64_MAX : total + size;
    }
    return unknown ? kUnknown : total;
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;
};

class ConcatenateIterator final : public IteratorOf<Concatenate> {
 public:
  ConcatenateIterator(const Concatenate& op, const IteratorContext& context)
      : IteratorOf(op, context), epochs_(op, context.epochs) {
    Open(0);
  }

 private:
  Status Produce(Element* out) override {
    while (true) {
      if (!input_) Open(current_);
      Status status = input_->Next(out);
      if (!status.end_of_sequence() || at_last()) return status;
      Open(current_ + 1);
    }
  }
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    const int64_t target = *skipped + count;
    while (true) {
      if (!input_) Open(current_);
      Status status = input_->Skip(target - *skipped, skipped);
      if (!status.end_of_sequence() || at_last()) return status;
      Open(current_ + 1);
    }
  }
  Status SavePosition(PositionWriter* writer) override {
    if (!input_) Open(current_);
    writer->PutInt(static_cast<int64_t>(current_));
    epochs_.Save(writer);
    return input_->Save(writer);
  }
  Status RestorePosition(PositionReader* reader) override {
    const int64_t current = reader->GetCount(static_cast<int64_t>(op().inputs().size()) - 1);
    if (current != 0) Open(static_cast<size_t>(current));
    epochs_.Restore(reader);
    return input_->Restore(reader);
  }

  bool at_last() const { return current_ + 1 == op().inputs().size(); }
  void Open(size_t index) {
    input_.reset();
    current_ = index;
    auto input = op().inputs()[index]->MakeIterator(
        context().Within(RandomKey::Part::kInput, static_cast<int64_t>(index)));
    epochs_.Note();
    input_ = std::move(input);
  }

  EpochCounts epochs_;
  size_t current_ = 0;
  std::unique_ptr<Iterator> input_;  // null if there was no memory for it: made when it is needed
};

std::unique_ptr<Iterator> Concatenate::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<ConcatenateIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeConcatenate(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(ElementSpec spec, CommonSpec(args, inputs, 0));
  return std::make_shared<Concatenate>(std::move(spec), std::move(inputs));
}

FASTPIPE_OP("concatenate", MakeConcatenate);

}  // namespace
}  // namespace fastpipe
