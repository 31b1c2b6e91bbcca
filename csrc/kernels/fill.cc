// fill(value, dims): a tensor of shape `dims`, an IntegersArgument, that holds the scalar `value`
//   everywhere.
// zeros_like(x), ones_like(x): a tensor of x's shape that holds 0 or 1; for strings zero is "".

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/dispatch.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

Result<KernelPlan> PlanFill(const Args& attrs, Specs inputs) {
  if (inputs.empty()) return attrs.Error("takes a value, got none");
  if (inputs[0].rank() > 0) {
    return attrs.Error(StrCat("value must be a scalar, got ", inputs[0].ToString()));
  }
  size_t next = 1;
  FASTPIPE_ASSIGN(const IntegersArgument dims,
                  IntegersArgument::Read(attrs, "dims", inputs, &next));
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, next));
  TensorSpec spec = TensorSpec::UnknownRank(inputs[0].dtype);
  if (dims.size()) spec = TensorSpec::Of(inputs[0].dtype, dims.Known());
  if (dims.IsStatic()) FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), spec.dims));
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, dims](KernelContext*, Inputs in, Outputs out) {
                      const std::vector<int64_t> shape = dims.Get(in);
                      FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), shape));
                      Assembler result(in[0]->dtype(), shape, &out[0]);
                      result.Repeat(*in[0], NumElements(shape));
                      result.Finish();
                      return Status::Ok();
                    })};
}

constexpr auto kOnes = TableOf<FixedSizeTypes>(
    []<typename T>() -> Tensor (*)() { return [] { return Tensor::Scalar(FromWide<T>(1)); }; });

Result<KernelPlan> PlanLike(const Args& attrs, Specs inputs, Tensor value) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  return KernelPlan{{inputs[0]}, KernelFrom([value](KernelContext*, Inputs in, Outputs out) {
                      Assembler result(value.dtype(), in[0]->dims(), &out[0]);
                      result.Repeat(value, in[0]->num_elements());
                      result.Finish();
                      return Status::Ok();
                    })};
}

Result<KernelPlan> PlanZerosLike(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  return PlanLike(attrs, inputs, ZeroOf(inputs[0].dtype));
}

Result<KernelPlan> PlanOnesLike(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const auto one, FindOrError(kOnes, attrs, inputs, 0));
  return PlanLike(attrs, inputs, one());
}

FASTPIPE_KERNEL("fill", PlanFill);
FASTPIPE_KERNEL("zeros_like", PlanZerosLike);
FASTPIPE_KERNEL("ones_like", PlanOnesLike);

}  // namespace
}  // namespace fastpipe
