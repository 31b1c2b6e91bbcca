#include "codec/plain_png.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "codec/png_unfilter.h"

namespace fastpipe {
namespace {

constexpr size_t kSignatureBytes = 8;
constexpr size_t kHeaderBytes = 13;
// libpng bounds chunks by this, those of the pixels less strictly.
constexpr size_t kMaxChunk = 8000000;
// Above it, libpng's rows one by one cost less memory.
constexpr int64_t kMaxRows = 64 << 20;
constexpr size_t kLargestWindow = 32768;

uint32_t ReadBigEndian(const char* bytes) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

struct Chunk {
  std::string_view type;
  std::string_view data;
};

// Takes a chunk off the front of `bytes`; false if it is damaged or too large.
bool TakeChunk(std::string_view* bytes, Chunk* chunk, bool check = true) {
  constexpr size_t kAround = 12;  // length, type, checksum
  if (bytes->size() < kAround) return false;
  const size_t length = ReadBigEndian(bytes->data());
  if (length > std::min(bytes->size() - kAround, kMaxChunk)) return false;
  *chunk = {bytes->substr(4, 4), bytes->substr(8, length)};
  const uint32_t sum = ReadBigEndian(bytes->data() + 8 + length);
  bytes->remove_prefix(kAround + length);
  return !check || libdeflate_crc32(0, chunk->type.data(), 4 + length) == sum;
}

// Chunks that change no pixel by any conversion done here. Where libpng finds fault with one, it
// goes on.
bool IsWithoutEffect(std::string_view type) {
  constexpr std::string_view kTypes[] = {"tEXt", "zTXt", "iTXt", "eXIf", "pHYs", "tIME",
                                         "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "bKGD"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* decompressor) const {
    libdeflate_free_decompressor(decompressor);
  }
};

// Null if memory has run out.
libdeflate_decompressor* ThreadDecompressor() {
  thread_local const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
      libdeflate_alloc_decompressor());
  return decompressor.get();
}

// Grey spreads over the colours, alpha is dropped or added.
template <int kFrom, int kTo>
void ConvertPixels(const uint8_t* __restrict from, int64_t width, uint8_t* __restrict to) {
  constexpr bool kFromColor = kFrom >= 3, kToColor = kTo >= 3;
  for (int64_t x = 0; x < width; ++x, from += kFrom, to += kTo) {
    to[0] = from[0];
    if constexpr (kToColor) {
      to[1] = from[kFromColor ? 1 : 0];
      to[2] = from[kFromColor ? 2 : 0];
    }
    if constexpr (kTo % 2 == 0) to[kTo - 1] = kFrom % 2 == 0 ? from[kFrom - 1] : 0xFF;
  }
}

}  // namespace

struct PlainPng::Pixels {
  std::string_view from;  // starts with the first of their chunks
  int chunks = 0;
  size_t bytes = 0;
};

bool PlainPng::ReadHeader(std::string_view data) {
  if (data.size() != kHeaderBytes) return false;
  const uint32_t width = ReadBigEndian(data.data()), height = ReadBigEndian(data.data() + 4);
  // Depth, then compression, filter and interlacing.
  if (data[8] != 8 || data[10] != 0 || data[11] != 0 || data[12] != 0) return false;
  constexpr uint8_t kBytes[] = {1, 0, 3, 1, 2, 0, 4};  // by colour
  const uint8_t color = static_cast<uint8_t>(data[9]);
  if (color >= sizeof kBytes || kBytes[color] == 0) return false;
  color_ = static_cast<Color>(color);
  stored_bytes_ = kBytes[color];
  if (width == 0 || height == 0 || width > kMaxRows || height > kMaxRows) return false;
  width_ = width;
  height_ = height;
  return static_cast<int64_t>(row_bytes() + 1) <= kMaxRows / height_;
}

bool PlainPng::ReadPalette(std::string_view data) {
  if (color_ != kPalette || has_palette_) return false;
  const size_t colors = data.size() / 3;
  if (colors == 0 || colors > 256 || colors * 3 != data.size()) return false;
  // Pixels beyond the palette are black.
  for (auto& color : palette_) {
    std::memset(color, 0, 3);
    color[3] = 0xFF;
  }
  for (size_t i = 0; i < colors; ++i) std::memcpy(palette_[i], data.data() + 3 * i, 3);
  has_palette_ = true;
  palette_colors_ = colors;
  return true;
}

bool PlainPng::ReadTransparency(std::string_view data) {
  if (!has_palette_ || has_transparency_ || data.empty() || data.size() > palette_colors_) {
    return false;
  }
  for (size_t i = 0; i < data.size(); ++i) palette_[i][3] = static_cast<uint8_t>(data[i]);
  has_transparency_ = true;
  return true;
}

// Everything up to and with IEND: after the pixels there is nothing left to go wrong.
bool PlainPng::ReadChunks(std::string_view bytes, Pixels* pixels) {
  Chunk chunk;
  bytes.remove_prefix(kSignatureBytes);
  if (!TakeChunk(&bytes, &chunk) || chunk.type != "IHDR" || !ReadHeader(chunk.data)) return false;
  for (std::string_view last = chunk.type;; last = chunk.type) {
    const std::string_view from = bytes;
    if (!TakeChunk(&bytes, &chunk)) return false;
    if (chunk.type == "IDAT") {
      if (chunk.data.empty() || (pixels->chunks > 0 && last != "IDAT")) return false;
      if (pixels->chunks == 0) pixels->from = from;
      ++pixels->chunks;
      pixels->bytes += chunk.data.size();
    } else if (chunk.type == "IEND") {
      return chunk.data.empty() && pixels->chunks > 0;
    } else if (chunk.type == "PLTE") {
      if (pixels->chunks > 0 || !ReadPalette(chunk.data)) return false;
    } else if (chunk.type == "tRNS") {
      if (pixels->chunks > 0 || !ReadTransparency(chunk.data)) return false;
    } else if (!IsWithoutEffect(chunk.type)) {
      return false;
    }
  }
}

bool PlainPng::ChooseChannels(int channels) {
  static constexpr ConvertRow kConversions[4][4] = {
      {nullptr, ConvertPixels<1, 2>, ConvertPixels<1, 3>, ConvertPixels<1, 4>},
      {ConvertPixels<2, 1>, nullptr, ConvertPixels<2, 3>, ConvertPixels<2, 4>},
      {nullptr, nullptr, nullptr, ConvertPixels<3, 4>},
      {nullptr, nullptr, ConvertPixels<4, 3>, nullptr}};
  if (color_ == kPalette && !has_palette_) return false;
  const int stored = color_ != kPalette  ? static_cast<int>(stored_bytes_)
                     : has_transparency_ ? 4
                                         : 3;
  channels_ = channels != 0 ? channels : stored;
  // Grey from colour is libpng's affair: it depends on the gamma and the primaries of the file.
  if (stored >= 3 && channels_ < 3) return false;
  convert_ = color_ == kPalette ? nullptr : kConversions[stored - 1][channels_ - 1];
  return true;
}

bool PlainPng::Inflate(const Pixels& pixels) {
  std::string_view rest = pixels.from;
  Chunk chunk;
  TakeChunk(&rest, &chunk, /*check=*/false);
  std::string_view compressed = chunk.data;
  BufferRef joined;
  if (pixels.chunks > 1) {
    joined = BufferPool::Get().Allocate(pixels.bytes);
    uint8_t* to = joined->data();
    for (int i = 0; i < pixels.chunks; ++i) {
      if (i > 0) TakeChunk(&rest, &chunk, /*check=*/false);
      std::memcpy(to, chunk.data.data(), chunk.data.size());
      to += chunk.data.size();
    }
    compressed = {reinterpret_cast<const char*>(joined->data()), pixels.bytes};
  }
  const size_t size = (row_bytes() + 1) * static_cast<size_t>(height_);
  // zlib refuses distances beyond the window that the stream announces, libdeflate does not look.
  const size_t window = size_t{256} << (static_cast<uint8_t>(compressed[0]) >> 4);
  if (window < std::min(size, kLargestWindow)) return false;
  libdeflate_decompressor* const decompressor = ThreadDecompressor();
  if (decompressor == nullptr) return false;
  rows_ = BufferPool::Get().Allocate(2 * row_bytes() + size);
  size_t used = 0;
  return libdeflate_zlib_decompress_ex(decompressor, compressed.data(), compressed.size(),
                                       StoredRow(0), size, &used, nullptr) == LIBDEFLATE_SUCCESS &&
         used == compressed.size();
}

uint8_t* PlainPng::StoredRow(int64_t y) const {
  return rows_->data() + 2 * row_bytes() + static_cast<size_t>(y) * (row_bytes() + 1);
}

bool PlainPng::FiltersAreKnown() const {
  for (int64_t y = 0; y < height_; ++y) {
    if (*StoredRow(y) >= kPngFilters) return false;
  }
  return true;
}

bool PlainPng::Start(std::string_view bytes, int channels) {
  Reset();
  has_palette_ = has_transparency_ = false;
  Pixels pixels;
  if (bytes.size() >= kSignatureBytes && ReadChunks(bytes, &pixels) && ChooseChannels(channels) &&
      Inflate(pixels) && FiltersAreKnown()) {
    return true;
  }
  Reset();
  return false;
}

void PlainPng::Convert(const uint8_t* from, uint8_t* to) const {
  if (convert_ != nullptr) return convert_(from, width_, to);
  const size_t bytes = static_cast<size_t>(channels_);
  for (int64_t x = 0; x < width_; ++x) {
    const auto& color = palette_[from[x]];
    for (size_t i = 0; i < bytes; ++i) *to++ = color[i];
  }
}

// Into two spare rows by turns, of which one is the row above the other.
void PlainPng::ReadConverted(uint8_t* pixels, int64_t row_stride) {
  const size_t size = row_bytes();
  uint8_t* above = rows_->data();
  uint8_t* row = above + size;
  for (int64_t y = 0; y < height_; ++y, pixels += row_stride) {
    const uint8_t* stored = StoredRow(y);
    UnfilterPngRow(static_cast<PngFilter>(*stored), static_cast<int>(stored_bytes_), stored + 1,
                   above, size, row);
    Convert(row, pixels);
    std::swap(above, row);
  }
}

void PlainPng::ReadAsStored(uint8_t* pixels, int64_t row_stride) {
  const int pixel_bytes = static_cast<int>(stored_bytes_);
  const uint8_t* above = rows_->data();
  const auto filter = [this](int64_t y) { return static_cast<PngFilter>(*StoredRow(y)); };
  for (int64_t y = 0; y < height_; ++y, pixels += row_stride) {
    const uint8_t* stored = StoredRow(y) + 1;
    if (y + 1 < height_ && filter(y) == PngFilter::kPaeth && filter(y + 1) == PngFilter::kPaeth) {
      UnfilterTwoPaethRows(pixel_bytes, stored, StoredRow(y + 1) + 1, above, row_bytes(), pixels,
                           pixels + row_stride);
      pixels += row_stride;
      ++y;
    } else {
      UnfilterPngRow(filter(y), pixel_bytes, stored, above, row_bytes(), pixels);
    }
    above = pixels;
  }
}

void PlainPng::ReadInto(uint8_t* pixels, int64_t row_stride) {
  std::memset(rows_->data(), 0, row_bytes());  // what is above the first
  if (convert_ != nullptr || color_ == kPalette) {
    ReadConverted(pixels, row_stride);
  } else {
    ReadAsStored(pixels, row_stride);
  }
  Reset();
}

}  // namespace fastpipe
