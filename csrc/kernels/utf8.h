// UTF-8 by character: where characters start, without judging whether they are valid.
//
// Contract: a character is a byte that does not continue one, with the continuation bytes after it.
// Thread rule: free functions without state.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/args.h"

namespace fastpipe {

inline bool IsUtf8Continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

inline int64_t CountUtf8Characters(std::string_view text) {
  int64_t count = 0;
  for (char c : text) count += IsUtf8Continuation(c) ? 0 : 1;
  return count;
}

// Reads the attribute `unit`, "BYTE" or "UTF8_CHAR": true for the latter.
inline Result<bool> UnitIsUtf8(const Args& attrs) {
  FASTPIPE_ASSIGN(const std::string unit, attrs.StringOr("unit", "BYTE"));
  if (unit == "BYTE" || unit == "UTF8_CHAR") return unit == "UTF8_CHAR";
  return attrs.Error(StrCat("unit must be 'BYTE' or 'UTF8_CHAR', got '", unit, "'"));
}

}  // namespace fastpipe
