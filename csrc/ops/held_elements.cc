#include "ops/held_elements.h"

#include <algorithm>

namespace fastpipe {
namespace {

class HeldElements final : public Dataset {
 public:
  HeldElements(const ElementSpec& spec, std::vector<Element> elements)
      : Dataset(spec, {}), elements_(std::move(elements)) {}
  const std::vector<Element>& elements() const { return elements_; }
  int64_t Cardinality() const override { return static_cast<int64_t>(elements_.size()); }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const std::vector<Element> elements_;
};

class HeldElementsIterator final : public IteratorOf<HeldElements> {
 public:
  using IteratorOf::IteratorOf;

 private:
  Status Produce(Element* out) override {
    if (next_ == op().Cardinality()) return Status::EndOfSequence();
    *out = op().elements()[static_cast<size_t>(next_++)];
    return Status::Ok();
  }
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    const int64_t step = std::min(count, op().Cardinality() - next_);
    next_ += step;
    *skipped += step;
    return step == count ? Status::Ok() : Status::EndOfSequence();
  }
  Status SavePosition(PositionWriter* writer) override {
    writer->PutInt(next_);
    return Status::Ok();
  }
  Status RestorePosition(PositionReader* reader) override {
    next_ = reader->GetCount(op().Cardinality());
    return Status::Ok();
  }

  int64_t next_ = 0;
};

std::unique_ptr<Iterator> HeldElements::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<HeldElementsIterator>(*this, context);
}

}  // namespace

DatasetRef HoldElements(const ElementSpec& spec, std::vector<Element> elements,
                        const std::string& label) {
  auto held = std::make_shared<HeldElements>(spec, std::move(elements));
  held->set_label(label);
  return held;
}

}  // namespace fastpipe
