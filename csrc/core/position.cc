#include "core/position.h"

namespace fastpipe {

int64_t PositionReader::GetInt() {
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (bytes_.empty()) break;
    const uint8_t byte = static_cast<uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << (shift < 64 ? shift : 63);
    if (byte < 0x80) {
      return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
    }
  }
  damaged_ = true;
  return 0;
}

int64_t PositionReader::GetCount(int64_t limit) {
  const int64_t value = GetInt();
  if (value >= 0 && value <= limit) return value;
  damaged_ = true;
  return 0;
}

std::string_view PositionReader::GetBytes() {
  const auto size = static_cast<size_t>(GetCount(static_cast<int64_t>(bytes_.size())));
  // The number itself may have been the last bytes.
  if (size > bytes_.size()) {
    damaged_ = true;
    return {};
  }
  std::string_view value = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return value;
}

Status PositionReader::status() const {
  return damaged_ ? DataLoss("the saved iterator position is damaged") : Status::Ok();
}

}  // namespace fastpipe
