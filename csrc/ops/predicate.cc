#include "ops/predicate.h"

namespace fastpipe {

Result<Function> PredicateFunction(const Args& args, const ElementSpec& spec) {
  FASTPIPE_ASSIGN(Function function, args.Func("predicate"));
  FASTPIPE_RETURN_IF_ERROR(ExpectArgs(args, function, spec));
  const ElementSpec& outputs = function.program->output_specs();
  if (outputs.size() != 1) {
    return args.Error(
        StrCat("the predicate must return a scalar bool, got ", outputs.size(), " tensors"));
  }
  if (outputs[0].dtype != DType::kBool || (outputs[0].known_rank && outputs[0].rank() != 0)) {
    return args.Error(
        StrCat("the predicate must return a scalar bool, got ", outputs[0].ToString()));
  }
  return function;
}

Status Predicate::Test(int64_t number, const Element& element, bool* holds) {
  FASTPIPE_RETURN_IF_ERROR(call_.Run(number, element, &result_));
  if (result_[0].rank() != 0) {
    return InvalidArgument(StrCat("the predicate must return a scalar bool, got shape ",
                                  ShapeString(result_[0].dims())));
  }
  *holds = result_[0].scalar<bool>();
  return Status::Ok();
}

}  // namespace fastpipe
