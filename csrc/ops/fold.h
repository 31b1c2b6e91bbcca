// A function that carries state over elements, as scan and reduce call it: it takes the state and
// an element, and returns the next state, then what else there is.
#pragma once

#include <vector>

#include "core/program.h"

namespace fastpipe {

struct Fold {
  Function function;
  // Empty while a function is being traced and does not know it yet.
  std::vector<Tensor> initial_state;
  ElementSpec state;  // what the state may become
};

// The arguments `function` and `initial_state`, checked against elements of `input`.
Result<Fold> ReadFold(const Args& args, const ElementSpec& input);

// One pass of a Fold. Used by one thread.
class FoldCall {
 public:
  FoldCall(const Fold& fold, KernelContext context)
      : fold_(fold), call_(fold.function, std::move(context)), state_(fold.initial_state) {}

  // Takes the tensors of element `number` of the pass; appends what comes after the state to
  // `*out`. After an error the state is what it was.
  Status Step(int64_t number, Element* element, Element* out);
  std::vector<Tensor>& state() { return state_; }

 private:
  const Fold& fold_;  // belongs to the op
  FunctionCall call_;
  std::vector<Tensor> state_;
  Element arguments_;
  Element results_;
};

}  // namespace fastpipe
