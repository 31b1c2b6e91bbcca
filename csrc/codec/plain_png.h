// PlainPng: what most PNGs are (8 bits, not interlaced), decoded in a fraction of libpng's time.
//
// Contract: Start takes on an image only if nothing can go wrong any more and libpng would give the
// very same pixels. For all others, damaged ones too, it returns false: libpng then decodes what
// can be decoded and says what is wrong. Memory for the image is allocated by the size in the
// header, so the limits are to be checked before. Thread rule: a PlainPng is used by one thread at
// a time.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/buffer.h"

namespace fastpipe {

class PlainPng {
 public:
  // `channels` as in PngOptions. REQUIRES: 0 <= channels <= 4.
  bool Start(std::string_view bytes, int channels);
  // After a Start that returned true: the image that ReadInto writes, in bytes.
  int64_t width() const { return width_; }
  int64_t height() const { return height_; }
  int channels() const { return channels_; }
  // Row y starts at pixels + y * row_stride. REQUIRES: a Start that returned true. `bytes` of it
  // may be gone.
  void ReadInto(uint8_t* pixels, int64_t row_stride);

  // Frees what the current image holds.
  void Reset() { rows_ = BufferRef(); }
  bool started() const { return static_cast<bool>(rows_); }

 private:
  enum Color : uint8_t { kGray = 0, kRgb = 2, kPalette = 3, kGrayAlpha = 4, kRgba = 6 };
  using ConvertRow = void (*)(const uint8_t* from, int64_t width, uint8_t* to);
  struct Pixels;  // where the compressed pixels are

  bool ReadHeader(std::string_view data);
  bool ReadPalette(std::string_view data);
  bool ReadTransparency(std::string_view data);
  bool ReadChunks(std::string_view bytes, Pixels* pixels);
  bool ChooseChannels(int channels);
  bool Inflate(const Pixels& pixels);
  bool FiltersAreKnown() const;
  void Convert(const uint8_t* from, uint8_t* to) const;
  void ReadConverted(uint8_t* pixels, int64_t row_stride);
  void ReadAsStored(uint8_t* pixels, int64_t row_stride);

  size_t row_bytes() const { return static_cast<size_t>(width_) * stored_bytes_; }
  // The rows as inflated, each after the byte that names its filter.
  uint8_t* StoredRow(int64_t y) const;

  int64_t width_ = 0;
  int64_t height_ = 0;
  int channels_ = 0;         // of the output
  size_t stored_bytes_ = 0;  // of a pixel in the file
  Color color_ = kGray;
  bool has_palette_ = false;
  size_t palette_colors_ = 0;
  bool has_transparency_ = false;
  ConvertRow convert_ = nullptr;  // null: the rows are stored as they are wanted
  uint8_t palette_[256][4];       // RGB + alpha
  // A row of zeros, a row for conversions, and the rows as inflated.
  BufferRef rows_;
};

}  // namespace fastpipe
