// scan(function, initial_state): runs `function` on a state and each element; it returns the next
// state and the output. The position holds the state itself.

#include <algorithm>

#include "core/program.h"
#include "core/registry.h"
#include "ops/tensor_position.h"
#include "runtime/context.h"

namespace fastpipe {
namespace {

class Scan final : public Dataset {
 public:
  // `initial_state` is empty while a function is being traced and does not know it yet.
  Scan(ElementSpec spec, DatasetRef input, Function function, std::vector<Tensor> initial_state)
      : Dataset(std::move(spec), {input}),
        function_(std::move(function)),
        initial_state_(std::move(initial_state)) {}

  const Function& function() const { return function_; }
  const std::vector<Tensor>& initial_state() const { return initial_state_; }
  int64_t Cardinality() const override { return input()->Cardinality(); }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const Function function_;
  const std::vector<Tensor> initial_state_;
};

class ScanIterator final : public UnaryIterator<Scan> {
 public:
  ScanIterator(const Scan& op, const IteratorContext& context)
      : UnaryIterator(op, context),
        call_(op.function()),
        kernel_context_(context.run->kernel_context(context)),
        state_(op.initial_state()) {}

 private:
  // After an error of the function the state is what it was.
  Status Produce(Element* out) override {
    FASTPIPE_RETURN_IF_ERROR(input_->Next(&in_));
    arguments_.clear();
    for (const Tensor& tensor : state_) arguments_.push_back(tensor);
    for (Tensor& tensor : in_) arguments_.push_back(std::move(tensor));
    FASTPIPE_RETURN_IF_ERROR(call_.Run(&kernel_context_, arguments_, &results_));
    const ElementSpec& specs = op().function().program->output_specs();
    for (size_t i = 0; i < state_.size(); ++i) {
      if (specs[i].Accepts(results_[i])) continue;
      return InvalidArgument(StrCat("component ", i, " of the state must be ", specs[i].ToString(),
                                    ", the function returned ",
                                    TensorSpec::Of(results_[i]).ToString()));
    }
    for (size_t i = 0; i < state_.size(); ++i) state_[i] = std::move(results_[i]);
    for (size_t i = state_.size(); i < results_.size(); ++i) {
      out->push_back(std::move(results_[i]));
    }
    arguments_.clear();
    return Status::Ok();
  }
  Status SavePosition(PositionWriter* writer) override {
    for (const Tensor& tensor : state_) PutTensor(tensor, writer);
    return UnaryIterator::SavePosition(writer);
  }
  Status RestorePosition(PositionReader* reader) override {
    for (Tensor& tensor : state_) FASTPIPE_RETURN_IF_ERROR(GetTensor(reader, &tensor));
    return UnaryIterator::RestorePosition(reader);
  }

  FunctionCall call_;
  KernelContext kernel_context_;
  std::vector<Tensor> state_;
  Element in_;
  Element arguments_;
  Element results_;
};

std::unique_ptr<Iterator> Scan::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<ScanIterator>(*this, context);
}

// Whether a tensor may be of both specs, as far as they tell.
bool Compatible(const TensorSpec& a, const TensorSpec& b) {
  if (a.dtype != b.dtype) return false;
  if (!a.known_rank || !b.known_rank) return true;
  return std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(),
                    [](int64_t x, int64_t y) { return x < 0 || y < 0 || x == y; });
}

Status ExpectState(const Args& args, const ElementSpec& state, const ElementSpec& outputs) {
  if (outputs.size() < state.size()) {
    return args.Error(StrCat("the function must return the ", state.size(),
                             " components of the state and an output, got ", outputs.size(),
                             " tensors"));
  }
  for (size_t i = 0; i < state.size(); ++i) {
    if (state[i].dtype == DType::kDataset) {
      return args.Error(StrCat("the state must hold tensors, got a dataset as component ", i));
    }
    if (Compatible(state[i], outputs[i])) continue;
    return args.Error(StrCat("component ", i, " of the state is ", state[i].ToString(),
                             ", the function returns ", outputs[i].ToString()));
  }
  return Status::Ok();
}

Result<std::shared_ptr<Dataset>> MakeScan(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(Function function, args.Func("function"));
  FASTPIPE_ASSIGN(const ElementSpec state, args.TensorSpecs("initial_state"));
  FASTPIPE_ASSIGN(std::vector<Tensor> initial_state, args.Tensors("initial_state"));
  ElementSpec arguments = state;
  arguments.insert(arguments.end(), inputs[0]->spec().begin(), inputs[0]->spec().end());
  FASTPIPE_RETURN_IF_ERROR(ExpectArgs(args, function, arguments));
  const ElementSpec& outputs = function.program->output_specs();
  FASTPIPE_RETURN_IF_ERROR(ExpectState(args, state, outputs));
  ElementSpec spec(outputs.begin() + static_cast<int64_t>(state.size()), outputs.end());
  return std::make_shared<Scan>(std::move(spec), inputs[0], std::move(function),
                                std::move(initial_state));
}

FASTPIPE_OP("scan", MakeScan);

}  // namespace
}  // namespace fastpipe
