#include "kernels/unicode_text.h"

#include <algorithm>
#include <cctype>

#include "kernels/choice.h"

namespace fastpipe {
namespace {

uint32_t ByteAt(std::string_view text, size_t i) { return static_cast<unsigned char>(text[i]); }

// A malformed sequence ends before the first byte that cannot belong to it.
Decoded DecodeUtf8(std::string_view text) {
  const uint32_t first = ByteAt(text, 0);
  if (first < 0x80) return {first, 1, true};
  size_t size = 0;
  uint32_t least = 0x80;
  uint32_t most = 0xbf;
  if (first >= 0xc2 && first <= 0xdf) size = 2;
  if (first >= 0xe0 && first <= 0xef) size = 3;
  if (first >= 0xf0 && first <= 0xf4) size = 4;
  if (size == 0) return {0, 1, false};
  if (first == 0xe0) least = 0xa0;  // else too long
  if (first == 0xed) most = 0x9f;   // else a surrogate
  if (first == 0xf0) least = 0x90;
  if (first == 0xf4) most = 0x8f;  // else too large
  char32_t code_point = first & (0xff >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if (i >= text.size() || ByteAt(text, i) < least || ByteAt(text, i) > most) return {0, i, false};
    code_point = (code_point << 6) | (ByteAt(text, i) & 0x3f);
    least = 0x80;
    most = 0xbf;
  }
  return {code_point, size, true};
}

Decoded DecodeUtf16(std::string_view text, bool little) {
  if (text.size() < 2) return {0, text.size(), false};
  const auto unit = [&](size_t at) {
    return little ? ByteAt(text, at) | ByteAt(text, at + 1) << 8
                  : ByteAt(text, at) << 8 | ByteAt(text, at + 1);
  };
  const uint32_t high = unit(0);
  if (high < 0xd800 || high > 0xdfff) return {high, 2, true};
  if (high > 0xdbff || text.size() < 4) return {0, high > 0xdbff ? 2 : text.size(), false};
  const uint32_t low = unit(2);
  if (low < 0xdc00 || low > 0xdfff) return {0, 2, false};
  return {0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), 4, true};
}

Decoded DecodeUtf32(std::string_view text, bool little) {
  if (text.size() < 4) return {0, text.size(), false};
  char32_t code_point = 0;
  for (size_t i = 0; i < 4; ++i) code_point = code_point << 8 | ByteAt(text, little ? 3 - i : i);
  return {code_point, 4, IsScalarValue(code_point)};
}

void AppendUnits(uint32_t value, int bytes, bool little, std::string* out) {
  for (int i = 0; i < bytes; ++i) {
    out->push_back(static_cast<char>(value >> (8 * (little ? i : bytes - 1 - i))));
  }
}

void EncodeUtf8(char32_t c, std::string* out) {
  if (c < 0x80) {
    out->push_back(static_cast<char>(c));
    return;
  }
  const int tail = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static constexpr int kMarks[] = {0, 0xc0, 0xe0, 0xf0};
  out->push_back(static_cast<char>(kMarks[tail] | (c >> (6 * tail))));
  for (int i = tail - 1; i >= 0; --i) {
    out->push_back(static_cast<char>(0x80 | ((c >> (6 * i)) & 0x3f)));
  }
}

}  // namespace

bool IsScalarValue(int64_t c) { return c >= 0 && c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff); }

Decoded DecodeFirst(UnicodeEncoding encoding, std::string_view text) {
  switch (encoding) {
    case UnicodeEncoding::kUtf8:
      return DecodeUtf8(text);
    case UnicodeEncoding::kUtf16Be:
    case UnicodeEncoding::kUtf16Le:
      return DecodeUtf16(text, encoding == UnicodeEncoding::kUtf16Le);
    case UnicodeEncoding::kUtf32Be:
    case UnicodeEncoding::kUtf32Le:
      return DecodeUtf32(text, encoding == UnicodeEncoding::kUtf32Le);
    case UnicodeEncoding::kLatin1:
      return {ByteAt(text, 0), 1, true};
    case UnicodeEncoding::kAscii:
      return {ByteAt(text, 0), 1, ByteAt(text, 0) < 0x80};
  }
  return {0, 1, false};
}

void EncodeTo(UnicodeEncoding encoding, char32_t c, std::string* out) {
  if (encoding == UnicodeEncoding::kUtf8) return EncodeUtf8(c, out);
  if (encoding == UnicodeEncoding::kUtf32Be) return AppendUnits(c, 4, false, out);
  if (c < 0x10000) return AppendUnits(c, 2, false, out);
  AppendUnits(0xd800 + ((c - 0x10000) >> 10), 2, false, out);
  AppendUnits(0xdc00 + ((c - 0x10000) & 0x3ff), 2, false, out);
}

Result<UnicodeEncoding> ReadEncoding(const Args& attrs, const char* name, bool utf_only) {
  struct Named {
    const char* name;
    UnicodeEncoding encoding;
  };
  static constexpr Named kKnown[] = {
      {"UTF8", UnicodeEncoding::kUtf8},       {"UTF16BE", UnicodeEncoding::kUtf16Be},
      {"UTF32BE", UnicodeEncoding::kUtf32Be}, {"UTF16LE", UnicodeEncoding::kUtf16Le},
      {"UTF32LE", UnicodeEncoding::kUtf32Le}, {"LATIN1", UnicodeEncoding::kLatin1},
      {"ISO88591", UnicodeEncoding::kLatin1}, {"USASCII", UnicodeEncoding::kAscii},
      {"ASCII", UnicodeEncoding::kAscii},
  };
  FASTPIPE_ASSIGN(const std::string given, attrs.String(name));
  std::string plain;
  for (const char c : given) {
    if (c != '-' && c != '_' && c != ' ') {
      plain += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
  }
  for (size_t i = 0; i < std::size(kKnown) && (!utf_only || i < 3); ++i) {
    if (plain == kKnown[i].name) return kKnown[i].encoding;
  }
  return attrs.Error(StrCat(name, " must be UTF-8, UTF-16-BE or UTF-32-BE",
                            utf_only ? "" : ", UTF-16-LE, UTF-32-LE, ISO-8859-1 or US-ASCII",
                            ", got '", given, "'"));
}

Result<MalformedText> MalformedText::Read(const Args& attrs) {
  static constexpr Choice<Policy> kPolicies[] = {
      {"replace", Policy::kReplace}, {"strict", Policy::kStrict}, {"ignore", Policy::kIgnore}};
  MalformedText read;
  read.attrs_ = attrs;
  FASTPIPE_ASSIGN(read.policy_, ReadChoice(attrs, "errors", kPolicies));
  FASTPIPE_ASSIGN(const int64_t replacement, attrs.IntOr("replacement_char", 0xfffd));
  if (!IsScalarValue(replacement)) {
    return attrs.Error(StrCat("replacement_char must be a code point, got ", replacement));
  }
  read.replacement_ = static_cast<char32_t>(replacement);
  FASTPIPE_ASSIGN(read.replace_controls_, attrs.BoolOr("replace_control_characters", false));
  return read;
}

Result<std::optional<char32_t>> MalformedText::Take(const Decoded& decoded) const {
  if (decoded.valid && !(replace_controls_ && decoded.code_point <= 0x1f)) {
    return std::optional<char32_t>(decoded.code_point);
  }
  if (policy_ == Policy::kStrict && !decoded.valid) {
    return attrs_.Error("the text is malformed in its encoding");
  }
  if (policy_ == Policy::kIgnore) return std::optional<char32_t>();
  return std::optional<char32_t>(replacement_);
}

}  // namespace fastpipe
