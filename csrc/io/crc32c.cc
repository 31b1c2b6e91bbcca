#include "io/crc32c.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace fastpipe {
namespace internal {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read in file order");

constexpr uint32_t kPolynomial = 0x82f63b78;  // bits reversed

// tables[k][b]: the checksum of byte b followed by k zero bytes.
constexpr auto kTables = [] {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8) ^ tables[0][crc & 0xff];
    }
  }
  return tables;
}();

uint64_t LoadWord(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

}  // namespace

uint32_t Crc32cPortable(std::string_view bytes) {
  const char* next = bytes.data();
  size_t left = bytes.size();
  uint32_t crc = ~uint32_t{0};
  for (; left >= 8; left -= 8, next += 8) {
    const uint64_t word = LoadWord(next) ^ crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][(word >> (8 * k)) & 0xff];
  }
  for (; left > 0; --left, ++next) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<uint8_t>(*next)) & 0xff];
  }
  return ~crc;
}

#if defined(__x86_64__)

bool HasSse42() { return __builtin_cpu_supports("sse4.2"); }

__attribute__((target("sse4.2"))) uint32_t Crc32cSse42(std::string_view bytes) {
  const char* next = bytes.data();
  size_t left = bytes.size();
  uint64_t crc = ~uint32_t{0};
  for (; left >= 8; left -= 8, next += 8) crc = _mm_crc32_u64(crc, LoadWord(next));
  uint32_t tail = static_cast<uint32_t>(crc);
  for (; left > 0; --left, ++next) tail = _mm_crc32_u8(tail, static_cast<uint8_t>(*next));
  return ~tail;
}

#else

bool HasSse42() { return false; }
uint32_t Crc32cSse42(std::string_view bytes) { return Crc32cPortable(bytes); }

#endif

}  // namespace internal

uint32_t Crc32c(std::string_view bytes) {
  static const auto variant =
      internal::HasSse42() ? internal::Crc32cSse42 : internal::Crc32cPortable;
  return variant(bytes);
}

}  // namespace fastpipe
