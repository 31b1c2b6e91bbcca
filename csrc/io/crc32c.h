// CRC-32C (Castagnoli), the checksum of TFRecord files.
//
// Contract: Crc32c picks the SSE 4.2 variant where the processor has it; the variants are exported
// for tests that compare them.
// Thread rule: any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace fastpipe {

uint32_t Crc32c(std::string_view bytes);

// As stored in TFRecord files: rotated and shifted, so that checksums of data that contain
// checksums stay good.
inline uint32_t MaskedCrc32c(std::string_view bytes) {
  const uint32_t crc = Crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8;
}

namespace internal {
uint32_t Crc32cPortable(std::string_view bytes);
bool HasSse42();
// REQUIRES: HasSse42()
uint32_t Crc32cSse42(std::string_view bytes);
}  // namespace internal

}  // namespace fastpipe
