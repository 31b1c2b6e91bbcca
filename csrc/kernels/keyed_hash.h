// Hashes of bytes that are equal on every machine: MurmurHash64A and SipHash-2-4.
//
// Thread rule: free functions without state.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fastpipe {

uint64_t MurmurHash64(std::string_view text, uint64_t seed);
uint64_t SipHash24(std::string_view text, const std::array<uint64_t, 2>& key);

}  // namespace fastpipe
