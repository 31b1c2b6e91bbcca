// decode_raw(text): the bytes of each string as values of dtype `out_type`, in a new last
// dimension.
//
// Attributes: out_type, little_endian, fixed_length (None, or the bytes that each string is cut or
// filled up to). Without it all strings have one length, a multiple of the value's size.

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

struct Format {
  DType dtype;
  bool swap;
  int64_t fixed_bytes;  // of each string, cut or filled up with zeros; -1: all there are
};

// The bytes of each string.
Result<size_t> BytesOfEach(const Args& attrs, const Format& format, const Tensor& input) {
  if (format.fixed_bytes >= 0) return static_cast<size_t>(format.fixed_bytes);
  const int64_t count = input.num_elements();
  const size_t bytes = count == 0 ? 0 : input.str(0).size();
  const size_t size = DTypeSize(format.dtype);
  if (bytes % size != 0) {
    return attrs.Error(StrCat("the text must hold whole ", DTypeName(format.dtype), " values of ",
                              size, " bytes, got ", bytes, " bytes"));
  }
  for (int64_t i = 1; i < count; ++i) {
    if (input.str(i).size() != bytes) {
      return attrs.Error(StrCat("all strings must have one length, got ", bytes,
                                " bytes at index 0 and ", input.str(i).size(), " at index ", i));
    }
  }
  return bytes;
}

Status DecodeRaw(const Args& attrs, const Format& format, const Tensor& input, Output* output) {
  const size_t size = DTypeSize(format.dtype);
  FASTPIPE_ASSIGN(const size_t bytes, BytesOfEach(attrs, format, input));
  std::vector<int64_t> dims(input.dims().begin(), input.dims().end());
  dims.push_back(static_cast<int64_t>(bytes / size));
  uint8_t* values = output->Allocate(format.dtype, dims);
  std::string filled;
  for (int64_t i = 0; i < input.num_elements(); ++i, values += bytes) {
    std::string_view text = input.str(i).substr(0, bytes);
    if (text.size() < bytes) {
      filled.assign(text);
      filled.resize(bytes);
      text = filled;
    }
    if (format.dtype == DType::kBool) {  // any bit makes true; a bool in memory is 0 or 1
      std::transform(text.begin(), text.end(), values, [](char c) { return c != 0; });
    } else if (format.swap && size > 1) {
      CopySwapped(text, size, values);
    } else if (bytes > 0) {
      std::memcpy(values, text.data(), bytes);
    }
  }
  return Status::Ok();
}

// Attribute fixed_length in bytes, or -1.
Result<int64_t> FixedLength(const Args& attrs, DType dtype) {
  if (!attrs.Has("fixed_length")) return int64_t{-1};
  FASTPIPE_ASSIGN(const int64_t length, attrs.Int("fixed_length"));
  const int64_t size = static_cast<int64_t>(DTypeSize(dtype));
  if (length > 0 && length % size == 0) return length;
  return attrs.Error(StrCat("fixed_length must be a positive multiple of the ", size,
                            " bytes of a ", DTypeName(dtype), ", got ", length));
}

Result<KernelPlan> PlanDecodeRaw(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  FASTPIPE_ASSIGN(const DType dtype, attrs.Dtype("out_type"));
  FASTPIPE_ASSIGN(const bool little_endian, attrs.BoolOr("little_endian", true));
  if (DTypeSize(dtype) == 0) {
    return attrs.Error(StrCat("out_type must be a number or bool, got ", DTypeName(dtype)));
  }
  FASTPIPE_ASSIGN(const int64_t fixed, FixedLength(attrs, dtype));
  TensorSpec spec = inputs[0];
  spec.dtype = dtype;
  const int64_t values = fixed < 0 ? -1 : fixed / static_cast<int64_t>(DTypeSize(dtype));
  if (spec.known_rank) spec.dims.push_back(values);
  const Format format{dtype, !little_endian, fixed};
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, format](KernelContext*, Inputs in, Outputs out) {
                      return DecodeRaw(attrs, format, *in[0], &out[0]);
                    })};
}

FASTPIPE_KERNEL("decode_raw", PlanDecodeRaw);

}  // namespace
}  // namespace fastpipe
