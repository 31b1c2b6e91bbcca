// Kernels on a dataset, which is a value in the functions that get one: get_single_element(dataset)
// gives its only element, dataset_cardinality(dataset) how many it has.

#include "core/registry.h"

namespace fastpipe {
namespace {

Status ExpectDataset(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  return ExpectDType(attrs, inputs, 0, DType::kDataset);
}

Status GetSingleElement(KernelContext* context, Inputs inputs, Outputs outputs) {
  if (!context->run) return FailedPrecondition("get_single_element needs a running pipeline");
  const IteratorContext around{context->run, context->cancel, context->random};
  const std::unique_ptr<Iterator> iterator =
      DatasetOf(*inputs[0])->MakeIterator(around.ForElement(context->element));
  Element element;
  Status status = iterator->Next(&element);
  if (status.end_of_sequence()) {
    return InvalidArgument("get_single_element: expected one element, found none");
  }
  FASTPIPE_RETURN_IF_ERROR(std::move(status));
  Element second;
  status = iterator->Next(&second);
  if (status.ok()) {
    return InvalidArgument("get_single_element: expected one element, found more than one");
  }
  if (!status.end_of_sequence()) return status;
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i].Set(std::move(element[i]));
  return Status::Ok();
}

Result<KernelPlan> PlanGetSingleElement(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectDataset(attrs, inputs));
  return KernelPlan{*inputs[0].element, KernelFrom(GetSingleElement)};
}

Result<KernelPlan> PlanCardinality(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectDataset(attrs, inputs));
  return KernelPlan{{TensorSpec::Scalar(DType::kInt64)},
                    KernelFrom([](KernelContext*, Inputs in, Outputs out) {
                      out[0].Set(Tensor::Scalar(DatasetOf(*in[0])->Cardinality()));
                      return Status::Ok();
                    })};
}

FASTPIPE_KERNEL("get_single_element", PlanGetSingleElement);
FASTPIPE_KERNEL("dataset_cardinality", PlanCardinality);

}  // namespace
}  // namespace fastpipe
