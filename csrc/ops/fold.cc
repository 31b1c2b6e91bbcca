#include "ops/fold.h"

#include <algorithm>

namespace fastpipe {
namespace {

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
                             " components of the state, got ", outputs.size(), " tensors"));
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

}  // namespace

Result<Fold> ReadFold(const Args& args, const ElementSpec& input) {
  Fold fold;
  FASTPIPE_ASSIGN(fold.function, args.Func("function"));
  FASTPIPE_ASSIGN(ElementSpec initial, args.TensorSpecs("initial_state"));
  FASTPIPE_ASSIGN(fold.initial_state, args.Tensors("initial_state"));
  ElementSpec arguments = initial;
  arguments.insert(arguments.end(), input.begin(), input.end());
  FASTPIPE_RETURN_IF_ERROR(ExpectArgs(args, fold.function, arguments));
  const ElementSpec& outputs = fold.function.program->output_specs();
  FASTPIPE_RETURN_IF_ERROR(ExpectState(args, initial, outputs));
  for (size_t i = 0; i < initial.size(); ++i) {
    fold.state.push_back(Union(initial[i], outputs[i]));
  }
  return fold;
}

Status FoldCall::Step(int64_t number, Element* element, Element* out) {
  arguments_.clear();
  for (const Tensor& tensor : state_) arguments_.push_back(tensor);
  for (Tensor& tensor : *element) arguments_.push_back(std::move(tensor));
  Status status = call_.Run(number, arguments_, &results_);
  if (!status.ok()) {
    for (size_t i = 0; i < element->size(); ++i) {
      (*element)[i] = std::move(arguments_[state_.size() + i]);
    }
    return status;
  }
  arguments_.clear();
  for (size_t i = 0; i < state_.size(); ++i) {
    if (fold_.state[i].Accepts(results_[i])) continue;
    return InvalidArgument(StrCat("component ", i, " of the state must be ",
                                  fold_.state[i].ToString(), ", the function returned ",
                                  TensorSpec::Of(results_[i]).ToString()));
  }
  for (size_t i = 0; i < state_.size(); ++i) state_[i] = std::move(results_[i]);
  for (size_t i = state_.size(); i < results_.size(); ++i) out->push_back(std::move(results_[i]));
  return Status::Ok();
}

}  // namespace fastpipe
