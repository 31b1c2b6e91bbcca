// PNG decoding straight into the caller's memory: by codec/plain_png.h where it can, by libpng
// otherwise.
//
// Contract: two phases, as in codec/jpeg.h: Start reads the header and says what ReadInto will
// write, the caller allocates it, ReadInto writes it. Limits are checked from the header before
// anything of the image's size is allocated. Bytes that cannot be decoded are InvalidArgument, as
// in TensorFlow; memory that runs out is ResourceExhausted; hostile bytes never crash.
//
// Threads: a decoder is used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "codec/plain_png.h"
#include "core/limits.h"
#include "core/status.h"

struct fastpipe_png;  // the libpng state, private to png_shim.c
struct fastpipe_png_header;

namespace fastpipe {

struct PngInfo {
  int64_t width = 0;
  int64_t height = 0;
  int channels = 0;         // 1 grey, 2 grey + alpha, 3 RGB, 4 RGB + alpha
  int bytes_per_value = 1;  // 1: uint8, 2: uint16 in the machine's byte order
};

struct PngOptions {
  // 0: as in the file, where a palette is RGB, or RGB + alpha if it has transparency.
  // Colour becomes grey by Rec. 601 weights, alpha is dropped or added (opaque) as needed.
  int channels = 0;
  // 8 or 16. 16-bit files lose their low byte at 8; 8-bit files are widened (v * 257) at 16.
  int bits = 8;
  // Images of more pixels are refused.
  int64_t max_pixels = Limits{}.image_pixels;
  // Leaves all images to libpng: the reference that tests compare with.
  bool libpng_only = false;
};

// The size, and the channels and width of the values as stored (bits below 8 count as one byte).
Result<PngInfo> ReadPngInfo(std::string_view bytes);

class PngDecoder {
 public:
  PngDecoder();
  ~PngDecoder();
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  // `*output_info` is the shape ReadInto will write. `bytes` must stay alive until ReadInto or
  // Reset returns. A Start that was not followed by ReadInto is forgotten.
  Status Start(std::string_view bytes, const PngOptions& options, PngInfo* output_info);

  // Writes the image; row y starts at pixels + y * row_stride. On error the pixels are undefined.
  // REQUIRES: the last call was a successful Start; row_stride >= width * channels *
  // bytes_per_value of its info; pixels and row_stride are multiples of bytes_per_value.
  Status ReadInto(uint8_t* pixels, int64_t row_stride);

  // Frees what the current image holds. Start and the destructor do the same.
  void Reset();

 private:
  struct Free {
    void operator()(fastpipe_png* png) const;
  };

  // Forgets the current image and checks the limits of the next.
  Status Open(std::string_view bytes, int64_t max_pixels);
  Status ReadHeader(fastpipe_png_header* header);
  Status CheckLimits(int64_t max_pixels) const;
  // InvalidArgument, or ResourceExhausted if that is why.
  Status Failure(std::string_view what) const;

  friend Result<PngInfo> ReadPngInfo(std::string_view bytes);

  PlainPng plain_;
  std::unique_ptr<fastpipe_png, Free> png_;
  std::string_view bytes_;
};

}  // namespace fastpipe
