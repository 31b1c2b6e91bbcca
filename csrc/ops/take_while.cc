// take_while(predicate): the elements before the first for which it does not hold.

#include "core/registry.h"
#include "ops/interrupted_element.h"
#include "ops/predicate.h"

namespace fastpipe {
namespace {

class TakeWhile final : public Dataset {
 public:
  TakeWhile(DatasetRef input, Function predicate)
      : Dataset(input->spec(), {input}), predicate_(std::move(predicate)) {}
  const Function& predicate() const { return predicate_; }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const Function predicate_;
};

class TakeWhileIterator final : public UnaryIterator<TakeWhile> {
 public:
  TakeWhileIterator(const TakeWhile& op, const IteratorContext& context)
      : UnaryIterator(op, context), predicate_(op.predicate(), op, context) {}

 private:
  Status Produce(Element* out) override {
    FASTPIPE_RETURN_IF_ERROR(interrupted_.Next(input_.get(), out));
    bool holds = false;
    Status status = predicate_.Test(input_->count() - 1, *out, &holds);
    FASTPIPE_RETURN_IF_ERROR(interrupted_.Keep(std::move(status), out));
    if (holds) return Status::Ok();
    input_.reset();  // stops the stages underneath, however long the consumer keeps us
    return Status::EndOfSequence();
  }

  Status SavePosition(PositionWriter* writer) override {
    FASTPIPE_RETURN_IF_ERROR(interrupted_.ExpectNone(op().label()));
    return UnaryIterator::SavePosition(writer);
  }

  Predicate predicate_;
  InterruptedElement interrupted_;
};

std::unique_ptr<Iterator> TakeWhile::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<TakeWhileIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeTakeWhile(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(Function predicate, PredicateFunction(args, inputs[0]->spec()));
  return std::make_shared<TakeWhile>(inputs[0], std::move(predicate));
}

FASTPIPE_OP("take_while", MakeTakeWhile);

}  // namespace
}  // namespace fastpipe
