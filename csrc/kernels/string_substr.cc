// string_substr(text, pos, len): `len` bytes or UTF-8 characters of each string from `pos` on.
//
// A negative `pos` counts from the end. `pos` and `len`, int32 or int64, have one shape and
// broadcast with the text. Like TensorFlow, a negative `len` takes all the rest of the bytes, but
// no characters.

#include <algorithm>
#include <vector>

#include "core/registry.h"
#include "io/text.h"
#include "kernels/utf8.h"

namespace fastpipe {
namespace {

// Moves `*at` over `count` characters; false if the text ends first.
bool SkipCharacters(std::string_view text, int64_t count, size_t* at) {
  for (; count > 0; --count) {
    if (*at >= text.size()) return false;
    ++*at;
    while (*at < text.size() && IsUtf8Continuation(text[*at])) ++*at;
  }
  return true;
}

bool SliceBytes(std::string_view text, int64_t pos, int64_t length, std::string_view* slice) {
  const int64_t size = static_cast<int64_t>(text.size());
  if (pos < -size || pos > size) return false;
  if (pos < 0) pos += size;
  const int64_t rest = size - pos;
  if (length < 0 || length > rest) length = rest;
  *slice = text.substr(static_cast<size_t>(pos), static_cast<size_t>(length));
  return true;
}

bool SliceCharacters(std::string_view text, int64_t pos, int64_t length, std::string_view* slice) {
  if (pos < 0) pos += CountUtf8Characters(text);
  if (pos < 0) return false;
  size_t begin = 0;
  if (!SkipCharacters(text, pos, &begin)) return false;
  size_t end = begin;
  SkipCharacters(text, length, &end);
  *slice = text.substr(begin, end - begin);
  return true;
}

// The shape of two that broadcast. `-1` stands for an unknown dimension.
Result<std::vector<int64_t>> Broadcast(const Args& attrs, Dims text, Dims pos) {
  std::vector<int64_t> dims(std::max(text.size(), pos.size()), 1);
  for (size_t i = 1; i <= dims.size(); ++i) {
    const int64_t a = i <= text.size() ? text[text.size() - i] : 1;
    const int64_t b = i <= pos.size() ? pos[pos.size() - i] : 1;
    if (a >= 0 && b >= 0 && a != b && a != 1 && b != 1) {
      return attrs.Error(StrCat("the shapes of text and pos must broadcast, got ",
                                ShapeString(text), " and ", ShapeString(pos)));
    }
    dims[dims.size() - i] = a == 1 ? b : (b == 1 || a >= 0) ? a : b;
  }
  return dims;
}

// Walks a tensor of shape `dims` in the row-major order of the wider shape `over`.
int64_t SourceIndex(int64_t index, Dims over, Dims dims) {
  int64_t source = 0;
  int64_t stride = 1;
  for (size_t i = 1; i <= dims.size(); ++i) {
    const int64_t coordinate = index % over[over.size() - i];
    index /= over[over.size() - i];
    const int64_t dim = dims[dims.size() - i];
    if (dim != 1) source += coordinate * stride;
    stride *= dim;
  }
  return source;
}

int64_t IntegerAt(const Tensor& tensor, int64_t index) {
  return tensor.dtype() == DType::kInt32 ? tensor.data<int32_t>()[index]
                                         : tensor.data<int64_t>()[index];
}

Status Substr(const Args& attrs, bool utf8, Inputs in, Output* output) {
  const Tensor& text = *in[0];
  const Dims pos_dims = in[1]->dims();
  if (!std::ranges::equal(pos_dims, in[2]->dims())) {
    return attrs.Error(StrCat("pos and len must have one shape, got ", ShapeString(pos_dims),
                              " and ", ShapeString(in[2]->dims())));
  }
  FASTPIPE_ASSIGN(const std::vector<int64_t> dims, Broadcast(attrs, text.dims(), pos_dims));
  const int64_t count = NumElements(dims);
  StringArrayBuilder builder(dims.empty() ? 0 : static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const std::string_view whole = text.str(SourceIndex(i, dims, text.dims()));
    const int64_t at = SourceIndex(i, dims, pos_dims);
    const int64_t pos = IntegerAt(*in[1], at);
    const int64_t length = IntegerAt(*in[2], at);
    std::string_view slice;
    if (!(utf8 ? SliceCharacters : SliceBytes)(whole, pos, length, &slice)) {
      const int64_t size = utf8 ? CountUtf8Characters(whole) : static_cast<int64_t>(whole.size());
      return attrs.Error(StrCat("pos must be between ", -size, " and ", size, " for ",
                                Quoted(whole), ", got ", pos, " at index ", i));
    }
    if (dims.empty()) {
      output->Set(Tensor::StringSlice(text.buffer(), slice));
      return Status::Ok();
    }
    builder.Append(slice);
  }
  output->Set(builder.Build(dims));
  return Status::Ok();
}

Result<KernelPlan> PlanSubstr(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 3));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  FASTPIPE_ASSIGN(const bool utf8, UnitIsUtf8(attrs));
  const TensorSpec& pos = inputs[1];
  for (const TensorSpec& spec : {pos, inputs[2]}) {
    if (spec.dtype != DType::kInt32 && spec.dtype != DType::kInt64) {
      return attrs.Error(StrCat("pos and len must be int32 or int64, got ", pos.ToString(), " and ",
                                inputs[2].ToString()));
    }
  }
  if (pos.fully_known() && inputs[2].fully_known() && pos.dims != inputs[2].dims) {
    return attrs.Error(StrCat("pos and len must have one shape, got ", pos.ToString(), " and ",
                              inputs[2].ToString()));
  }
  TensorSpec spec = TensorSpec::UnknownRank(DType::kString);
  if (inputs[0].known_rank && pos.known_rank) {
    FASTPIPE_ASSIGN(std::vector<int64_t> dims, Broadcast(attrs, inputs[0].dims, pos.dims));
    spec = TensorSpec::Of(DType::kString, std::move(dims));
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, utf8](KernelContext*, Inputs in, Outputs out) {
                      return Substr(attrs, utf8, in, &out[0]);
                    })};
}

FASTPIPE_KERNEL("string_substr", PlanSubstr);

}  // namespace
}  // namespace fastpipe
