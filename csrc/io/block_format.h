// The bytes of a BlockWriter's file: see docs/saved-dataset.md. Little-endian throughout.
// Thread rule: constants and free functions.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "io/crc32c.h"

namespace fastpipe::block_format {

static_assert(std::endian::native == std::endian::little, "numbers are in the order of the file");

constexpr std::string_view kFileMagic = "FPBLOCKS";
constexpr std::string_view kEndMagic = "FPBLKEND";
constexpr uint32_t kBlockMagic = 0x4b4c4246;  // "FBLK"
constexpr uint32_t kVersion = 1;

constexpr size_t kFileHeader = 64;   // magic, u32 version, u32 compression, zeros, u32 checksum
constexpr size_t kBlockHeader = 64;  // u32 magic, u32 records, u64 raw, u64 stored,
                                     // u32 checksum of the directory, zeros, u32 checksum
constexpr size_t kEntry = 12;        // u32 begin, u32 size, u32 checksum
constexpr size_t kIndexEntry = 16;   // u64 offset, u64 first record
constexpr size_t kTrailer = 48;      // u64 index offset, u64 blocks, u64 records, u32 checksum of
                                     // the index, zeros, u32 checksum, magic

constexpr size_t kAlignment = 64;
constexpr size_t kSmallAlignment = 8;
constexpr size_t kSmall = 1024;  // records below this are aligned to kSmallAlignment only

constexpr uint64_t AlignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

template <typename T>
T Load(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

template <typename T>
void Put(T value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

inline std::string_view Text(const uint8_t* bytes, size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// Fills up with zeros to `size` bytes, the last four of which are the checksum of those before.
inline void Seal(size_t size, std::string* out) {
  out->resize(size - 4);
  Put<uint32_t>(MaskedCrc32c(*out), out);
}
inline bool IsSealed(const uint8_t* bytes, size_t size) {
  return MaskedCrc32c(Text(bytes, size - 4)) == Load<uint32_t>(bytes + size - 4);
}

}  // namespace fastpipe::block_format
