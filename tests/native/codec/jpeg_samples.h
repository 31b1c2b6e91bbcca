// JPEGs of every kind, made by libjpeg, and how tests decode them.
#pragma once

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "codec/jpeg.h"
// jpeglib.h needs cstdio before it.
#include <jpeglib.h>

namespace fastpipe {

struct Sample {
  int width = 61;
  int height = 45;
  int channels = 3;  // 1 grey, 3 YCbCr, 4 CMYK, 2 without a meaning
  int h_sampling = 2;
  int v_sampling = 2;
  bool progressive = false;
  int restart_interval = 0;
  bool arithmetic = false;
  bool ycck = false;  // stored as libjpeg's "YCbCr of inverted inks, and black"
  bool adobe = true;  // of inks, a marker says that they are stored inverted
};

inline std::vector<uint8_t> MakePixels(const Sample& sample) {
  std::mt19937 random(7);
  std::vector<uint8_t> pixels;
  for (int y = 0; y < sample.height; ++y) {
    for (int x = 0; x < sample.width; ++x) {
      for (int c = 0; c < sample.channels; ++c) {
        pixels.push_back(static_cast<uint8_t>(x * 3 + y * (c + 1) + random() % 64));
      }
    }
  }
  return pixels;
}

inline std::string Encode(const Sample& sample, std::vector<uint8_t> pixels) {
  jpeg_compress_struct info = {};
  jpeg_error_mgr errors = {};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;  // NOLINT: libjpeg's type
  jpeg_mem_dest(&info, &memory, &size);
  info.image_width = static_cast<JDIMENSION>(sample.width);
  info.image_height = static_cast<JDIMENSION>(sample.height);
  info.input_components = sample.channels;
  constexpr J_COLOR_SPACE kSpaces[] = {JCS_GRAYSCALE, JCS_UNKNOWN, JCS_RGB, JCS_CMYK};
  info.in_color_space = kSpaces[sample.channels - 1];
  jpeg_set_defaults(&info);
  if (sample.ycck) jpeg_set_colorspace(&info, JCS_YCCK);
  if (!sample.adobe) info.write_Adobe_marker = FALSE;
  info.arith_code = sample.arithmetic;
  jpeg_set_quality(&info, 85, TRUE);
  info.comp_info[0].h_samp_factor = sample.h_sampling;
  info.comp_info[0].v_samp_factor = sample.v_sampling;
  info.restart_interval = static_cast<unsigned>(sample.restart_interval);
  if (sample.progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < sample.height; ++y) {
    JSAMPROW row = pixels.data() + y * sample.width * sample.channels;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string bytes(reinterpret_cast<char*>(memory), size);
  std::free(memory);
  return bytes;
}

inline std::string Encode(const Sample& sample) { return Encode(sample, MakePixels(sample)); }

struct Image {
  JpegInfo info;
  std::vector<uint8_t> pixels;

  std::vector<uint8_t> Window(const JpegCrop& crop) const {
    std::vector<uint8_t> window;
    for (int64_t y = crop.y; y < crop.y + crop.height; ++y) {
      const auto row = pixels.begin() + (y * info.width + crop.x) * info.channels;
      window.insert(window.end(), row, row + crop.width * info.channels);
    }
    return window;
  }
};

inline Status Decode(std::string_view bytes, const JpegOptions& options, Image* image) {
  JpegDecoder& decoder = ThreadJpegDecoder();
  FASTPIPE_RETURN_IF_ERROR(decoder.Start(bytes, options, &image->info));
  const int64_t row = image->info.width * image->info.channels;
  image->pixels.assign(static_cast<size_t>(row * image->info.height), 0);
  return decoder.ReadInto(image->pixels.data(), row);
}

inline Image MustDecode(std::string_view bytes, const JpegOptions& options = {}) {
  Image image;
  const Status status = Decode(bytes, options, &image);
  REQUIRE_MESSAGE(status.ok(), status.ToString());
  return image;
}

inline Status DecodeStatus(std::string_view bytes, const JpegOptions& options = {}) {
  Image image;
  return Decode(bytes, options, &image);
}

inline bool Contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace fastpipe
