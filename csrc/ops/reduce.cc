// reduce(function, initial_state): one element, the state after `function` has seen all elements.

#include "core/registry.h"
#include "ops/fold.h"
#include "runtime/context.h"

namespace fastpipe {
namespace {

class Reduce final : public Dataset {
 public:
  Reduce(DatasetRef input, Fold fold) : Dataset(fold.state, {input}), fold_(std::move(fold)) {}

  const Fold& fold() const { return fold_; }
  int64_t Cardinality() const override { return 1; }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const Fold fold_;
};

// The whole pass is one result, so that a position lies before or behind it.
class ReduceIterator final : public IteratorOf<Reduce> {
 public:
  using IteratorOf::IteratorOf;

 private:
  Status Produce(Element* out) override {
    if (done_) return Status::EndOfSequence();
    done_ = true;
    const std::unique_ptr<Iterator> input = op().inputs().front()->MakeIterator(context());
    FoldCall call(op().fold(), run().kernel_context(op(), context()));
    Element element;
    while (true) {
      Status status = input->Next(&element);
      if (status.end_of_sequence()) break;
      FASTPIPE_RETURN_IF_ERROR(std::move(status));
      Element none;
      FASTPIPE_RETURN_IF_ERROR(call.Step(input->count() - 1, &element, &none));
    }
    for (Tensor& tensor : call.state()) out->push_back(std::move(tensor));
    return Status::Ok();
  }
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    if (count > 0 && !done_) {
      done_ = true;
      ++*skipped;
      --count;
    }
    return count > 0 ? Status::EndOfSequence() : Status::Ok();
  }
  Status SavePosition(PositionWriter* writer) override {
    writer->PutInt(done_ ? 1 : 0);
    return Status::Ok();
  }
  Status RestorePosition(PositionReader* reader) override {
    done_ = reader->GetCount(1) == 1;
    return Status::Ok();
  }

  bool done_ = false;
};

std::unique_ptr<Iterator> Reduce::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<ReduceIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeReduce(const Args& args, std::vector<DatasetRef> inputs) {
  if (inputs[0]->Cardinality() == kInfinite) return args.Error("the dataset is infinite");
  FASTPIPE_ASSIGN(Fold fold, ReadFold(args, inputs[0]->spec()));
  const size_t returned = fold.function.program->output_specs().size();
  if (returned != fold.state.size()) {
    return args.Error(StrCat("the function must return the ", fold.state.size(),
                             " components of the state, got ", returned, " tensors"));
  }
  return std::make_shared<Reduce>(inputs[0], std::move(fold));
}

FASTPIPE_OP("reduce", MakeReduce);

}  // namespace
}  // namespace fastpipe
