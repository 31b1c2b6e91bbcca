// check_numerics(x): x itself, or InvalidArgument with the attribute `message` if it holds a NaN or
// an infinity.

#include <cmath>

#include "core/registry.h"
#include "kernels/dispatch.h"

namespace fastpipe {
namespace {

struct Census {
  int64_t nans = 0;
  int64_t infinities = 0;
};

using Count = Census (*)(const Tensor& tensor);

template <typename T>
Census CountIn(const Tensor& tensor) {
  Census census;
  const T* values = tensor.data<T>();
  const int64_t count = tensor.num_elements();
  for (int64_t i = 0; i < count; ++i) {
    census.nans += std::isnan(ToWide(values[i]));
    census.infinities += std::isinf(ToWide(values[i]));
  }
  return census;
}

constexpr auto kCounts = TableOf<FloatTypes>([]<typename T>() -> Count { return CountIn<T>; });

Status Judge(const Census& census, const std::string& message, const Tensor& tensor) {
  if (census.nans + census.infinities == 0) return Status::Ok();
  return InvalidArgument(StrCat("check_numerics: ", message, message.empty() ? "" : ": ",
                                "expected finite values, got ", census.nans, " NaN and ",
                                census.infinities, " infinite among the ", tensor.num_elements(),
                                " values of a ", TensorSpec::Of(tensor).ToString(), " tensor"));
}

Result<KernelPlan> PlanCheckNumerics(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const std::string message, attrs.StringOr("message", ""));
  FASTPIPE_ASSIGN(const Count count, FindOrError(kCounts, attrs, inputs, 0));
  return KernelPlan{{inputs[0]},
                    KernelFrom([count, message](KernelContext*, Inputs in, Outputs out) {
                      FASTPIPE_RETURN_IF_ERROR(Judge(count(*in[0]), message, *in[0]));
                      out[0].Set(*in[0]);
                      return Status::Ok();
                    })};
}

FASTPIPE_KERNEL("check_numerics", PlanCheckNumerics);

}  // namespace
}  // namespace fastpipe
