// Unicode text: code points from and to bytes in the encodings that kernels know.
//
// Contract: decoding never fails: each malformed piece, cut as the Unicode standard recommends, is
// one Decoded with `valid` false. Thread rule: free functions without state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/args.h"

namespace fastpipe {

enum class UnicodeEncoding { kUtf8, kUtf16Be, kUtf32Be, kUtf16Le, kUtf32Le, kLatin1, kAscii };

struct Decoded {
  char32_t code_point = 0;
  size_t size = 0;  // bytes
  bool valid = true;
};

// The first character of `text`. REQUIRES: not empty.
Decoded DecodeFirst(UnicodeEncoding encoding, std::string_view text);
// True if `code_point` is no surrogate and at most U+10FFFF.
bool IsScalarValue(int64_t code_point);
// Appends a scalar value.
void EncodeTo(UnicodeEncoding encoding, char32_t code_point, std::string* out);

// Reads an attribute that names an encoding; `utf_only` leaves only UTF-8, UTF-16-BE and UTF-32-BE.
Result<UnicodeEncoding> ReadEncoding(const Args& attrs, const char* name, bool utf_only);

// What to do about malformed text: the attributes `errors` ("strict", "replace" or "ignore"),
// `replacement_char` and `replace_control_characters`.
class MalformedText {
 public:
  static Result<MalformedText> Read(const Args& attrs);
  // The code point to take for `decoded`, nothing if it is left out, or InvalidArgument.
  Result<std::optional<char32_t>> Take(const Decoded& decoded) const;

 private:
  enum class Policy { kReplace, kStrict, kIgnore };
  Args attrs_;
  Policy policy_ = Policy::kReplace;
  char32_t replacement_ = 0xfffd;
  bool replace_controls_ = false;
};

}  // namespace fastpipe
