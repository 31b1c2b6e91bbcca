// py_call: a Python callable as a kernel. Attributes: handle, signature (the specs of its results).

#include "core/python_hooks.h"
#include "core/registry.h"

namespace fastpipe {
namespace {

Result<KernelPlan> PlanPyCall(const Args& attrs, Specs) {
  FASTPIPE_ASSIGN(const int64_t handle, attrs.Int("handle"));
  FASTPIPE_ASSIGN(ElementSpec signature, attrs.Signature("signature"));
  auto run = [handle, signature](KernelContext*, Inputs in, Outputs out) -> Status {
    std::vector<Tensor> inputs;
    for (const Tensor* input : in) inputs.push_back(*input);
    std::vector<Tensor> results;
    FASTPIPE_RETURN_IF_ERROR(PythonEntry()->call(handle, inputs, signature, &results));
    FASTPIPE_RETURN_IF_ERROR(ExpectSignature(results, signature));
    for (size_t i = 0; i < results.size(); ++i) out[i].Set(std::move(results[i]));
    return Status::Ok();
  };
  return KernelPlan{signature, KernelFrom(std::move(run))};
}

FASTPIPE_KERNEL("py_call", PlanPyCall);

}  // namespace
}  // namespace fastpipe
