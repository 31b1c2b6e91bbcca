// JPEG decoding by libjpeg-turbo, straight into the caller's memory.
//
// Contract: decoding has two phases so that the caller allocates the output in between:
//
//   JpegDecoder& decoder = ThreadJpegDecoder();
//   JpegInfo info;
//   FASTPIPE_RETURN_IF_ERROR(decoder.Start(bytes, options, &info));
//   ... allocate info.height * info.width * info.channels bytes ...
//   FASTPIPE_RETURN_IF_ERROR(decoder.ReadInto(pixels, info.width * info.channels));
//
// Limits are checked from the header before anything of the image's size is allocated. Bytes that
// cannot be decoded are InvalidArgument, as in TensorFlow; memory that runs out is
// ResourceExhausted; hostile bytes never crash.
//
// Threads: one decoder, one thread, for the decoder's whole life (libjpeg-turbo 2.1 keeps its
// choice of SIMD code in thread-local memory). The free functions are safe from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/limits.h"
#include "core/status.h"

struct fastpipe_jpeg;  // the libjpeg state, private to jpeg_shim.c
struct fastpipe_jpeg_header;

namespace fastpipe {

struct JpegInfo {
  int64_t width = 0;
  int64_t height = 0;
  int channels = 0;
};

enum class JpegDctMethod {
  kAccurate,  // JDCT_ISLOW: the bytes Pillow gives; TensorFlow's INTEGER_ACCURATE
  kFast,      // JDCT_IFAST: TensorFlow's INTEGER_FAST and its default
};

// A rectangle of the output, in pixels of the output (after `ratio`).
struct JpegCrop {
  int64_t y = 0;
  int64_t x = 0;
  int64_t height = 0;
  int64_t width = 0;
};

enum class JpegCropEdges {
  kAsFullDecode,  // exactly the pixels a full decode has there
  kAsTensorFlow,  // the outer columns may differ by a few: chroma is upsampled without what lies
                  // beyond the window, as jpeg_crop_scanline and so tf.io.decode_and_crop_jpeg do
};

struct JpegOptions {
  // 1 grey, 3 RGB, 0 as in the file. CMYK and YCCK become RGB with 0 and 3, and cannot be grey.
  int channels = 0;
  // The image is scaled by 1/ratio while decoding; 1, 2, 4 or 8.
  int ratio = 1;
  // Smooth rather than replicated chroma upsampling.
  bool fancy_upscaling = true;
  JpegDctMethod dct_method = JpegDctMethod::kAccurate;
  // False: data that end early are an error. True: the blocks that are missing are whatever
  // libjpeg makes of zero coefficients (grey), and count as read, as in TensorFlow.
  bool try_recover_truncated = false;
  // With try_recover_truncated: when damage stops libjpeg for good within the image, the image is
  // accepted if at least this fraction of its rows was decoded; the last one is repeated below.
  float acceptable_fraction = 1.0f;
  // Only this window of the image. Rows below it are not decoded; that the data are complete is
  // checked all the same.
  std::optional<JpegCrop> crop = std::nullopt;
  JpegCropEdges crop_edges = JpegCropEdges::kAsFullDecode;
  // With libjpeg's own Huffman decoder: the reference that tests compare with.
  bool libjpeg_only = false;
  // Images of more pixels (before `ratio`) are refused.
  int64_t max_pixels = Limits{}.image_pixels;
  // Progressive images of more scans are refused.
  int64_t max_scans = Limits{}.image_scans;
};

// The size in the header, and the channels of the pixels as stored: 1, 3, or 4 for CMYK.
Result<JpegInfo> ReadJpegInfo(std::string_view bytes);

class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  // Reads the header and prepares decoding; a progressive image is read completely. `*output_info`
  // is the shape ReadInto will write. `bytes` must stay alive until ReadInto or Reset returns.
  // A Start that was not followed by ReadInto is forgotten.
  Status Start(std::string_view bytes, const JpegOptions& options, JpegInfo* output_info);

  // Writes the image; row y starts at pixels + y * row_stride. On error the pixels are undefined.
  // REQUIRES: the last call was a successful Start; row_stride >= width * channels of its info.
  Status ReadInto(uint8_t* pixels, int64_t row_stride);

  // Writes the next `count` rows to pixels, pixels + row_stride, ...; after the last row of the
  // image, and after an error, the image is done. What try_recover_truncated accepts beyond what
  // libjpeg steps over is an error here.
  // REQUIRES: Start has succeeded and so many rows are left.
  Status ReadRows(uint8_t* pixels, int64_t row_stride, int64_t count);

  // ReadJpegInfo by this decoder, which forgets its image.
  Result<JpegInfo> ReadInfo(std::string_view bytes);

  // Frees what the current image holds. Start and the destructor do the same.
  void Reset();

  // Damage that libjpeg stepped over in the last image (junk between segments, a bad Huffman code):
  // the image is accepted, as in Pillow and TensorFlow.
  int64_t warnings() const;

 private:
  struct Free {
    void operator()(fastpipe_jpeg* jpeg) const;
  };

  // Forgets the current image and reads the header of the next.
  Status ReadHeader(std::string_view bytes, fastpipe_jpeg_header* header);
  Status CheckLimits(const fastpipe_jpeg_header& header) const;
  // Fixes output_, and the window of the complete output that it is.
  Status Configure(const fastpipe_jpeg_header& header, JpegCrop* window);
  // InvalidArgument, or ResourceExhausted if that is why.
  Status Failure(std::string_view what) const;
  Status FailureOfRows() const;

  std::unique_ptr<fastpipe_jpeg, Free> jpeg_;
  JpegOptions options_;
  std::string_view bytes_;
  JpegInfo output_;
};

// The calling thread's decoder. Never pass it to another thread.
JpegDecoder& ThreadJpegDecoder();

}  // namespace fastpipe
