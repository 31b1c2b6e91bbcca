// decode_raw(text): the bytes of each string as values of dtype `out_type`, in a new last
// dimension.
//
// Attributes: out_type, little_endian. All strings have one length, a multiple of the value's size.

#include <algorithm>
#include <cstring>

#include "core/registry.h"

namespace fastpipe {
namespace {

// Copies `text` with the bytes of each value reversed.
void CopySwapped(std::string_view text, size_t size, uint8_t* out) {
  for (size_t at = 0; at < text.size(); at += size) {
    std::reverse_copy(text.begin() + at, text.begin() + at + size, out + at);
  }
}

Status DecodeRaw(const Args& attrs, DType dtype, bool swap, const Tensor& input, Output* output) {
  const size_t size = DTypeSize(dtype);
  const int64_t count = input.num_elements();
  const size_t bytes = count == 0 ? 0 : input.str(0).size();
  if (bytes % size != 0) {
    return attrs.Error(StrCat("the text must hold whole ", DTypeName(dtype), " values of ", size,
                              " bytes, got ", bytes, " bytes"));
  }
  std::vector<int64_t> dims(input.dims().begin(), input.dims().end());
  dims.push_back(static_cast<int64_t>(bytes / size));
  uint8_t* values = output->Allocate(dtype, dims);
  for (int64_t i = 0; i < count; ++i, values += bytes) {
    const std::string_view text = input.str(i);
    if (text.size() != bytes) {
      return attrs.Error(StrCat("all strings must have one length, got ", bytes,
                                " bytes at index 0 and ", text.size(), " at index ", i));
    }
    if (dtype == DType::kBool) {  // any bit makes true; a bool in memory is 0 or 1
      std::transform(text.begin(), text.end(), values, [](char c) { return c != 0; });
    } else if (swap && size > 1) {
      CopySwapped(text, size, values);
    } else if (bytes > 0) {
      std::memcpy(values, text.data(), bytes);
    }
  }
  return Status::Ok();
}

Result<KernelPlan> PlanDecodeRaw(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  FASTPIPE_ASSIGN(const DType dtype, attrs.Dtype("out_type"));
  FASTPIPE_ASSIGN(const bool little_endian, attrs.BoolOr("little_endian", true));
  if (DTypeSize(dtype) == 0) {
    return attrs.Error(StrCat("out_type must be a number or bool, got ", DTypeName(dtype)));
  }
  TensorSpec spec = inputs[0];
  spec.dtype = dtype;
  if (spec.known_rank) spec.dims.push_back(-1);
  return KernelPlan{
      {std::move(spec)},
      KernelFrom([attrs, dtype, swap = !little_endian](KernelContext*, Inputs in, Outputs out) {
        return DecodeRaw(attrs, dtype, swap, *in[0], &out[0]);
      })};
}

FASTPIPE_KERNEL("decode_raw", PlanDecodeRaw);

}  // namespace
}  // namespace fastpipe
