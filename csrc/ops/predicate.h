// Predicate: a function from an element to a scalar bool, for filter and take_while.
#pragma once

#include "core/program.h"
#include "runtime/context.h"

namespace fastpipe {

// The function argument `predicate`. InvalidArgument unless it takes the elements of `spec` and
// returns a scalar bool.
Result<Function> PredicateFunction(const Args& args, const ElementSpec& spec);

// Calls a predicate; one thread at a time.
class Predicate {
 public:
  Predicate(const Function& function, const Dataset& op, const IteratorContext& context)
      : call_(function, context.run->kernel_context(op, context)) {}
  // `number` is that of the element in the pass.
  Status Test(int64_t number, const Element& element, bool* holds);

 private:
  FunctionCall call_;
  Element result_;
};

}  // namespace fastpipe
