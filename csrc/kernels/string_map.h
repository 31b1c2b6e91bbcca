// RewriteStrings and SliceStrings: kernels that turn each string of a tensor into another one.
//
// Contract: the result has the shape of the input. A scalar slice shares the input's memory.
// Thread rule: free functions without state.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/kernel.h"

namespace fastpipe {

// `rewrite` is a callable Status(std::string_view text, std::string* out); `*out` starts empty.
template <typename F>
Status RewriteStrings(const Tensor& input, Output* output, F rewrite) {
  const int64_t count = input.num_elements();
  StringArrayBuilder builder(static_cast<size_t>(count));
  std::string out;
  for (int64_t i = 0; i < count; ++i) {
    out.clear();
    FASTPIPE_RETURN_IF_ERROR(rewrite(input.str(i), &out));
    builder.Append(out);
  }
  output->Set(builder.Build(input.dims()));
  return Status::Ok();
}

// `slice` is a callable std::string_view(std::string_view text) that returns a part of `text`.
template <typename F>
Status SliceStrings(const Tensor& input, Output* output, F slice) {
  if (input.rank() == 0) {
    output->Set(Tensor::StringSlice(input.buffer(), slice(input.str())));
    return Status::Ok();
  }
  const int64_t count = input.num_elements();
  StringArrayBuilder builder(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) builder.Append(slice(input.str(i)));
  output->Set(builder.Build(input.dims()));
  return Status::Ok();
}

// The plan of a kernel of one string tensor whose result has the input's shape and dtype `dtype`.
// `run` is a callable Status(const Tensor& input, Output* output) const.
template <typename F>
Result<KernelPlan> PlanStringMap(const Args& attrs, Specs inputs, DType dtype, F run) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  TensorSpec spec = inputs[0];
  spec.dtype = dtype;
  return KernelPlan{{std::move(spec)},
                    KernelFrom([run = std::move(run)](KernelContext*, Inputs in, Outputs out) {
                      return run(*in[0], &out[0]);
                    })};
}

}  // namespace fastpipe
