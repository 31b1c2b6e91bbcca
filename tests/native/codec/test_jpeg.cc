#include <doctest/doctest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "jpeg_samples.h"

using namespace fastpipe;  // NOLINT

namespace {

void SetSize(std::string* bytes, char marker, int height, int width) {
  const size_t at = bytes->find(std::string{'\xFF', marker});
  REQUIRE(at != std::string::npos);
  (*bytes)[at + 5] = static_cast<char>(height >> 8);
  (*bytes)[at + 6] = static_cast<char>(height);
  (*bytes)[at + 7] = static_cast<char>(width >> 8);
  (*bytes)[at + 8] = static_cast<char>(width);
}

constexpr char kBaseline = '\xC0';
constexpr char kHuffmanTables = '\xC4';
constexpr char kQuantizationTables = '\xDB';

// Without the segments of this kind, which must lie before the scan.
std::string WithoutSegments(std::string bytes, char marker) {
  for (size_t at = 2; bytes[at + 1] != '\xDA';) {
    const size_t size =
        2 + static_cast<uint8_t>(bytes[at + 2]) * 256u + static_cast<uint8_t>(bytes[at + 3]);
    if (bytes[at + 1] == marker) {
      bytes.erase(at, size);
    } else {
      at += size;
    }
  }
  return bytes;
}

const std::vector<Sample>& Samples() {
  static const std::vector<Sample> samples = {
      {},
      {.progressive = true},
      {.h_sampling = 1, .v_sampling = 1},
      {.h_sampling = 2, .v_sampling = 1},
      {.h_sampling = 1, .v_sampling = 2},
      {.h_sampling = 4, .v_sampling = 1},
      {.h_sampling = 4, .v_sampling = 2},
      {.restart_interval = 1},
      {.channels = 1, .h_sampling = 1, .v_sampling = 1},
      {.channels = 1, .h_sampling = 2, .v_sampling = 2},
      {.channels = 4, .h_sampling = 1, .v_sampling = 1},
      {.width = 1, .height = 1},
      {.width = 200, .height = 3},
  };
  return samples;
}

}  // namespace

TEST_CASE("a decoded JPEG resembles what was encoded") {
  const Sample sample = {.h_sampling = 1, .v_sampling = 1};
  const Image image = MustDecode(Encode(sample));
  CHECK(image.info.width == 61);
  CHECK(image.info.height == 45);
  CHECK(image.info.channels == 3);
  const std::vector<uint8_t> original = MakePixels(sample);
  double difference = 0;
  for (size_t i = 0; i < original.size(); ++i) {
    difference += std::abs(int{original[i]} - int{image.pixels[i]});
  }
  CHECK(difference / static_cast<double>(original.size()) < 20);
}

TEST_CASE("the size of a JPEG is read from its header") {
  for (const Sample& sample : Samples()) {
    Result<JpegInfo> info = ReadJpegInfo(Encode(sample));
    REQUIRE(info.ok());
    CHECK(info.value().width == sample.width);
    CHECK(info.value().height == sample.height);
    CHECK(info.value().channels == sample.channels);
  }
}

TEST_CASE("JPEG channels are converted as asked") {
  const std::string gray = Encode({.channels = 1, .h_sampling = 1, .v_sampling = 1});
  CHECK(MustDecode(gray).info.channels == 1);
  const Image rgb = MustDecode(gray, {.channels = 3});
  const Image one = MustDecode(gray, {.channels = 1});
  REQUIRE(rgb.info.channels == 3);
  bool equal = true;
  for (size_t i = 0; i < one.pixels.size(); ++i) {
    for (size_t c = 0; c < 3; ++c) equal = equal && rgb.pixels[3 * i + c] == one.pixels[i];
  }
  CHECK(equal);
  CHECK(MustDecode(Encode({}), {.channels = 1}).info.channels == 1);
  const std::string cmyk = Encode({.channels = 4, .h_sampling = 1, .v_sampling = 1});
  CHECK(MustDecode(cmyk).info.channels == 3);
  CHECK(DecodeStatus(cmyk, {.channels = 1}).code() == Code::kInvalidArgument);
}

TEST_CASE("JPEG ratio divides the size, rounding up") {
  for (int ratio : {1, 2, 4, 8}) {
    const Image image = MustDecode(Encode({}), {.ratio = ratio});
    CHECK(image.info.width == (61 + ratio - 1) / ratio);
    CHECK(image.info.height == (45 + ratio - 1) / ratio);
  }
}

TEST_CASE("rows of a JPEG are written at the stride asked for") {
  const std::string bytes = Encode({});
  const Image dense = MustDecode(bytes);
  JpegInfo info;
  REQUIRE(ThreadJpegDecoder().Start(bytes, {}, &info).ok());
  const int64_t row = info.width * info.channels;
  const int64_t stride = row + 5;
  std::vector<uint8_t> pixels(static_cast<size_t>(stride * info.height), 0xAB);
  REQUIRE(ThreadJpegDecoder().ReadInto(pixels.data(), stride).ok());
  for (int64_t y = 0; y < info.height; ++y) {
    CHECK(std::equal(pixels.begin() + y * stride, pixels.begin() + y * stride + row,
                     dense.pixels.begin() + y * row));
    for (int64_t i = row; i < stride; ++i) CHECK(pixels[y * stride + i] == 0xAB);
  }
}

TEST_CASE("a JPEG crop is exactly that window of the full decode") {
  std::mt19937 random(1);
  const auto pick = [&random](int64_t from, int64_t to) {
    return from + static_cast<int64_t>(random() % static_cast<uint64_t>(to - from + 1));
  };
  for (const Sample& sample : Samples()) {
    const std::string bytes = Encode(sample);
    for (int ratio : {1, 2, 8}) {
      for (bool fancy : {true, false}) {
        JpegOptions options = {.ratio = ratio, .fancy_upscaling = fancy};
        const Image full = MustDecode(bytes, options);
        for (int trial = 0; trial < 30; ++trial) {
          JpegCrop crop;
          crop.height = pick(1, full.info.height);
          crop.width = pick(1, full.info.width);
          crop.y = pick(0, full.info.height - crop.height);
          crop.x = pick(0, full.info.width - crop.width);
          options.crop = crop;
          const Image cropped = MustDecode(bytes, options);
          CHECK(cropped.info.width == crop.width);
          CHECK(cropped.info.height == crop.height);
          CHECK(cropped.pixels == full.Window(crop));
        }
      }
    }
  }
}

TEST_CASE("TensorFlow's JPEG crop differs from the full decode in the outer columns only") {
  const std::string bytes = Encode({.width = 120});
  JpegOptions options;
  const Image full = MustDecode(bytes, options);
  const JpegCrop crop = {.y = 4, .x = 6, .height = 16, .width = 20};
  options.crop = crop;
  options.crop_edges = JpegCropEdges::kAsTensorFlow;
  const Image cropped = MustDecode(bytes, options);
  const std::vector<uint8_t> expected = full.Window(crop);
  int64_t inner_differences = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const size_t x = i / 3 % 20;
    if (x > 0 && x < 19) inner_differences += expected[i] != cropped.pixels[i];
  }
  CHECK(inner_differences == 0);
  CHECK(expected != cropped.pixels);
}

TEST_CASE("a JPEG crop outside the image is refused") {
  const std::string bytes = Encode({});
  const int64_t huge = INT64_MAX;
  const JpegCrop bad[] = {{0, 0, 46, 1},  {0, 0, 1, 62},   {45, 0, 1, 1},   {0, 61, 1, 1},
                          {-1, 0, 2, 2},  {0, -1, 2, 2},   {0, 0, 0, 5},    {0, 0, 5, 0},
                          {1, 1, -1, 1},  {huge, 0, 1, 1}, {1, 0, huge, 1}, {0, 1, 1, huge},
                          {0, huge, 1, 1}};
  for (const JpegCrop& crop : bad) {
    const Status status = DecodeStatus(bytes, {.crop = crop});
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(Contains(status.message(), "45 rows and 61 columns"));
  }
}

TEST_CASE("invalid JPEG options are refused") {
  CHECK(DecodeStatus(Encode({}), {.channels = 2}).code() == Code::kInvalidArgument);
  CHECK(DecodeStatus(Encode({}), {.channels = 4}).code() == Code::kInvalidArgument);
  CHECK(DecodeStatus(Encode({}), {.ratio = 3}).code() == Code::kInvalidArgument);
}

TEST_CASE("bytes that are no JPEG are refused with the reason and the length") {
  const Status status = DecodeStatus("this is not an image at all");
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(Contains(status.message(), "of 27 bytes"));
  CHECK(Contains(status.message(), "Not a JPEG"));
  CHECK(DecodeStatus("").code() == Code::kInvalidArgument);
  CHECK(DecodeStatus(std::string_view()).code() == Code::kInvalidArgument);
  CHECK_FALSE(ReadJpegInfo("").ok());
}

TEST_CASE("a JPEG truncated anywhere is an error") {
  for (const Sample& sample : {Sample{}, Sample{.progressive = true},
                               Sample{.channels = 1, .h_sampling = 1, .v_sampling = 1}}) {
    const std::string bytes = Encode(sample);
    for (size_t size = 0; size < bytes.size(); size += size < 700 ? 1 : 7) {
      CHECK(DecodeStatus(bytes.substr(0, size)).code() == Code::kInvalidArgument);
    }
    const JpegOptions crop = {.crop = JpegCrop{0, 0, 2, 2}};
    CHECK(DecodeStatus(bytes, crop).ok());
    CHECK_FALSE(DecodeStatus(bytes.substr(0, bytes.size() - 1), crop).ok());
    CHECK_FALSE(DecodeStatus(bytes.substr(0, bytes.size() * 9 / 10), crop).ok());
  }
}

TEST_CASE("a truncated JPEG is recovered on request") {
  const std::string bytes = Encode({});
  const Image full = MustDecode(bytes);
  const Image half = MustDecode(bytes.substr(0, bytes.size() / 2), {.try_recover_truncated = true});
  CHECK(half.info.height == full.info.height);
  const int64_t row = full.info.width * full.info.channels;
  CHECK(std::equal(full.pixels.begin(), full.pixels.begin() + 8 * row, half.pixels.begin()));
  CHECK(ThreadJpegDecoder().warnings() > 0);
  // Without a scan there is nothing to recover.
  CHECK_FALSE(DecodeStatus(bytes.substr(0, 100), {.try_recover_truncated = true}).ok());
}

TEST_CASE("damage inside a JPEG that libjpeg steps over is counted") {
  std::string bytes = Encode({});
  bytes.insert(bytes.find("\xFF\xDA"), "junk");
  CHECK(DecodeStatus(bytes).ok());
  CHECK(ThreadJpegDecoder().warnings() > 0);
  CHECK(DecodeStatus(Encode({})).ok());
  CHECK(ThreadJpegDecoder().warnings() == 0);
}

TEST_CASE("a JPEG that announces too many pixels is refused from its header") {
  std::string bytes = Encode({});
  SetSize(&bytes, kBaseline, 65000, 65000);
  const Status status = DecodeStatus(bytes);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(Contains(status.message(), "more than the limit of 178956970"));
  CHECK(DecodeStatus(Encode({}), {.max_pixels = 61 * 45}).ok());
  CHECK_FALSE(DecodeStatus(Encode({}), {.max_pixels = 61 * 45 - 1}).ok());
}

TEST_CASE("a JPEG too short for the pixels it announces is refused from its header") {
  std::string bytes = Encode({});
  SetSize(&bytes, kBaseline, 13000, 13000);
  JpegInfo info;
  const Status status = ThreadJpegDecoder().Start(bytes, {}, &info);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(Contains(status.message(), "end too early for 13000 x 13000"));
}

TEST_CASE("a JPEG of one colour is not taken for a truncated one") {
  const int side = 4000;
  const std::vector<uint8_t> pixels(side * side, 128);
  const std::string bytes = Encode({.width = side,
                                    .height = side,
                                    .channels = 1,
                                    .h_sampling = 1,
                                    .v_sampling = 1,
                                    .progressive = true},
                                   pixels);
  CHECK(MustDecode(bytes).pixels == pixels);
}

TEST_CASE("a JPEG of very many scans is refused") {
  std::string bytes = Encode({.progressive = true});
  const size_t scan = bytes.rfind("\xFF\xDA");
  const std::string last = bytes.substr(scan, bytes.size() - 2 - scan);
  std::string bomb = bytes.substr(0, bytes.size() - 2);
  for (int i = 0; i < 600; ++i) bomb += last;
  bomb += "\xFF\xD9";
  const Status status = DecodeStatus(bomb);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(Contains(status.message(), "more scans than the limit of 100"));
}

TEST_CASE("a damaged JPEG never crashes") {
  std::mt19937 random(3);
  for (const Sample& sample : Samples()) {
    const std::string bytes = Encode(sample);
    for (int trial = 0; trial < 300; ++trial) {
      std::string damaged = bytes;
      for (int i = 0; i < 1 + trial % 8; ++i) {
        damaged[random() % damaged.size()] = static_cast<char>(random());
      }
      JpegOptions options;
      options.max_pixels = 1 << 20;
      options.ratio = 1 << trial % 4;
      options.try_recover_truncated = trial % 2 == 0;
      options.acceptable_fraction = 0.5f;
      if (trial % 3 == 0) options.crop = JpegCrop{.y = 0, .x = 0, .height = 1, .width = 1};
      const Status status = DecodeStatus(damaged, options);
      CHECK((status.ok() || status.code() == Code::kInvalidArgument));
    }
  }
}

TEST_CASE("a JPEG decoder is good for the next image after an error or an unfinished one") {
  const std::string bytes = Encode({});
  const Image expected = MustDecode(bytes);
  CHECK_FALSE(DecodeStatus(bytes.substr(0, bytes.size() / 2)).ok());
  CHECK(MustDecode(bytes).pixels == expected.pixels);
  JpegInfo info;
  CHECK(ThreadJpegDecoder().Start(Encode({.progressive = true}), {}, &info).ok());
  CHECK(MustDecode(bytes).pixels == expected.pixels);
  CHECK(ThreadJpegDecoder().Start(bytes, {}, &info).ok());
  ThreadJpegDecoder().Reset();
  ThreadJpegDecoder().Reset();
  CHECK(MustDecode(bytes).pixels == expected.pixels);
}

TEST_CASE("a JPEG without tables of its own does not get those of the image before") {
  const std::string bytes = Encode({});
  const Image expected = MustDecode(bytes);
  // The tables of Encode({}) are those that libjpeg takes for granted; a progressive image has
  // others.
  const std::string without_codes = WithoutSegments(bytes, kHuffmanTables);
  REQUIRE(without_codes.size() < bytes.size());
  for (const std::string& other : {bytes, Encode({.progressive = true})}) {
    MustDecode(other);
    CHECK(MustDecode(without_codes).pixels == expected.pixels);
    MustDecode(other);
    CHECK_FALSE(DecodeStatus(WithoutSegments(bytes, kQuantizationTables)).ok());
  }
}

TEST_CASE("a crop of a damaged JPEG is that window of the whole") {
  std::mt19937 random(11);
  int damaged_crops = 0;
  for (const Sample& sample : Samples()) {
    const std::string bytes = Encode(sample);
    const size_t scan = bytes.find("\xFF\xDA");
    for (int trial = 0; trial < 200; ++trial) {
      std::string damaged = bytes;
      damaged[scan + random() % (damaged.size() - scan)] = static_cast<char>(random());
      const JpegOptions options = {.ratio = 1 << trial % 3, .fancy_upscaling = trial % 5 > 0};
      Image whole;
      if (!Decode(damaged, options, &whole).ok()) continue;
      const bool steps_over = ThreadJpegDecoder().warnings() > 0;
      const auto below = [&random](int64_t end) { return static_cast<int64_t>(random() % end); };
      const int64_t y = below(whole.info.height), x = below(whole.info.width);
      JpegOptions cropped = options;
      cropped.crop =
          JpegCrop{y, x, 1 + below(whole.info.height - y), 1 + below(whole.info.width - x)};
      CHECK(MustDecode(damaged, cropped).pixels == whole.Window(*cropped.crop));
      damaged_crops += steps_over;
    }
  }
  CHECK(damaged_crops > 100);
}

TEST_CASE("threads decode JPEGs side by side with decoders of their own") {
  const std::string bytes = Encode({});
  const Image expected = MustDecode(bytes);
  const JpegDecoder* decoders[4] = {};
  bool equal[4] = {};
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        decoders[i] = &ThreadJpegDecoder();
        equal[i] = true;
        for (int n = 0; n < 20; ++n) {
          Image image;
          equal[i] = Decode(bytes, {}, &image).ok() && image.pixels == expected.pixels && equal[i];
        }
      });
    }
  }
  for (size_t i = 0; i < 4; ++i) {
    CHECK(equal[i]);
    CHECK(decoders[i] != &ThreadJpegDecoder());
  }
}
