// cond(predicate, captures...): one of two traced functions without arguments, whichever the
// predicate picks; the other does not run. Attributes: then, otherwise (functions), num_then (how
// many of the captures belong to `then`; the rest belong to `otherwise`).

#include "core/program.h"
#include "core/registry.h"

namespace fastpipe {
namespace {

class Cond final : public Kernel {
 public:
  Cond(Function then, Function otherwise, size_t num_then)
      : then_(std::move(then)), otherwise_(std::move(otherwise)), num_then_(num_then) {}

  Status Run(KernelContext* context, Inputs inputs, Outputs outputs) const override {
    const Tensor& predicate = *inputs[0];
    if (predicate.num_elements() != 1) {
      return InvalidArgument(StrCat("cond: the predicate must be a scalar, got shape ",
                                    ShapeString(predicate.dims())));
    }
    const bool picked = predicate.AsInt64() != 0;
    Inputs captured = inputs.subspan(1);
    captured = picked ? captured.first(num_then_) : captured.subspan(num_then_);
    std::vector<Tensor> captures;
    for (const Tensor* capture : captured) captures.push_back(*capture);
    Program::Scratch scratch;
    Element results;
    FASTPIPE_RETURN_IF_ERROR((picked ? then_ : otherwise_)
                                 .program->Run(context, Element(), captures, &scratch, &results));
    for (size_t i = 0; i < outputs.size(); ++i) outputs[i].Set(std::move(results[i]));
    return Status::Ok();
  }

 private:
  const Function then_;
  const Function otherwise_;
  const size_t num_then_;
};

Result<KernelPlan> PlanCond(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(Function then, attrs.Func("then"));
  FASTPIPE_ASSIGN(Function otherwise, attrs.Func("otherwise"));
  const int64_t captures = static_cast<int64_t>(inputs.size()) - 1;
  FASTPIPE_ASSIGN(const int64_t num_then, attrs.Int("num_then", {.min = 0, .max = captures}));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kBool));
  const ElementSpec& a = then.program->output_specs();
  const ElementSpec& b = otherwise.program->output_specs();
  if (a.size() != b.size()) {
    return attrs.Error(StrCat("one function returns ", a.size(), " tensors, the other ", b.size()));
  }
  KernelPlan plan;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].dtype != b[i].dtype) {
      return attrs.Error(StrCat("result ", i, " is ", a[i].ToString(), " of one function and ",
                                b[i].ToString(), " of the other"));
    }
    plan.outputs.push_back(Union(a[i], b[i]));
  }
  plan.kernel = std::make_shared<const Cond>(std::move(then), std::move(otherwise),
                                             static_cast<size_t>(num_then));
  return plan;
}

FASTPIPE_KERNEL("cond", PlanCond);

}  // namespace
}  // namespace fastpipe
