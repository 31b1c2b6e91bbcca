// string_lower(text), string_upper(text): each string in lower or upper case, by `encoding`: "" for
// ASCII or "utf-8".
// string_strip(text): each string without ASCII white space at both ends.

#include "core/registry.h"
#include "io/text.h"
#include "kernels/choice.h"
#include "kernels/string_map.h"
#include "kernels/unicode_case.h"

namespace fastpipe {
namespace {

// ASCII: the bytes from `first` to `first` + 25 change case; all others stay.
template <char first>
void AppendAscii(std::string_view text, std::string* out) {
  out->assign(text);
  for (char& c : *out) {
    if (c >= first && c < first + 26) c ^= 0x20;
  }
}

using Append = void (*)(std::string_view text, std::string* out);

template <Append ascii, Append utf8>
Result<KernelPlan> PlanCase(const Args& attrs, Specs inputs) {
  static constexpr Choice<Append> kEncodings[] = {{"", ascii}, {"utf-8", utf8}};
  FASTPIPE_ASSIGN(const Append append, ReadChoice(attrs, "encoding", kEncodings));
  return PlanStringMap(
      attrs, inputs, DType::kString, [append](const Tensor& input, Output* output) {
        return RewriteStrings(input, output, [append](std::string_view text, std::string* out) {
          append(text, out);
          return Status::Ok();
        });
      });
}

Result<KernelPlan> PlanStrip(const Args& attrs, Specs inputs) {
  return PlanStringMap(attrs, inputs, DType::kString, [](const Tensor& input, Output* output) {
    return SliceStrings(input, output, StripAsciiSpace);
  });
}

FASTPIPE_KERNEL("string_lower", (PlanCase<AppendAscii<'A'>, AppendLower>));
FASTPIPE_KERNEL("string_upper", (PlanCase<AppendAscii<'a'>, AppendUpper>));
FASTPIPE_KERNEL("string_strip", PlanStrip);

}  // namespace
}  // namespace fastpipe
