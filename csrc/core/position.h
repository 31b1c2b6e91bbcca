// PositionWriter and PositionReader: the bytes of a saved position.
//
// Contract: a position is small and flat; each Iterator appends its own numbers after those of its
// inputs, and reads them back in the same order. A damaged position makes the reader fail, sticky,
// never crash.
// Thread rule: plain values, one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/status.h"

namespace fastpipe {

class PositionWriter {
 public:
  void PutInt(int64_t value) {
    uint64_t rest = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
    while (rest >= 0x80) {
      bytes_.push_back(static_cast<char>(rest | 0x80));
      rest >>= 7;
    }
    bytes_.push_back(static_cast<char>(rest));
  }
  void PutBytes(std::string_view value) {
    PutInt(static_cast<int64_t>(value.size()));
    bytes_.append(value);
  }
  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

class PositionReader {
 public:
  // No pipeline counts so far, and sums of a few such counts are still numbers.
  static constexpr int64_t kMostCounted = int64_t{1} << 60;

  explicit PositionReader(std::string_view bytes) : bytes_(bytes) {}

  // 0 once the position has proved damaged.
  int64_t GetInt();
  // A count or an index that must lie in [0, limit].
  int64_t GetCount(int64_t limit = kMostCounted);
  std::string_view GetBytes();
  // For numbers that may be what they are, but not all of them together.
  void NoteDamage() { damaged_ = true; }
  size_t remaining() const { return bytes_.size(); }
  bool at_end() const { return bytes_.empty(); }
  Status status() const;

 private:
  std::string_view bytes_;
  bool damaged_ = false;
};

}  // namespace fastpipe
