// while_loop(variables..., captures...): calls `body` on the variables, again and again, while
// `condition` of them holds, and returns the last ones.
//
// Attributes: condition, body (functions of the variables), num_variables, num_condition (how many
// of the captures belong to `condition`; the rest belong to `body`), limit (of rounds; < 0: none).

#include "core/cancel.h"
#include "core/program.h"
#include "core/registry.h"

namespace fastpipe {
namespace {

class WhileLoop final : public Kernel {
 public:
  WhileLoop(Function condition, Function body, size_t variables, size_t captures, int64_t limit)
      : condition_(std::move(condition)),
        body_(std::move(body)),
        num_variables_(variables),
        num_condition_(captures),
        limit_(limit) {}

  Status Run(KernelContext* context, Inputs in, Outputs out) const override {
    Element variables;
    for (const Tensor* each : in.first(num_variables_)) variables.push_back(*each);
    const Inputs captured = in.subspan(num_variables_);
    const std::vector<Tensor> of_condition = Copies(captured.first(num_condition_));
    const std::vector<Tensor> of_body = Copies(captured.subspan(num_condition_));
    Program::Scratch scratch[2];
    // Every round draws random numbers of its own.
    KernelContext round_context = *context;
    round_context.random = context->random.Within(RandomKey::Part::kElement, context->element);
    for (int64_t round = 0; round != limit_; ++round) {
      if (context->cancel && context->cancel->cancelled())
        return Cancelled("while_loop: cancelled");
      if (round % 1024 == 0) FASTPIPE_RETURN_IF_ERROR(CheckInterrupt());
      round_context.element = round;
      Element holds;
      FASTPIPE_RETURN_IF_ERROR(
          condition_.program->Run(&round_context, variables, of_condition, &scratch[0], &holds));
      if (holds[0].num_elements() != 1) {
        return InvalidArgument(StrCat("while_loop: the condition must give a scalar, got shape ",
                                      ShapeString(holds[0].dims())));
      }
      if (holds[0].AsInt64() == 0) break;
      Element next;
      FASTPIPE_RETURN_IF_ERROR(
          body_.program->Run(&round_context, variables, of_body, &scratch[1], &next));
      variables = std::move(next);
    }
    for (size_t i = 0; i < out.size(); ++i) out[i].Set(std::move(variables[i]));
    return Status::Ok();
  }

 private:
  static std::vector<Tensor> Copies(Inputs in) {
    std::vector<Tensor> copies;
    for (const Tensor* each : in) copies.push_back(*each);
    return copies;
  }

  const Function condition_;
  const Function body_;
  const size_t num_variables_;
  const size_t num_condition_;
  const int64_t limit_;
};

Result<KernelPlan> PlanWhileLoop(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(Function condition, attrs.Func("condition"));
  FASTPIPE_ASSIGN(Function body, attrs.Func("body"));
  FASTPIPE_ASSIGN(const ElementSpec signature, attrs.Signature("signature"));
  const int64_t variables = static_cast<int64_t>(signature.size());
  const int64_t captures = static_cast<int64_t>(inputs.size()) - variables;
  FASTPIPE_ASSIGN(const int64_t of_condition,
                  attrs.Int("num_condition", {.min = 0, .max = captures}));
  FASTPIPE_ASSIGN(const int64_t limit, attrs.IntOr("limit", -1));
  const ElementSpec& holds = condition.program->output_specs();
  if (holds.size() != 1 || holds[0].dtype != DType::kBool || holds[0].rank() > 0) {
    return attrs.Error("the condition must give one scalar bool");
  }
  const ElementSpec& next = body.program->output_specs();
  if (next.size() != signature.size()) {
    return attrs.Error(StrCat("the body returns ", next.size(), " tensors for ", signature.size(),
                              " loop variables"));
  }
  for (size_t i = 0; i < next.size(); ++i) {
    if (signature[i].Accepts(inputs[i]) && signature[i].Accepts(next[i])) continue;
    return attrs.Error(StrCat("loop variable ", i, " starts as ", inputs[i].ToString(),
                              " and becomes ", next[i].ToString(), ", but must stay ",
                              signature[i].ToString(), ": give shape_invariants"));
  }
  return KernelPlan{signature,
                    std::make_shared<const WhileLoop>(std::move(condition), std::move(body),
                                                      static_cast<size_t>(variables),
                                                      static_cast<size_t>(of_condition), limit)};
}

FASTPIPE_KERNEL("while_loop", PlanWhileLoop);

}  // namespace
}  // namespace fastpipe
