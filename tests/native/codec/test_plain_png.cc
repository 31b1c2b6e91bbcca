// The fast way through a PNG against libpng: the same pixels, and the same verdict on damage.

#include <doctest/doctest.h>
#include <zlib.h>

#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "codec/plain_png.h"
#include "codec/png.h"
#include "codec/png_unfilter.h"

namespace fastpipe {
namespace {

constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", 8);
constexpr int kGray = 0, kRgb = 2, kPalette = 3, kGrayAlpha = 4, kRgba = 6;

std::string BigEndian(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

std::string Chunk(std::string_view type, std::string_view data) {
  std::string body(type);
  body += data;
  const auto* from = reinterpret_cast<const Bytef*>(body.data());
  const uLong sum = crc32(0, from, static_cast<uInt>(body.size()));
  return BigEndian(static_cast<uint32_t>(data.size())) + body +
         BigEndian(static_cast<uint32_t>(sum));
}

std::string Header(int color, int width, int height, int depth = 8) {
  std::string data = BigEndian(static_cast<uint32_t>(width));
  data += BigEndian(static_cast<uint32_t>(height));
  data += {static_cast<char>(depth), static_cast<char>(color), 0, 0, 0};
  return Chunk("IHDR", data);
}

std::string Compressed(std::string_view bytes, int window_bits = MAX_WBITS) {
  z_stream state{};
  deflateInit2(&state, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&state, bytes.size()) + 32, '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  state.avail_in = static_cast<uInt>(bytes.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  deflate(&state, Z_FINISH);
  out.resize(out.size() - state.avail_out);
  deflateEnd(&state);
  return out;
}

size_t PixelBytes(int color) { return color == kRgb ? 3 : color == kRgba ? 4 : color == 4 ? 2 : 1; }

// Rows of noise, all filters by turns where `filter` is negative.
std::string Rows(int color, int width, int height, int filter = -1) {
  std::mt19937 random(static_cast<unsigned>(width * 71 + height + color));
  std::string rows;
  for (int y = 0; y < height; ++y) {
    rows += static_cast<char>(filter < 0 ? static_cast<int>(random() % 5) : filter);
    for (size_t i = 0; i < PixelBytes(color) * static_cast<size_t>(width); ++i) {
      rows += static_cast<char>(random() % 8 < 4 ? random() : 3);
    }
  }
  return rows;
}

std::string Colors(int count) {
  std::string palette;
  for (int i = 0; i < 3 * count; ++i) palette += static_cast<char>(i * 37 + 5);
  return Chunk("PLTE", palette);
}

// The chunks before the pixels that a colour needs.
std::string Before(int color) { return color == kPalette ? Colors(200) : std::string(); }

std::string Png(int color, int width, int height, std::string_view before, std::string_view rows) {
  std::string bytes(kSignature);
  bytes += Header(color, width, height);
  bytes += before;
  return bytes + Chunk("IDAT", Compressed(rows)) + Chunk("IEND", "");
}

std::string Png(int color, int width, int height) {
  return Png(color, width, height, Before(color), Rows(color, width, height));
}

struct Outcome {
  Status status;
  PngInfo info;
  std::vector<uint8_t> pixels;
};

Outcome Decode(const std::string& bytes, const PngOptions& options) {
  // A copy that ends where its memory ends.
  const std::vector<char> exact(bytes.begin(), bytes.end());
  Outcome outcome;
  PngDecoder decoder;
  outcome.status = decoder.Start({exact.data(), exact.size()}, options, &outcome.info);
  if (!outcome.status.ok()) return outcome;
  const PngInfo& info = outcome.info;
  const int64_t row = info.width * info.channels * info.bytes_per_value;
  outcome.pixels.assign(static_cast<size_t>(row * info.height), 0xA5);
  outcome.status = decoder.ReadInto(outcome.pixels.data(), row);
  if (!outcome.status.ok()) outcome.pixels.clear();
  return outcome;
}

bool LikeLibpng(const std::string& bytes, int channels) {
  constexpr int64_t kMaxPixels = 1 << 20;
  const Outcome found = Decode(bytes, {.channels = channels, .max_pixels = kMaxPixels});
  const Outcome expected =
      Decode(bytes, {.channels = channels, .max_pixels = kMaxPixels, .libpng_only = true});
  return found.status.ToString() == expected.status.ToString() &&
         found.info.width == expected.info.width && found.info.height == expected.info.height &&
         found.info.channels == expected.info.channels && found.pixels == expected.pixels;
}

void CheckLikeLibpng(const std::string& bytes) {
  for (int channels = 0; channels <= 4; ++channels) {
    INFO("channels ", channels);
    CHECK(LikeLibpng(bytes, channels));
  }
}

bool IsPlain(const std::string& bytes, int channels = 0) {
  return PlainPng().Start(bytes, channels);
}

}  // namespace

TEST_CASE("rows are unfiltered by vectors as byte by byte") {
  std::mt19937 random(3);
  for (int step = 1; step <= 4; ++step) {
    for (size_t width = 1; width <= 70; ++width) {
      const size_t size = width * static_cast<size_t>(step);
      std::vector<uint8_t> stored(size), above(size), found(size), expected(size);
      for (uint8_t& byte : stored) byte = static_cast<uint8_t>(random());
      for (uint8_t& byte : above) byte = static_cast<uint8_t>(random() % 3 ? random() : 255);
      for (int filter = 0; filter < kPngFilters; ++filter) {
        const PngFilter name = static_cast<PngFilter>(filter);
        UnfilterPngRow(name, step, stored.data(), above.data(), size, found.data());
        UnfilterPngRowScalar(name, step, stored.data(), above.data(), size, expected.data());
        CHECK(found == expected);
      }
    }
  }
}

TEST_CASE("two rows at once are unfiltered as one after the other") {
  for (int color : {kGray, kGrayAlpha, kRgb, kRgba}) {
    for (int width = 1; width <= 40; ++width) {
      const int height = 1 + width % 5;
      CheckLikeLibpng(Png(color, width, height, "", Rows(color, width, height, 4)));
    }
  }
}

TEST_CASE("plain PNGs of every colour, size and number of channels are what libpng makes of them") {
  for (int color : {kGray, kRgb, kPalette, kGrayAlpha, kRgba}) {
    for (int size = 1; size <= 70; ++size) {
      const std::string bytes = Png(color, size, 1 + size * 7 % 13);
      CHECK(IsPlain(bytes));
      CheckLikeLibpng(bytes);
      CheckLikeLibpng(Png(color, 1 + size * 5 % 11, size));
    }
  }
}

TEST_CASE("a filter of the first row sees zeros above") {
  for (int filter = 0; filter < kPngFilters; ++filter) {
    for (int color : {kGray, kRgb, kPalette, kGrayAlpha, kRgba}) {
      CheckLikeLibpng(Png(color, 9, 1, Before(color), Rows(color, 9, 1, filter)));
    }
  }
}

TEST_CASE("a palette with transparency gives alpha") {
  const std::string before = Colors(90) + Chunk("tRNS", std::string("\x00\x80\xff\x01", 4));
  // Some pixels lie beyond the palette.
  const std::string bytes = Png(kPalette, 30, 20, before, Rows(kPalette, 30, 20));
  CHECK(IsPlain(bytes));
  CHECK(Decode(bytes, {}).info.channels == 4);
  CheckLikeLibpng(bytes);
}

TEST_CASE("chunks that say how to show an image change no pixel") {
  const std::string before = Chunk("gAMA", BigEndian(45455)) + Chunk("sRGB", std::string(1, '\0')) +
                             Chunk("tEXt", "Title\0none") + Chunk("pHYs", std::string(9, '\1')) +
                             Chunk("iCCP", "no profile") + Chunk("gAMA", "twice");
  for (int color : {kGray, kRgb, kRgba}) {
    const std::string bytes = Png(color, 12, 8, before, Rows(color, 12, 8));
    CHECK(IsPlain(bytes));
    CheckLikeLibpng(bytes);
  }
}

TEST_CASE("what libpng must convert is left to it") {
  CHECK(IsPlain(Png(kRgb, 5, 5), 4));
  CHECK_FALSE(IsPlain(Png(kRgb, 5, 5), 1));
  CHECK_FALSE(IsPlain(Png(kPalette, 5, 5), 1));
  const std::string key = Chunk("tRNS", std::string(6, '\0'));
  const std::string transparent = Png(kRgb, 5, 5, key, Rows(kRgb, 5, 5));
  CHECK_FALSE(IsPlain(transparent));
  CheckLikeLibpng(transparent);
}

TEST_CASE("pixels may lie in many chunks") {
  const std::string pixels = Compressed(Rows(kRgb, 31, 17));
  for (size_t piece : {1, 2, 100, 4000}) {
    std::string bytes(kSignature);
    bytes += Header(kRgb, 31, 17);
    for (size_t at = 0; at < pixels.size(); at += piece) {
      bytes += Chunk("IDAT", pixels.substr(at, piece));
    }
    bytes += Chunk("IEND", "") + "what follows is not looked at";
    CHECK(IsPlain(bytes));
    CheckLikeLibpng(bytes);
  }
}

TEST_CASE("too few pixels, too many, and wrong ones are judged by libpng") {
  const std::string rows = Rows(kRgb, 40, 30, 0);
  std::string wrong_filter = rows;
  wrong_filter[5 * 121] = 5;
  for (const std::string& pixels : {rows.substr(1), rows + "x", rows + rows, wrong_filter}) {
    const std::string bytes = Png(kRgb, 40, 30, "", pixels);
    CHECK_FALSE(IsPlain(bytes));
    CheckLikeLibpng(bytes);
  }
}

TEST_CASE("a compressed stream must keep within the window that it announces") {
  std::string pixels = Compressed(Rows(kGray, 60, 60, 0) + Rows(kGray, 60, 60, 0));
  pixels[0] = 0x18;  // 512 bytes
  pixels[1] = static_cast<char>(31 - 0x1800 % 31);
  const std::string bytes =
      std::string(kSignature) + Header(kGray, 60, 120) + Chunk("IDAT", pixels) + Chunk("IEND", "");
  CHECK_FALSE(IsPlain(bytes));
  CheckLikeLibpng(bytes);
}

TEST_CASE("a PNG with any byte damaged, or cut anywhere, fares as with libpng") {
  for (int color : {kRgb, kPalette}) {
    const std::string good = Png(color, 6, 5);
    for (size_t at = 0; at < good.size(); ++at) {
      CHECK(LikeLibpng(good.substr(0, at), 0));
      for (int change : {1, 0x20, 0x80, 0xFF}) {
        std::string bytes = good;
        bytes[at] = static_cast<char>(bytes[at] ^ change);
        CHECK(LikeLibpng(bytes, 3));
      }
    }
  }
}

// The checksums hold, so that the damage gets as far as it can.
TEST_CASE("a PNG of wrong content under right checksums fares as with libpng") {
  std::mt19937 random(17);
  for (int round = 0; round < 4000; ++round) {
    const int color = std::vector{kGray, kRgb, kPalette, kGrayAlpha, kRgba}[random() % 5];
    std::vector<std::pair<std::string, std::string>> chunks = {
        {"tEXt", "some text"}, {"gAMA", BigEndian(random() % 2 ? 45455 : 0)}};
    if (random() % 2) chunks.push_back({"PLTE", std::string(random() % 800, 'p')});
    if (random() % 3 == 0) chunks.push_back({"tRNS", std::string(random() % 7, 't')});
    std::string pixels = Compressed(Rows(color, 8, 7));
    if (random() % 3 == 0)
      pixels[random() % pixels.size()] ^= static_cast<char>(1 + random() % 255);
    chunks.push_back({"IDAT", pixels.substr(0, 20)});
    if (random() % 5) chunks.push_back({"IDAT", pixels.substr(20)});
    chunks.push_back({random() % 2 ? "tIME" : "zTXt", "after"});
    if (random() % 3 == 0) std::swap(chunks[random() % chunks.size()], chunks.back());
    if (random() % 3 == 0) chunks.push_back(chunks[random() % chunks.size()]);
    std::string bytes = std::string(kSignature) + Header(color, 8, 7, random() % 9 ? 8 : 4);
    for (const auto& [type, data] : chunks) bytes += Chunk(type, data);
    if (random() % 9) bytes += Chunk("IEND", random() % 9 ? "" : "x");
    INFO("round ", round);
    CHECK(LikeLibpng(bytes, static_cast<int>(random() % 5)));
  }
}

// IHDR of any content.
std::string AnyHeader(uint32_t width, uint32_t height, std::string_view rest) {
  return Chunk("IHDR", StrCat(BigEndian(width), BigEndian(height), rest));
}

TEST_CASE("a header that is not of a plain PNG is judged by libpng") {
  const std::string plain("\x08\x02\x00\x00\x00", 5);
  std::vector<std::string> headers = {Chunk("IHDR", ""), AnyHeader(8, 7, plain + "x"),
                                      AnyHeader(8, 7, plain.substr(1)), Chunk("tEXt", "x")};
  for (uint32_t size : {0u, 1u << 24, 1u << 31, 0xFFFFFFFFu}) {
    headers.push_back(AnyHeader(size, 7, plain));
    headers.push_back(AnyHeader(8, size, plain));
    headers.push_back(AnyHeader(size, size, plain));
  }
  for (size_t at = 0; at < plain.size(); ++at) {
    for (char value : {0, 1, 2, 3, 4, 5, 6, 7, 16, -1}) {
      std::string rest = plain;
      rest[at] = value;
      if (rest != plain) headers.push_back(AnyHeader(8, 7, rest));
    }
  }
  const std::string rest =
      Chunk("IDAT", Compressed(Rows(kRgb, 8, 7))) + Chunk("IEND", std::string());
  for (const std::string& header : headers) {
    const std::string bytes = std::string(kSignature) + header + rest;
    CAPTURE(header);
    CheckLikeLibpng(bytes);
    CheckLikeLibpng(std::string(kSignature) + header + Colors(9) + rest);
  }
}

TEST_CASE("chunks out of their order, double or of wrong sizes are judged by libpng") {
  const std::string pixels = Chunk("IDAT", Compressed(Rows(kPalette, 8, 7)));
  const std::string colors = Colors(200);
  const auto alpha = [](size_t size) { return Chunk("tRNS", std::string(size, 'a')); };
  const std::string half = Compressed(Rows(kPalette, 8, 7));
  const std::vector<std::string> bodies = {
      pixels,
      colors + colors + pixels,
      Colors(0) + pixels,
      Colors(257) + pixels,
      Chunk("PLTE", "four") + pixels,
      alpha(3) + colors + pixels,
      colors + alpha(0) + pixels,
      colors + alpha(201) + pixels,
      colors + alpha(2) + alpha(3) + pixels,
      colors + pixels + alpha(3),
      colors + pixels + colors,
      colors + pixels + Chunk("tEXt", "between") + pixels,
      colors + Chunk("IDAT", half.substr(0, 9)) + Chunk("tIME", "") + Chunk("IDAT", half.substr(9)),
      colors + Chunk("IDAT", "") + pixels,
      colors + Chunk("IDAT", half + "behind"),
      colors + Chunk("IDAT", half.substr(0, 1)) + Chunk("IDAT", half.substr(1)),
      colors + Chunk("ABCD", "critical") + pixels,
      colors + pixels + Chunk("IHDR", ""),
      colors};
  for (const std::string& body : bodies) {
    for (int color : {kPalette, kGray}) {
      for (const char* end : {"", "x"}) {
        const std::string bytes =
            std::string(kSignature) + Header(color, 8, 7) + body + Chunk("IEND", end);
        CAPTURE(body);
        CheckLikeLibpng(bytes);
      }
    }
  }
}

TEST_CASE("rows of a plain PNG are written at the stride asked for") {
  const std::string bytes = Png(kRgb, 5, 4);
  const std::vector<uint8_t> expected = Decode(bytes, {.libpng_only = true}).pixels;
  PngDecoder decoder;
  PngInfo info;
  REQUIRE(decoder.Start(bytes, {}, &info).ok());
  std::vector<uint8_t> pixels(4 * 20, 0xAB);
  REQUIRE(decoder.ReadInto(pixels.data(), 20).ok());
  for (size_t y = 0; y < 4; ++y) {
    CHECK(std::memcmp(pixels.data() + 20 * y, expected.data() + 15 * y, 15) == 0);
    for (size_t i = 15; i < 20; ++i) CHECK(pixels[20 * y + i] == 0xAB);
  }
}

}  // namespace fastpipe
