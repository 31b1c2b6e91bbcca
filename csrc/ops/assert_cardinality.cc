// assert_cardinality(cardinality): declares the number of elements, and checks it while they pass.

#include "core/registry.h"

namespace fastpipe {
namespace {

class AssertCardinality final : public Dataset {
 public:
  AssertCardinality(DatasetRef input, int64_t cardinality)
      : Dataset(input->spec(), {input}), cardinality_(cardinality) {}
  int64_t Cardinality() const override { return cardinality_; }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const int64_t cardinality_;
};

class AssertCardinalityIterator final : public UnaryIterator<AssertCardinality> {
 public:
  using UnaryIterator::UnaryIterator;

 private:
  Status Produce(Element* out) override {
    if (failed_) return Status::EndOfSequence();
    const int64_t expected = op().Cardinality();
    Status status = input_->Next(out);
    if (status.ok()) {
      ++elements_;
      if (expected < 0 || elements_ <= expected) return status;
      return Failed(StrCat("the input was said to have ", expected, " elements, but has more"));
    }
    if (!status.end_of_sequence() || expected == kUnknown || elements_ == expected) return status;
    const std::string said = expected == kInfinite ? "no end" : StrCat(expected, " elements");
    return Failed(StrCat("the input was said to have ", said, ", but has only ", elements_));
  }
  // The sequence ends with this error.
  Status Failed(std::string message) {
    failed_ = true;
    return FailedPrecondition(std::move(message));
  }
  Status SavePosition(PositionWriter* writer) override {
    writer->PutInt(elements_);
    writer->PutInt(failed_ ? 1 : 0);
    return UnaryIterator::SavePosition(writer);
  }
  Status RestorePosition(PositionReader* reader) override {
    elements_ = reader->GetCount();
    failed_ = reader->GetCount(1) == 1;
    return UnaryIterator::RestorePosition(reader);
  }

  int64_t elements_ = 0;
  bool failed_ = false;
};

std::unique_ptr<Iterator> AssertCardinality::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<AssertCardinalityIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeAssertCardinality(const Args& args,
                                                       std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(const int64_t cardinality, args.Int("cardinality", {.min = kUnknown}));
  return std::make_shared<AssertCardinality>(inputs[0], cardinality);
}

FASTPIPE_OP("assert_cardinality", MakeAssertCardinality);

}  // namespace
}  // namespace fastpipe
