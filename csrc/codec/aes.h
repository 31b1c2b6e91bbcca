// AES decryption by OpenSSL's libcrypto, which is loaded when it is first needed.
//
// Contract: keys of 16, 24 or 32 bytes choose AES-128, -192 or -256; another length is
// InvalidArgument. Data that were not encrypted under these values, or were changed since, are
// DataLoss from GCM, which then has written nothing that may be used. CTR cannot tell. Without
// libcrypto.so.3 everything is Unimplemented.
// Thread rule: free functions without state of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/status.h"

namespace fastpipe {

inline constexpr size_t kAesBlockBytes = 16;
inline constexpr size_t kGcmTagBytes = 16;

struct GcmInput {
  std::string_view key;
  std::string_view nonce;            // at least one byte, at most 128; 12 are usual
  std::string_view associated_data;  // authenticated, not encrypted
  std::string_view ciphertext;
  std::string_view tag;  // 12 to 16 bytes
};

// Writes ciphertext.size() bytes to `plaintext`; on error they must not be used.
Status DecryptAesGcm(const GcmInput& input, uint8_t* plaintext);

// `counter` is the first counter block, 16 bytes, counted up as one big-endian number. Writes
// ciphertext.size() bytes.
Status DecryptAesCtr(std::string_view key, std::string_view counter, std::string_view ciphertext,
                     uint8_t* plaintext);

}  // namespace fastpipe
