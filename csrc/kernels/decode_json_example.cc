// decode_json_example(json): each string, a tf.train.Example as JSON, as its serialized message.

#include "core/registry.h"
#include "io/json_example.h"
#include "io/text.h"

namespace fastpipe {
namespace {

Status Decode(const Args& attrs, const Tensor& input, Output* output) {
  StringArrayBuilder messages(static_cast<size_t>(input.num_elements()));
  for (int64_t i = 0; i < input.num_elements(); ++i) {
    Result<std::string> message = ExampleFromJson(input.str(i));
    if (!message.ok()) {
      return attrs.Error(StrCat(input.rank() == 0 ? "" : StrCat("string ", i, ": "),
                                "the text must be a tf.train.Example as JSON, got ",
                                Quoted(input.str(i)), ": ", message.status().message()));
    }
    messages.Append(message.value());
  }
  output->Set(messages.Build(input.dims()));
  return Status::Ok();
}

Result<KernelPlan> PlanDecode(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  return KernelPlan{{inputs[0]}, KernelFrom([attrs](KernelContext*, Inputs in, Outputs out) {
                      return Decode(attrs, *in[0], &out[0]);
                    })};
}

FASTPIPE_KERNEL("decode_json_example", PlanDecode);

}  // namespace
}  // namespace fastpipe
