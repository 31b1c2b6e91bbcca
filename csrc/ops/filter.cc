// filter(predicate): the elements for which it holds.

#include "core/registry.h"
#include "ops/predicate.h"

namespace fastpipe {
namespace {

class Filter final : public Dataset {
 public:
  Filter(DatasetRef input, Function predicate)
      : Dataset(input->spec(), {input}), predicate_(std::move(predicate)) {}
  const Function& predicate() const { return predicate_; }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const Function predicate_;
};

class FilterIterator final : public UnaryIterator<Filter> {
 public:
  FilterIterator(const Filter& op, const IteratorContext& context)
      : UnaryIterator(op, context), predicate_(op.predicate(), op, context) {}

 private:
  Status Produce(Element* out) override {
    while (true) {
      FASTPIPE_RETURN_IF_ERROR(input_->Next(out));
      bool holds = false;
      FASTPIPE_RETURN_IF_ERROR(predicate_.Test(input_->count() - 1, *out, &holds));
      if (holds) return Status::Ok();
    }
  }

  Predicate predicate_;
};

std::unique_ptr<Iterator> Filter::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<FilterIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeFilter(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(Function predicate, PredicateFunction(args, inputs[0]->spec()));
  return std::make_shared<Filter>(inputs[0], std::move(predicate));
}

FASTPIPE_OP("filter", MakeFilter);

}  // namespace
}  // namespace fastpipe
