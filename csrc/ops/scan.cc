// scan(function, initial_state): runs `function` on a state and each element; it returns the next
// state and the output. The position holds the state itself.

#include "core/registry.h"
#include "ops/fold.h"
#include "ops/interrupted_element.h"
#include "ops/tensor_position.h"
#include "runtime/context.h"

namespace fastpipe {
namespace {

class Scan final : public Dataset {
 public:
  Scan(ElementSpec spec, DatasetRef input, Fold fold)
      : Dataset(std::move(spec), {input}), fold_(std::move(fold)) {}

  const Fold& fold() const { return fold_; }
  int64_t Cardinality() const override { return input()->Cardinality(); }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const Fold fold_;
};

class ScanIterator final : public UnaryIterator<Scan> {
 public:
  ScanIterator(const Scan& op, const IteratorContext& context)
      : UnaryIterator(op, context), call_(op.fold(), context.run->kernel_context(op, context)) {}

 private:
  Status Produce(Element* out) override {
    FASTPIPE_RETURN_IF_ERROR(interrupted_.Next(input_.get(), &in_));
    return interrupted_.Keep(call_.Step(input_->count() - 1, &in_, out), &in_);
  }
  Status SavePosition(PositionWriter* writer) override {
    FASTPIPE_RETURN_IF_ERROR(interrupted_.ExpectNone(op().label()));
    for (const Tensor& tensor : call_.state()) PutTensor(tensor, writer);
    return UnaryIterator::SavePosition(writer);
  }
  Status RestorePosition(PositionReader* reader) override {
    const ElementSpec& specs = op().fold().state;
    for (size_t i = 0; i < specs.size(); ++i) {
      // The function was planned for such tensors, and does not look again.
      FASTPIPE_RETURN_IF_ERROR(GetTensor(reader, specs[i], &call_.state()[i]));
    }
    return UnaryIterator::RestorePosition(reader);
  }

  FoldCall call_;
  Element in_;
  InterruptedElement interrupted_;
};

std::unique_ptr<Iterator> Scan::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<ScanIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeScan(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(Fold fold, ReadFold(args, inputs[0]->spec()));
  const ElementSpec& outputs = fold.function.program->output_specs();
  ElementSpec spec(outputs.begin() + static_cast<int64_t>(fold.state.size()), outputs.end());
  return std::make_shared<Scan>(std::move(spec), inputs[0], std::move(fold));
}

FASTPIPE_OP("scan", MakeScan);

}  // namespace
}  // namespace fastpipe
