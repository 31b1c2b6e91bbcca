#include "ops/held_elements.h"

#include "core/indexed.h"

namespace fastpipe {
namespace {

class HeldElements final : public Dataset {
 public:
  HeldElements(const ElementSpec& spec, std::vector<Element> elements)
      : Dataset(spec, {}), elements_(std::move(elements)) {}
  void Fill(int64_t index, Element* out) const { *out = elements_[static_cast<size_t>(index)]; }
  int64_t Cardinality() const override { return static_cast<int64_t>(elements_.size()); }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const std::vector<Element> elements_;
};

std::unique_ptr<Iterator> HeldElements::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<IndexedIterator<HeldElements>>(*this, context);
}

}  // namespace

DatasetRef HoldElements(const ElementSpec& spec, std::vector<Element> elements,
                        const std::string& label) {
  auto held = std::make_shared<HeldElements>(spec, std::move(elements));
  held->set_label(label);
  return held;
}

}  // namespace fastpipe
