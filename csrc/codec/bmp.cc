#include "codec/bmp.h"

#include <cstdlib>
#include <string>

namespace fastpipe {
namespace {

constexpr size_t kHeaderBytes = 32;  // as far as it is read

int64_t ReadLittleEndian(std::string_view bytes, size_t offset, size_t size) {
  uint32_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[offset + i]);
  return size == 2 ? int64_t{static_cast<int16_t>(value)} : int64_t{static_cast<int32_t>(value)};
}

Status Failure(std::string_view bytes, const std::string& what) {
  return InvalidArgument(StrCat("cannot decode BMP of ", bytes.size(), " bytes: ", what));
}

Status CheckSizes(std::string_view bytes, const BmpLayout& layout, int64_t max_pixels) {
  const std::string size = StrCat(layout.width, " x ", layout.height, " pixels");
  if (layout.width <= 0 || layout.height <= 0) return Failure(bytes, StrCat("it has ", size));
  if (layout.height > max_pixels / layout.width) {
    return Failure(bytes, StrCat(size, " are more than the limit of ", max_pixels));
  }
  if (layout.first_row < 0) {
    return Failure(bytes, StrCat("the pixels start at offset ", layout.first_row));
  }
  const int64_t expected = layout.first_row + layout.row_bytes * layout.height;
  if (expected > static_cast<int64_t>(bytes.size())) {
    return Failure(bytes, StrCat("the data end too early: ", size, " of ",
                                 layout.stored_channels * 8, " bits need ", expected, " bytes"));
  }
  if (expected < static_cast<int64_t>(bytes.size())) {
    return Failure(bytes, StrCat(size, " of ", layout.stored_channels * 8, " bits need only ",
                                 expected, " bytes"));
  }
  return Status::Ok();
}

void CopyRow(const uint8_t* from, const BmpLayout& layout, uint8_t* to) {
  const int step = layout.stored_channels;
  for (int64_t x = 0; x < layout.width; ++x, from += step, to += layout.channels) {
    if (layout.channels == 1) {
      to[0] = from[0];
      continue;
    }
    // Stored as blue, green, red, alpha.
    to[0] = from[step == 1 ? 0 : 2];
    to[1] = from[step == 1 ? 0 : 1];
    to[2] = from[0];
    if (layout.channels == 4) to[3] = step == 4 ? from[3] : 255;
  }
}

}  // namespace

Result<BmpLayout> ReadBmpLayout(std::string_view bytes, int channels, int64_t max_pixels) {
  if (channels != 0 && channels != 3 && channels != 4) {
    return Failure(bytes, StrCat("channels must be 0, 3 or 4 for a BMP, got ", channels));
  }
  if (bytes.substr(0, 2) != std::string_view("BM").substr(0, bytes.size())) {
    return Failure(bytes, "it does not start with the BMP signature");
  }
  if (bytes.size() < kHeaderBytes) return Failure(bytes, "the data end too early, in the header");
  BmpLayout layout;
  layout.first_row = ReadLittleEndian(bytes, 10, 4);
  layout.width = ReadLittleEndian(bytes, 18, 4);
  const int64_t height = ReadLittleEndian(bytes, 22, 4);
  layout.height = std::abs(height);
  layout.top_down = height < 0;
  const int64_t bits = ReadLittleEndian(bytes, 28, 2);
  layout.stored_channels = static_cast<int>(bits / 8);
  if (layout.stored_channels != 1 && layout.stored_channels != 3 && layout.stored_channels != 4) {
    return Failure(bytes, StrCat("pixels must have 8, 24 or 32 bits, not ", bits));
  }
  layout.channels = channels != 0 ? channels : layout.stored_channels;
  layout.row_bytes = (layout.stored_channels * layout.width + 3) / 4 * 4;
  FASTPIPE_RETURN_IF_ERROR(CheckSizes(bytes, layout, max_pixels));
  return layout;
}

void ReadBmp(std::string_view bytes, const BmpLayout& layout, uint8_t* pixels) {
  const auto* rows = reinterpret_cast<const uint8_t*>(bytes.data()) + layout.first_row;
  for (int64_t y = 0; y < layout.height; ++y) {
    const int64_t stored = layout.top_down ? y : layout.height - 1 - y;
    CopyRow(rows + stored * layout.row_bytes, layout, pixels + y * layout.width * layout.channels);
  }
}

}  // namespace fastpipe
