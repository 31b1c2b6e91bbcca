// string_format(tensors...): the scalar string `template`, in which each `placeholder` is replaced
// by the text of the next tensor; `summarize` entries at each end of an axis are shown.
// print(text): writes the scalar string to the standard error stream; no result.
// assert(condition, data...): nothing if all of the bool tensor `condition` holds, else
//   InvalidArgument with `message` and the text of the data.

#include <unistd.h>

#include <algorithm>

#include "core/registry.h"
#include "kernels/tensor_text.h"

namespace fastpipe {
namespace {

std::vector<std::string> Cut(std::string_view text, std::string_view at) {
  std::vector<std::string> parts;
  for (size_t found = text.find(at); found != std::string_view::npos; found = text.find(at)) {
    parts.emplace_back(text.substr(0, found));
    text.remove_prefix(found + at.size());
  }
  parts.emplace_back(text);
  return parts;
}

Result<KernelPlan> PlanFormat(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(const std::string text, attrs.String("template"));
  FASTPIPE_ASSIGN(const std::string placeholder, attrs.StringOr("placeholder", "{}"));
  FASTPIPE_ASSIGN(const int64_t summarize, attrs.IntOr("summarize", 3, {.min = -1}));
  if (placeholder.empty()) return attrs.Error("placeholder must not be empty");
  const std::vector<std::string> parts = Cut(text, placeholder);
  if (parts.size() != inputs.size() + 1) {
    return attrs.Error(StrCat("the template has ", parts.size() - 1, " placeholders '", placeholder,
                              "' for ", inputs.size(), " tensors"));
  }
  return KernelPlan{{TensorSpec::Scalar(DType::kString)},
                    KernelFrom([parts, summarize](KernelContext*, Inputs in, Outputs out) {
                      std::string text = parts[0];
                      for (size_t i = 0; i < in.size(); ++i) {
                        text += TensorText(*in[i], summarize) + parts[i + 1];
                      }
                      out[0].Set(Tensor::String(text));
                      return Status::Ok();
                    })};
}

Result<KernelPlan> PlanPrint(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  if (inputs[0].rank() != 0) {
    return attrs.Error(StrCat("takes a scalar, got ", inputs[0].ToString()));
  }
  return KernelPlan{{}, KernelFrom([](KernelContext*, Inputs in, Outputs) {
                      // One write, so that the lines of several threads stay whole.
                      std::string_view text = in[0]->str();
                      while (!text.empty()) {
                        const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
                        if (written <= 0) break;  // nobody reads it: no reason to fail
                        text.remove_prefix(static_cast<size_t>(written));
                      }
                      return Status::Ok();
                    })};
}

Result<KernelPlan> PlanAssert(const Args& attrs, Specs inputs) {
  if (inputs.empty()) return attrs.Error("takes a condition, got nothing");
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kBool));
  FASTPIPE_ASSIGN(const std::string message, attrs.StringOr("message", ""));
  FASTPIPE_ASSIGN(const int64_t summarize, attrs.IntOr("summarize", 3, {.min = -1}));
  return KernelPlan{
      {}, KernelFrom([message, summarize](KernelContext*, Inputs in, Outputs) {
        const bool* values = in[0]->data<bool>();
        if (std::all_of(values, values + in[0]->num_elements(), [](bool value) { return value; })) {
          return Status::Ok();
        }
        std::string text = StrCat("assertion failed: ", message);
        for (const Tensor* each : in.subspan(1)) {
          text += (message.empty() && each == in[1] ? "" : " ") +
                  (each->is_string() && each->rank() == 0 ? std::string(each->str())
                                                          : TensorText(*each, summarize));
        }
        return InvalidArgument(text);
      })};
}

FASTPIPE_KERNEL("string_format", PlanFormat);
FASTPIPE_KERNEL("print", PlanPrint);
FASTPIPE_KERNEL("assert", PlanAssert);

}  // namespace
}  // namespace fastpipe
