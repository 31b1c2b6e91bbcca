// Bools in bytes that come from elsewhere.
//
// Contract: a bool in memory is a byte of 0 or 1; any other byte, read as a bool, is undefined
// behaviour.
// Thread rule: a free function.
#pragma once

#include <cstdint>
#include <string_view>

namespace fastpipe {

// Whether each byte is a bool.
inline bool AreBools(std::string_view bytes) {
  uint8_t bits = 0;
  for (const char byte : bytes) bits |= static_cast<uint8_t>(byte);
  return bits <= 1;
}

}  // namespace fastpipe
