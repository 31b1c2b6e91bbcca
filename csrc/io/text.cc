#include "io/text.h"

#include <charconv>
#include <limits>
#include <system_error>
#include <type_traits>

namespace fastpipe {
namespace {

constexpr size_t kQuotedBytes = 64;

// Removes an optional plus sign, which std::from_chars does not take.
bool DropPlus(std::string_view* text) {
  if (!text->starts_with('+')) return true;
  text->remove_prefix(1);
  return !text->starts_with('-');
}

bool IsHexDigit(char c) {
  return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

// True if the value of well-formed `digits`, which no floating-point type holds, is huge rather
// than tiny. `digits` is hexadecimal or decimal, with an optional exponent.
bool IsHuge(std::string_view digits, bool hexadecimal) {
  const char exponent_mark = hexadecimal ? 'p' : 'e';
  int64_t magnitude = 0;  // position of the first significant digit, left of the point: positive
  bool significant = false;
  bool fraction = false;
  size_t at = 0;
  for (; at < digits.size() && (digits[at] | 0x20) != exponent_mark; ++at) {
    if (digits[at] == '.') {
      fraction = true;
      continue;
    }
    significant = significant || digits[at] != '0';
    if (significant && !fraction) ++magnitude;
    if (!significant && fraction) --magnitude;
  }
  if (at == digits.size()) return magnitude > 0;
  std::string_view text = digits.substr(at + 1);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int64_t exponent = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (read.ec == std::errc::result_out_of_range) return !negative;
  const int64_t scale = hexadecimal ? 4 : 1;
  return (negative ? -exponent : exponent) > -magnitude * scale;
}

template <typename T>
bool ParseInteger(std::string_view text, T* value) {
  text = StripAsciiSpace(text);
  if (!DropPlus(&text)) return false;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, *value);
  return read.ec == std::errc() && read.ptr == end;
}

template <typename T>
bool ParseFloating(std::string_view text, T* value) {
  text = StripAsciiSpace(text);
  if (!DropPlus(&text)) return false;
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.starts_with('-')) return false;
  const bool hexadecimal = text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x' &&
                           (IsHexDigit(text[2]) || text[2] == '.');
  if (hexadecimal) text.remove_prefix(2);
  const char* end = text.data() + text.size();
  const auto format = hexadecimal ? std::chars_format::hex : std::chars_format::general;
  const auto read = std::from_chars(text.data(), end, *value, format);
  if (read.ptr != end || read.ec == std::errc::invalid_argument) return false;
  if (read.ec == std::errc::result_out_of_range) {
    *value = IsHuge(text, hexadecimal) ? std::numeric_limits<T>::infinity() : T{0};
  }
  if (negative) *value = -*value;
  return true;
}

}  // namespace

std::string_view StripAsciiSpace(std::string_view text) {
  while (!text.empty() && IsAsciiSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsAsciiSpace(text.back())) text.remove_suffix(1);
  return text;
}

std::string Quoted(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "'";
  for (char c : text.substr(0, kQuotedBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  out += "'";
  if (text.size() > kQuotedBytes) out += "... (" + std::to_string(text.size()) + " bytes)";
  return out;
}

bool ParseNumber(std::string_view text, int32_t* value) { return ParseInteger(text, value); }
bool ParseNumber(std::string_view text, int64_t* value) { return ParseInteger(text, value); }
bool ParseNumber(std::string_view text, uint32_t* value) { return ParseInteger(text, value); }
bool ParseNumber(std::string_view text, uint64_t* value) { return ParseInteger(text, value); }
bool ParseNumber(std::string_view text, float* value) { return ParseFloating(text, value); }
bool ParseNumber(std::string_view text, double* value) { return ParseFloating(text, value); }

}  // namespace fastpipe
