// string_bytes(text): the bytes of all strings in row-major order, each as a string, and the int64
// row splits, one more than there are strings.

#include <algorithm>

#include "core/registry.h"

namespace fastpipe {
namespace {

Result<KernelPlan> PlanBytes(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  const int64_t count = inputs[0].fully_known() ? NumElements(inputs[0].dims) : -1;
  return KernelPlan{{TensorSpec::Of(DType::kString, {-1}),
                     TensorSpec::Of(DType::kInt64, {count < 0 ? -1 : count + 1})},
                    KernelFrom([](KernelContext*, Inputs in, Outputs out) {
                      StringArrayBuilder bytes(in[0]->num_bytes());
                      std::vector<int64_t> splits{0};
                      for (int64_t i = 0; i < in[0]->num_elements(); ++i) {
                        for (const char& c : in[0]->str(i)) bytes.Append({&c, 1});
                        splits.push_back(bytes.size());
                      }
                      out[0].Set(bytes.Build());
                      const int64_t size = static_cast<int64_t>(splits.size());
                      std::copy(splits.begin(), splits.end(),
                                out[1].Allocate<int64_t>(Dims(&size, 1)));
                      return Status::Ok();
                    })};
}

FASTPIPE_KERNEL("string_bytes", PlanBytes);

}  // namespace
}  // namespace fastpipe
