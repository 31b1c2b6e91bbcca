#include <doctest/doctest.h>
#include <png.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "codec/png.h"

using namespace fastpipe;  // NOLINT

namespace {

struct Sample {
  int color_type = PNG_COLOR_TYPE_RGB;
  int bit_depth = 8;
  bool interlaced = false;
  bool transparency = false;
  int width = 23;
  int height = 17;
};

int Channels(int color_type) {
  switch (color_type) {
    case PNG_COLOR_TYPE_GRAY_ALPHA:
      return 2;
    case PNG_COLOR_TYPE_RGB:
      return 3;
    case PNG_COLOR_TYPE_RGB_ALPHA:
      return 4;
    default:
      return 1;
  }
}

// Raw rows as PNG stores them; 16-bit values are big-endian.
std::vector<uint8_t> MakeRows(const Sample& sample) {
  std::mt19937 random(11);
  const int row_bits = sample.width * Channels(sample.color_type) * sample.bit_depth;
  std::vector<uint8_t> rows(static_cast<size_t>((row_bits + 7) / 8 * sample.height));
  for (uint8_t& byte : rows) byte = static_cast<uint8_t>(random());
  return rows;
}

void Append(png_structp png, png_bytep data, size_t size) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<char*>(data), size);
}

std::string Encode(const Sample& sample) {
  std::string bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &bytes, Append, nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(sample.width),
               static_cast<png_uint_32>(sample.height), sample.bit_depth, sample.color_type,
               sample.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (sample.color_type == PNG_COLOR_TYPE_PALETTE) {
    png_color palette[256];
    for (int i = 0; i < 256; ++i) {
      palette[i] = {static_cast<png_byte>(i), static_cast<png_byte>(255 - i),
                    static_cast<png_byte>(i * 7)};
    }
    png_set_PLTE(png, info, palette, 1 << sample.bit_depth);
    png_byte alpha[2] = {10, 20};
    if (sample.transparency) png_set_tRNS(png, info, alpha, 2, nullptr);
  }
  png_write_info(png, info);
  std::vector<uint8_t> rows = MakeRows(sample);
  std::vector<png_bytep> pointers;
  for (int y = 0; y < sample.height; ++y) {
    pointers.push_back(rows.data() + rows.size() / sample.height * y);
  }
  png_write_image(png, pointers.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

struct Image {
  PngInfo info;
  std::vector<uint8_t> pixels;

  uint16_t Wide(size_t i) const {
    uint16_t value;
    std::memcpy(&value, pixels.data() + 2 * i, 2);
    return value;
  }
};

Status Decode(std::string_view bytes, const PngOptions& options, Image* image) {
  PngDecoder decoder;
  FASTPIPE_RETURN_IF_ERROR(decoder.Start(bytes, options, &image->info));
  const PngInfo& info = image->info;
  const int64_t row = info.width * info.channels * info.bytes_per_value;
  image->pixels.assign(static_cast<size_t>(row * info.height), 0);
  return decoder.ReadInto(image->pixels.data(), row);
}

Image MustDecode(std::string_view bytes, const PngOptions& options = {}) {
  Image image;
  const Status status = Decode(bytes, options, &image);
  REQUIRE_MESSAGE(status.ok(), status.ToString());
  return image;
}

Status DecodeStatus(std::string_view bytes, const PngOptions& options = {}) {
  Image image;
  return Decode(bytes, options, &image);
}

bool Contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

void SetSize(std::string* bytes, uint32_t width, uint32_t height) {
  const auto put = [bytes](size_t at, uint32_t value) {
    for (size_t i = 0; i < 4; ++i) (*bytes)[at + i] = static_cast<char>(value >> (24 - 8 * i));
  };
  put(16, width);
  put(20, height);
  put(29, static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(bytes->data()) + 12, 17)));
}

const std::vector<Sample>& Samples() {
  static const std::vector<Sample> samples = [] {
    std::vector<Sample> all;
    for (bool interlaced : {false, true}) {
      for (int depth : {1, 2, 4, 8, 16}) all.push_back({PNG_COLOR_TYPE_GRAY, depth, interlaced});
      for (int depth : {1, 2, 4, 8}) {
        all.push_back({PNG_COLOR_TYPE_PALETTE, depth, interlaced, false});
        all.push_back({PNG_COLOR_TYPE_PALETTE, depth, interlaced, true});
      }
      for (int depth : {8, 16}) {
        all.push_back({PNG_COLOR_TYPE_GRAY_ALPHA, depth, interlaced});
        all.push_back({PNG_COLOR_TYPE_RGB, depth, interlaced});
        all.push_back({PNG_COLOR_TYPE_RGB_ALPHA, depth, interlaced});
      }
    }
    return all;
  }();
  return samples;
}

int StoredChannels(const Sample& sample) {
  if (sample.color_type != PNG_COLOR_TYPE_PALETTE) return Channels(sample.color_type);
  return sample.transparency ? 4 : 3;
}

}  // namespace

TEST_CASE("8-bit PNGs decode to the bytes that were encoded, interlaced or not") {
  for (bool interlaced : {false, true}) {
    for (int type : {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                     PNG_COLOR_TYPE_RGB_ALPHA}) {
      const Sample sample = {type, 8, interlaced};
      const Image image = MustDecode(Encode(sample));
      CHECK(image.info.channels == Channels(type));
      CHECK(image.info.bytes_per_value == 1);
      CHECK(image.pixels == MakeRows(sample));
    }
  }
}

TEST_CASE("16-bit PNGs decode to both widths") {
  const Sample sample = {PNG_COLOR_TYPE_RGB, 16};
  const std::vector<uint8_t> rows = MakeRows(sample);
  const Image wide = MustDecode(Encode(sample), {.bits = 16});
  const Image narrow = MustDecode(Encode(sample), {.bits = 8});
  CHECK(wide.info.bytes_per_value == 2);
  for (size_t i = 0; i < rows.size() / 2; ++i) {
    CHECK(wide.Wide(i) == rows[2 * i] * 256 + rows[2 * i + 1]);
    CHECK(narrow.pixels[i] == rows[2 * i]);
  }
}

TEST_CASE("8-bit PNGs widen to 16 bits by repeating the byte") {
  const Sample sample = {PNG_COLOR_TYPE_RGB, 8};
  const std::vector<uint8_t> rows = MakeRows(sample);
  const Image wide = MustDecode(Encode(sample), {.bits = 16});
  for (size_t i = 0; i < rows.size(); ++i) CHECK(wide.Wide(i) == rows[i] * 257);
}

TEST_CASE("every kind of PNG converts to every number of channels") {
  for (const Sample& sample : Samples()) {
    const std::string bytes = Encode(sample);
    const int stored = StoredChannels(sample);
    CHECK(MustDecode(bytes).info.channels == stored);
    for (int bits : {8, 16}) {
      const bool opaque = stored % 2 == 1;
      const Image rgba = MustDecode(bytes, {.channels = 4, .bits = bits});
      const Image rgb = MustDecode(bytes, {.channels = 3, .bits = bits});
      const Image gray = MustDecode(bytes, {.channels = 1, .bits = bits});
      const Image gray_alpha = MustDecode(bytes, {.channels = 2, .bits = bits});
      const size_t pixels = static_cast<size_t>(sample.width * sample.height);
      const size_t width = static_cast<size_t>(bits / 8);
      REQUIRE(rgba.pixels.size() == 4 * pixels * width);
      bool all_same = true;
      for (size_t i = 0; i < pixels; ++i) {
        const auto same = [&](const Image& a, size_t at, const Image& b, size_t bt, size_t count) {
          return std::memcmp(a.pixels.data() + at * width, b.pixels.data() + bt * width,
                             count * width) == 0;
        };
        all_same = all_same && same(rgba, 4 * i, rgb, 3 * i, 3);
        all_same = all_same && same(rgba, 4 * i + 3, gray_alpha, 2 * i + 1, 1);
        all_same = all_same && same(gray, i, gray_alpha, 2 * i, 1);
        all_same = all_same && (!opaque || rgba.pixels[(4 * i + 3) * width] == 0xFF);
      }
      CHECK(all_same);
    }
  }
}

TEST_CASE("colour becomes grey by the weights of Rec. 601") {
  const Sample sample = {PNG_COLOR_TYPE_RGB, 8};
  const std::vector<uint8_t> rows = MakeRows(sample);
  const Image gray = MustDecode(Encode(sample), {.channels = 1});
  for (size_t i = 0; i < gray.pixels.size(); ++i) {
    const double expected = 0.299 * rows[3 * i] + 0.587 * rows[3 * i + 1] + 0.114 * rows[3 * i + 2];
    CHECK(std::abs(expected - gray.pixels[i]) < 1.5);
  }
}

TEST_CASE("the size of a PNG is read from its header") {
  for (const Sample& sample : Samples()) {
    Result<PngInfo> info = ReadPngInfo(Encode(sample));
    REQUIRE(info.ok());
    CHECK(info.value().width == sample.width);
    CHECK(info.value().height == sample.height);
    CHECK(info.value().channels == StoredChannels(sample));
    CHECK(info.value().bytes_per_value == (sample.bit_depth == 16 ? 2 : 1));
  }
}

TEST_CASE("rows of a PNG are written at the stride asked for") {
  const Sample sample = {PNG_COLOR_TYPE_RGB, 8, true};
  const std::vector<uint8_t> rows = MakeRows(sample);
  const std::string bytes = Encode(sample);
  PngDecoder decoder;
  PngInfo info;
  REQUIRE(decoder.Start(bytes, {}, &info).ok());
  const size_t row = 23 * 3, stride = row + 7;
  std::vector<uint8_t> pixels(stride * 17, 0xAB);
  REQUIRE(decoder.ReadInto(pixels.data(), static_cast<int64_t>(stride)).ok());
  for (size_t y = 0; y < 17; ++y) {
    CHECK(std::memcmp(pixels.data() + y * stride, rows.data() + y * row, row) == 0);
    for (size_t i = row; i < stride; ++i) CHECK(pixels[y * stride + i] == 0xAB);
  }
}

TEST_CASE("invalid PNG options are refused") {
  CHECK(DecodeStatus(Encode({}), {.channels = 5}).code() == Code::kInvalidArgument);
  CHECK(DecodeStatus(Encode({}), {.channels = -1}).code() == Code::kInvalidArgument);
  CHECK(DecodeStatus(Encode({}), {.bits = 12}).code() == Code::kInvalidArgument);
}

TEST_CASE("bytes that are no PNG are refused with the reason and the length") {
  const Status status = DecodeStatus("this is not an image at all");
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(Contains(status.message(), "of 27 bytes"));
  CHECK(Contains(status.message(), "signature"));
  CHECK(DecodeStatus("").code() == Code::kInvalidArgument);
  CHECK_FALSE(ReadPngInfo(std::string_view()).ok());
}

TEST_CASE("a PNG truncated anywhere is an error") {
  for (bool interlaced : {false, true}) {
    const std::string bytes = Encode({PNG_COLOR_TYPE_RGB, 8, interlaced});
    for (size_t size = 0; size < bytes.size(); ++size) {
      CHECK(DecodeStatus(bytes.substr(0, size)).code() == Code::kInvalidArgument);
    }
  }
}

TEST_CASE("a PNG that announces too many pixels is refused from its header") {
  std::string bytes = Encode({});
  for (auto [width, height] : {std::pair{100000u, 100000u},
                               {0x7FFFFFFFu, 0x7FFFFFFFu},
                               {0xFFFFFFFFu, 0xFFFFFFFFu},
                               {1u, 178956971u}}) {
    SetSize(&bytes, width, height);
    const Status status = DecodeStatus(bytes);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(Contains(status.message(), "more than the limit of 178956970"));
    CHECK_FALSE(ReadPngInfo(bytes).ok());
  }
  CHECK(DecodeStatus(Encode({}), {.max_pixels = 23 * 17}).ok());
  CHECK_FALSE(DecodeStatus(Encode({}), {.max_pixels = 23 * 17 - 1}).ok());
}

TEST_CASE("a PNG too short for the pixels it announces is refused from its header") {
  std::string bytes = Encode({});
  SetSize(&bytes, 13000, 13000);
  const Status status = DecodeStatus(bytes);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(Contains(status.message(), "end too early for 13000 x 13000"));
  SetSize(&bytes, 0, 17);
  CHECK(DecodeStatus(bytes).code() == Code::kInvalidArgument);
}

TEST_CASE("a damaged PNG never crashes") {
  std::mt19937 random(5);
  for (const Sample& sample : Samples()) {
    const std::string bytes = Encode(sample);
    for (int trial = 0; trial < 100; ++trial) {
      std::string damaged = bytes;
      damaged[random() % damaged.size()] = static_cast<char>(random());
      if (trial % 2 == 0) SetSize(&damaged, 23 + trial % 5, 17 + trial % 7);
      PngOptions options = {.channels = trial % 5, .bits = trial % 3 == 0 ? 16 : 8};
      options.max_pixels = 1 << 20;
      const Status status = DecodeStatus(damaged, options);
      CHECK((status.ok() || status.code() == Code::kInvalidArgument));
    }
  }
}

TEST_CASE("a PNG decoder is good for the next image after an error or an unfinished one") {
  const std::string bytes = Encode({});
  PngDecoder decoder;
  PngInfo info;
  CHECK_FALSE(decoder.Start("no", {}, &info).ok());
  CHECK(decoder.Start(bytes, {}, &info).ok());
  CHECK(decoder.Start(bytes, {}, &info).ok());
  std::vector<uint8_t> pixels(23 * 17 * 3);
  CHECK(decoder.ReadInto(pixels.data(), 23 * 3).ok());
  CHECK(pixels == MakeRows({}));
}
