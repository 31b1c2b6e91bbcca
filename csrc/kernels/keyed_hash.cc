#include "kernels/keyed_hash.h"

#include <bit>
#include <cstring>

namespace fastpipe {
namespace {

// The `count` <= 8 bytes at `data` as a little-endian number.
uint64_t LittleEndian(const char* data, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) {
    value |= static_cast<uint64_t>(static_cast<unsigned char>(data[i])) << (8 * i);
  }
  return value;
}

struct SipState {
  uint64_t v0, v1, v2, v3;

  void Rounds(int count) {
    for (int i = 0; i < count; ++i) {
      v0 += v1;
      v1 = std::rotl(v1, 13) ^ v0;
      v0 = std::rotl(v0, 32);
      v2 += v3;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1;
      v1 = std::rotl(v1, 17) ^ v2;
      v2 = std::rotl(v2, 32);
    }
  }
  void Take(uint64_t word) {
    v3 ^= word;
    Rounds(2);
    v0 ^= word;
  }
};

}  // namespace

uint64_t MurmurHash64(std::string_view text, uint64_t seed) {
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995;
  constexpr int kShift = 47;
  uint64_t hash = seed ^ (text.size() * kFactor);
  for (; text.size() >= 8; text.remove_prefix(8)) {
    uint64_t word = LittleEndian(text.data(), 8) * kFactor;
    word = (word ^ (word >> kShift)) * kFactor;
    hash = (hash ^ word) * kFactor;
  }
  if (!text.empty()) hash = (hash ^ LittleEndian(text.data(), text.size())) * kFactor;
  hash = (hash ^ (hash >> kShift)) * kFactor;
  return hash ^ (hash >> kShift);
}

uint64_t SipHash24(std::string_view text, const std::array<uint64_t, 2>& key) {
  SipState state{0x736f6d6570736575 ^ key[0], 0x646f72616e646f6d ^ key[1],
                 0x6c7967656e657261 ^ key[0], 0x7465646279746573 ^ key[1]};
  const uint64_t size = text.size();
  for (; text.size() >= 8; text.remove_prefix(8)) state.Take(LittleEndian(text.data(), 8));
  state.Take(size << 56 | LittleEndian(text.data(), text.size()));
  state.v2 ^= 0xff;
  state.Rounds(4);
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace fastpipe
