// encode_base64(text), decode_base64(text): the web-safe alphabet, '-' and '_' for '+' and '/'.
//
// Padding is written when `pad` is true, and read whether it is there or not.

#include <array>

#include "core/registry.h"
#include "io/text.h"
#include "kernels/string_map.h"

namespace fastpipe {
namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr uint32_t kNone = 64;

constexpr std::array<uint8_t, 256> kValues = [] {
  std::array<uint8_t, 256> values{};
  values.fill(kNone);
  for (uint8_t i = 0; i < 64; ++i) values[static_cast<uint8_t>(kAlphabet[i])] = i;
  return values;
}();

void Encode(std::string_view text, bool pad, std::string* out) {
  for (size_t at = 0; at < text.size(); at += 3) {
    const std::string_view group = text.substr(at, 3);
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < group.size() ? static_cast<uint8_t>(group[i]) : 0);
    }
    for (size_t i = 0; i < 4; ++i) {
      if (i <= group.size()) {
        *out += kAlphabet[bits >> (18 - 6 * i) & 63];
      } else if (pad) {
        *out += '=';
      }
    }
  }
}

Status Decode(std::string_view text, std::string* out) {
  std::string_view digits = text;
  if (digits.size() % 4 == 0) {  // padding only fills up a group of four
    if (digits.ends_with('=')) digits.remove_suffix(1);
    if (digits.ends_with('=')) digits.remove_suffix(1);
  }
  if (digits.size() % 4 == 1) {
    return InvalidArgument(StrCat("decode_base64: the length must not be 1 modulo 4, got ",
                                  digits.size(), " characters: ", Quoted(text)));
  }
  uint32_t bits = 0;
  int pending = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    const uint32_t value = kValues[static_cast<uint8_t>(digits[i])];
    if (value == kNone) {
      return InvalidArgument(StrCat("decode_base64: expected letters, digits, '-' and '_', got ",
                                    Quoted(digits.substr(i, 1)), " at position ", i, " of ",
                                    Quoted(text)));
    }
    bits = bits << 6 | value;
    pending += 6;
    if (pending >= 8) {
      pending -= 8;
      *out += static_cast<char>(bits >> pending & 0xff);
    }
  }
  return Status::Ok();
}

Result<KernelPlan> PlanEncode(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(const bool pad, attrs.BoolOr("pad", false));
  return PlanStringMap(attrs, inputs, DType::kString, [pad](const Tensor& input, Output* output) {
    return RewriteStrings(input, output, [pad](std::string_view text, std::string* out) {
      Encode(text, pad, out);
      return Status::Ok();
    });
  });
}

Result<KernelPlan> PlanDecode(const Args& attrs, Specs inputs) {
  return PlanStringMap(attrs, inputs, DType::kString, [](const Tensor& input, Output* output) {
    return RewriteStrings(input, output, Decode);
  });
}

FASTPIPE_KERNEL("encode_base64", PlanEncode);
FASTPIPE_KERNEL("decode_base64", PlanDecode);

}  // namespace
}  // namespace fastpipe
