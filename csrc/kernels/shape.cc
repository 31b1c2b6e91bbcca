// shape(x): the sizes of x. size(x): how many values it has. rank(x): how many axes. All in dtype
// `out_type`, int32 or int64.

#include "core/registry.h"

namespace fastpipe {
namespace {

template <typename T>
void SetShape(const Tensor& x, Output* out) {
  const int64_t rank = x.rank();
  T* to = out->Allocate<T>(Dims(&rank, 1));
  for (int64_t i = 0; i < rank; ++i) to[i] = static_cast<T>(x.dims()[static_cast<size_t>(i)]);
}

template <typename T>
void SetSize(const Tensor& x, Output* out) {
  out->Set(Tensor::Scalar(static_cast<T>(x.num_elements())));
}

template <typename T>
void SetRank(const Tensor& x, Output* out) {
  out->Set(Tensor::Scalar(static_cast<T>(x.rank())));
}

using Set = void (*)(const Tensor& x, Output* out);

Result<KernelPlan> PlanWith(const Args& attrs, Specs inputs, std::vector<int64_t> dims, Set set32,
                            Set set64) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const DType dtype, attrs.DtypeOr("out_type", DType::kInt32));
  if (dtype != DType::kInt32 && dtype != DType::kInt64) {
    return attrs.Error(StrCat("out_type must be int32 or int64, got ", DTypeName(dtype)));
  }
  const Set set = dtype == DType::kInt32 ? set32 : set64;
  return KernelPlan{{TensorSpec::Of(dtype, std::move(dims))},
                    KernelFrom([set](KernelContext*, Inputs in, Outputs out) {
                      set(*in[0], &out[0]);
                      return Status::Ok();
                    })};
}

Result<KernelPlan> PlanShape(const Args& attrs, Specs inputs) {
  const int64_t rank = inputs.empty() ? -1 : inputs[0].rank();
  return PlanWith(attrs, inputs, {rank}, SetShape<int32_t>, SetShape<int64_t>);
}

Result<KernelPlan> PlanSize(const Args& attrs, Specs inputs) {
  return PlanWith(attrs, inputs, {}, SetSize<int32_t>, SetSize<int64_t>);
}

Result<KernelPlan> PlanRank(const Args& attrs, Specs inputs) {
  return PlanWith(attrs, inputs, {}, SetRank<int32_t>, SetRank<int64_t>);
}

FASTPIPE_KERNEL("shape", PlanShape);
FASTPIPE_KERNEL("size", PlanSize);
FASTPIPE_KERNEL("rank", PlanRank);

}  // namespace
}  // namespace fastpipe
