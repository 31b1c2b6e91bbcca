// string_lower(text), string_upper(text), string_strip(text): each string by itself, as ASCII.

#include "core/registry.h"
#include "io/text.h"
#include "kernels/string_map.h"

namespace fastpipe {
namespace {

// The bytes from `first` to `first` + 25 change case; all others stay.
template <char first>
Result<KernelPlan> PlanCase(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(const std::string encoding, attrs.StringOr("encoding", ""));
  if (!encoding.empty()) {
    return attrs.Error(
        StrCat("encoding must be '' (ASCII letters change case, all other bytes "
               "stay), got '",
               encoding, "'"));
  }
  return PlanStringMap(attrs, inputs, DType::kString, [](const Tensor& input, Output* output) {
    return RewriteStrings(input, output, [](std::string_view text, std::string* out) {
      out->assign(text);
      for (char& c : *out) {
        if (c >= first && c < first + 26) c ^= 0x20;
      }
      return Status::Ok();
    });
  });
}

Result<KernelPlan> PlanStrip(const Args& attrs, Specs inputs) {
  return PlanStringMap(attrs, inputs, DType::kString, [](const Tensor& input, Output* output) {
    return SliceStrings(input, output, StripAsciiSpace);
  });
}

FASTPIPE_KERNEL("string_lower", PlanCase<'A'>);
FASTPIPE_KERNEL("string_upper", PlanCase<'a'>);
FASTPIPE_KERNEL("string_strip", PlanStrip);

}  // namespace
}  // namespace fastpipe
