// Fingerprint64: FarmHash's fingerprint, equal on every machine and in every version.
//
// Thread rule: a free function without state.
#pragma once

#include <cstdint>
#include <string_view>

namespace fastpipe {

uint64_t Fingerprint64(std::string_view text);

}  // namespace fastpipe
