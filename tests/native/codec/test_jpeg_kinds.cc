// JPEGs that few programs write: inks, arithmetic codes, other numbers of components.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "jpeg_samples.h"

using namespace fastpipe;  // NOLINT

namespace {

constexpr Sample kInks = {.channels = 4, .h_sampling = 1, .v_sampling = 1};

// The four inks of each pixel, as libjpeg gives them.
std::vector<uint8_t> Inks(const std::string& bytes) {
  jpeg_decompress_struct info = {};
  jpeg_error_mgr errors = {};
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&info, TRUE);
  info.out_color_space = JCS_CMYK;
  jpeg_start_decompress(&info);
  std::vector<uint8_t> inks(size_t{4} * info.output_width * info.output_height);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = inks.data() + size_t{4} * info.output_width * info.output_scanline;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return inks;
}

// The light that no ink takes away; `inverted` inks are 255 where there is none.
std::vector<uint8_t> Light(const std::vector<uint8_t>& inks, bool inverted) {
  std::vector<uint8_t> light;
  for (size_t i = 0; i < inks.size(); i += 4) {
    const int black = inverted ? inks[i + 3] : 255 - inks[i + 3];
    for (size_t c = 0; c < 3; ++c) {
      const int ink = inverted ? inks[i + c] : 255 - inks[i + c];
      light.push_back(static_cast<uint8_t>(black * ink / 255));
    }
  }
  return light;
}

}  // namespace

TEST_CASE("inks of a JPEG become colours, inverted where Adobe's marker says so") {
  for (const bool ycck : {false, true}) {
    CAPTURE(ycck);
    Sample sample = kInks;
    sample.ycck = ycck;
    const std::string bytes = Encode(sample);
    CHECK(MustDecode(bytes).pixels == Light(Inks(bytes), true));
  }
  Sample plain = kInks;
  plain.adobe = false;
  const std::string bytes = Encode(plain);
  CHECK(MustDecode(bytes).pixels == Light(Inks(bytes), false));
}

TEST_CASE("a JPEG with arithmetic codes has the pixels of the one with Huffman's") {
  for (const bool progressive : {false, true}) {
    CAPTURE(progressive);
    const std::string huffman = Encode({.progressive = progressive});
    const std::string arithmetic = Encode({.progressive = progressive, .arithmetic = true});
    REQUIRE(arithmetic != huffman);
    const Image expected = MustDecode(huffman);
    CHECK(MustDecode(arithmetic).pixels == expected.pixels);
    const JpegCrop crop = {.y = 7, .x = 9, .height = 20, .width = 30};
    CHECK(MustDecode(arithmetic, {.crop = crop}).pixels == expected.Window(crop));
    CHECK_FALSE(DecodeStatus(arithmetic.substr(0, arithmetic.size() / 2)).ok());
  }
}

TEST_CASE("two components of a JPEG are refused, and can be asked about") {
  const std::string bytes = Encode({.channels = 2, .h_sampling = 1, .v_sampling = 1});
  const Result<JpegInfo> info = ReadJpegInfo(bytes);
  REQUIRE(info.ok());
  CHECK(info.value().channels == 2);
  const Status status = DecodeStatus(bytes);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(Contains(status.message(), "images of two components"));
}

TEST_CASE("colours of a quarter of the rows are the same with every decoder and ratio") {
  const std::string bytes = Encode({.h_sampling = 1, .v_sampling = 4});
  for (const int ratio : {1, 2, 4, 8}) {
    CAPTURE(ratio);
    const Image full = MustDecode(bytes, {.ratio = ratio, .libjpeg_only = true});
    CHECK(MustDecode(bytes, {.ratio = ratio}).pixels == full.pixels);
    const JpegCrop crop = {.y = 1, .x = 2, .height = 4, .width = 5};
    CHECK(MustDecode(bytes, {.ratio = ratio, .crop = crop}).pixels == full.Window(crop));
  }
}

TEST_CASE("a damaged segment behind the pixels of a JPEG costs none of them on request") {
  const std::string good = Encode({});
  std::string bytes = good;
  bytes.insert(bytes.size() - 2, std::string("\xFF\xC4\x00\x01", 4));  // a table of no length
  CHECK_FALSE(DecodeStatus(bytes).ok());
  CHECK(MustDecode(bytes, {.try_recover_truncated = true}).pixels == MustDecode(good).pixels);
}

TEST_CASE("rows of a JPEG that are read by and by end with an error where the data end") {
  const std::string good = Encode({});
  const std::string bytes = good.substr(0, good.size() / 2);
  JpegDecoder& decoder = ThreadJpegDecoder();
  JpegInfo info;
  REQUIRE(decoder.Start(bytes, {}, &info).ok());
  std::vector<uint8_t> row(static_cast<size_t>(info.width * info.channels));
  Status status;
  int64_t rows = 0;
  for (; status.ok() && rows < info.height; ++rows) status = decoder.ReadRows(row.data(), 0, 1);
  CHECK(rows > 8);
  CHECK(status.code() == Code::kInvalidArgument);
  CAPTURE(status.message());
  CHECK(Contains(status.message(), StrCat("after row ", rows - 1, " of 45")));
}

TEST_CASE("a JPEG decoder that has read nothing has no warnings") {
  JpegDecoder decoder;
  decoder.Reset();
  CHECK(decoder.warnings() == 0);
}
