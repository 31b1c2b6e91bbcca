// serialize_tensor(tensor): a scalar string with dtype, shape and values, as TensorFlow writes
// them. parse_tensor(serialized): the tensor in such a string. Attribute out_type: the dtype it
// must have.

#include "core/registry.h"
#include "io/tensor_wire.h"
#include "io/text.h"

namespace fastpipe {
namespace {

Result<KernelPlan> PlanSerialize(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  if (inputs[0].dtype == DType::kDataset) {
    return attrs.Error(StrCat("input 0 must be a tensor, got ", inputs[0].ToString()));
  }
  return KernelPlan{{TensorSpec::Scalar(DType::kString)},
                    KernelFrom([](KernelContext*, Inputs in, Outputs out) {
                      out[0].Set(Tensor::String(SerializeTensor(*in[0])));
                      return Status::Ok();
                    })};
}

Status Parse(const Args& attrs, DType dtype, const Tensor& serialized, Output* out) {
  if (serialized.rank() > 0) {
    return attrs.Error(
        StrCat("serialized must be a scalar, got ", TensorSpec::Of(serialized).ToString()));
  }
  Result<Tensor> tensor = ParseTensor(serialized.str());
  if (!tensor.ok()) {
    return attrs.Error(StrCat("serialized must be a TensorProto, got ", Quoted(serialized.str()),
                              ": ", tensor.status().message()));
  }
  if (tensor.value().dtype() != dtype) {
    return attrs.Error(StrCat("serialized must hold ", DTypeName(dtype), ", got ",
                              TensorSpec::Of(tensor.value()).ToString()));
  }
  out->Set(std::move(tensor.value()));
  return Status::Ok();
}

Result<KernelPlan> PlanParse(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  if (inputs[0].rank() > 0) {
    return attrs.Error(StrCat("serialized must be a scalar, got ", inputs[0].ToString()));
  }
  FASTPIPE_ASSIGN(const DType dtype, attrs.Dtype("out_type"));
  return KernelPlan{{TensorSpec::UnknownRank(dtype)},
                    KernelFrom([attrs, dtype](KernelContext*, Inputs in, Outputs out) {
                      return Parse(attrs, dtype, *in[0], &out[0]);
                    })};
}

FASTPIPE_KERNEL("serialize_tensor", PlanSerialize);
FASTPIPE_KERNEL("parse_tensor", PlanParse);

}  // namespace
}  // namespace fastpipe
