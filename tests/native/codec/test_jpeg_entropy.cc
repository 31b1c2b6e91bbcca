// Our Huffman decoder gives what libjpeg's gives: pixels and errors.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "codec/jpeg.h"
#include "codec/jpeg_encode.h"

using namespace fastpipe;  // NOLINT

namespace {

// Smooth shapes with `noise` on top, which is what makes long codes.
std::string Photograph(int height, int width, int channels, int noise, JpegEncoding encoding) {
  std::mt19937 random(static_cast<unsigned>(height * 1000 + width));
  std::vector<uint8_t> pixels;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        const int smooth = (x * (c + 2) + y * 3) / 2 % 200;
        const int added =
            noise == 0 ? 0 : static_cast<int>(random() % static_cast<unsigned>(noise));
        pixels.push_back(static_cast<uint8_t>(smooth + added));
      }
    }
  }
  Result<std::string> encoded = EncodeJpeg(pixels.data(), height, width, channels, encoding);
  REQUIRE(encoded.ok());
  return encoded.value();
}

struct Decoded {
  std::string error;
  std::vector<uint8_t> pixels;
};

Decoded Decode(const std::string& bytes, JpegOptions options, bool libjpeg_only) {
  options.libjpeg_only = libjpeg_only;
  JpegDecoder& decoder = ThreadJpegDecoder();
  JpegInfo info;
  Status status = decoder.Start(bytes, options, &info);
  if (!status.ok()) return {status.message(), {}};
  Decoded decoded;
  decoded.pixels.resize(static_cast<size_t>(info.height * info.width * info.channels));
  status = decoder.ReadInto(decoded.pixels.data(), info.width * info.channels);
  if (!status.ok()) return {status.message(), {}};
  return decoded;
}

// libjpeg looks further ahead: where data end early, it has come less far.
std::string WithoutRow(const std::string& error) { return error.substr(0, error.find(", after")); }

void CheckSame(const std::string& bytes, const JpegOptions& options) {
  const Decoded ours = Decode(bytes, options, false);
  const Decoded expected = Decode(bytes, options, true);
  CHECK(WithoutRow(ours.error) == WithoutRow(expected.error));
  CHECK((ours.pixels == expected.pixels));
}

std::vector<JpegEncoding> Encodings() {
  std::vector<JpegEncoding> encodings;
  for (int quality : {10, 75, 92, 100}) {
    for (bool optimized : {false, true}) {
      for (bool downsampled : {false, true}) {
        encodings.push_back(
            {.quality = quality, .optimize_size = optimized, .chroma_downsampling = downsampled});
      }
    }
  }
  return encodings;
}

struct Codes {
  std::vector<int> lengths;
  std::vector<int> symbols;

  std::string Table(int number) const {
    std::string table(1, static_cast<char>(number));
    for (size_t i = 0; i < 16; ++i) table += static_cast<char>(i < lengths.size() ? lengths[i] : 0);
    for (const int symbol : symbols) table += static_cast<char>(symbol);
    return table;
  }
};

// An image of 24 x 40 pixels with these codes for all components, and random bits as its data.
std::string WithCodes(const Codes& dc, const Codes& ac, std::mt19937* random) {
  const std::string good = Photograph(24, 40, 3, 200, {.quality = 90});
  const size_t from = good.find("\xff\xc4"), scan = good.find("\xff\xda");
  REQUIRE(from < scan);
  std::string tables;
  for (const int number : {0, 1}) tables += dc.Table(number) + ac.Table(0x10 | number);
  const size_t length = tables.size() + 2;
  std::string bytes = good.substr(0, from) + "\xff\xc4";
  bytes += {static_cast<char>(length >> 8), static_cast<char>(length)};
  bytes += tables + good.substr(scan, 14);
  for (int i = 0; i < 400; ++i) {
    bytes += static_cast<char>((*random)());
    if (bytes.back() == '\xff') bytes += '\0';
  }
  return bytes + "\xff\xd9";
}

}  // namespace

TEST_CASE("the pixels are those of libjpeg for every size, quality and noise") {
  for (const JpegEncoding& encoding : Encodings()) {
    for (int size : {1, 7, 8, 9, 16, 17, 33, 70}) {
      for (int noise : {0, 40, 256}) {
        for (int channels : {1, 3}) {
          CheckSame(Photograph(size, 71 - size, channels, noise, encoding), {});
        }
      }
    }
  }
}

TEST_CASE("rows and columns beside a window are passed over alike") {
  std::mt19937 random(3);
  const auto below = [&](int64_t end) {
    return static_cast<int64_t>(random() % static_cast<unsigned>(end));
  };
  for (const JpegEncoding& encoding : Encodings()) {
    const std::string bytes = Photograph(90, 120, 3, 120, encoding);
    for (int i = 0; i < 20; ++i) {
      JpegCrop crop;
      crop.y = below(90);
      crop.x = below(120);
      crop.height = 1 + below(90 - crop.y);
      crop.width = 1 + below(120 - crop.x);
      CheckSame(bytes, {.crop = crop});
    }
  }
}

TEST_CASE("grey pixels and scaled ones need not all coefficients") {
  for (const JpegEncoding& encoding : Encodings()) {
    const std::string bytes = Photograph(90, 120, 3, 120, encoding);
    CheckSame(bytes, {.channels = 1});
    for (int ratio : {2, 4, 8}) {
      CheckSame(bytes, {.ratio = ratio});
      CheckSame(bytes, {.channels = 1, .ratio = ratio});
    }
  }
}

TEST_CASE("progressive images are left to libjpeg") {
  CheckSame(Photograph(40, 50, 3, 90, {.progressive = true}), {});
}

TEST_CASE("damage anywhere has the same outcome") {
  const std::string good = Photograph(24, 40, 3, 200, {.quality = 90});
  for (size_t at = 0; at < good.size(); ++at) {
    CAPTURE(at);
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    CheckSame(damaged, {});
    damaged[at] = '\xff';
    CheckSame(damaged, {.crop = JpegCrop{9, 11, 13, 20}});
  }
}

TEST_CASE("any header has the same outcome") {
  const std::string good = Photograph(24, 40, 3, 200, {.quality = 90});
  const size_t data = good.find("\xff\xda") + 14;
  REQUIRE(data < good.size());
  for (size_t at = 0; at < data; ++at) {
    for (int value : {0, 1, 2, 3, 4, 5, 12, 15, 16, 17, 0x22, 0x33, 0x44, 0xF0, 0xFE}) {
      CAPTURE(at);
      CAPTURE(value);
      std::string changed = good;
      changed[at] = static_cast<char>(value);
      CheckSame(changed, {});
    }
  }
}

TEST_CASE("tables that are no prefix codes have the same outcome") {
  const std::string good = Photograph(24, 40, 3, 200, {.quality = 90, .optimize_size = true});
  // A code of one length becomes one of another, so that the table is as long as it says.
  for (size_t table = good.find("\xff\xc4"); table != std::string::npos;
       table = good.find("\xff\xc4", table + 1)) {
    for (size_t from = 0; from < 16; ++from) {
      for (size_t to = 0; to < 16; ++to) {
        std::string changed = good;
        char* lengths = changed.data() + table + 5;
        if (from == to || lengths[from] == 0) continue;
        lengths[to] = static_cast<char>(lengths[to] + lengths[from]);
        lengths[from] = 0;
        CAPTURE(from);
        CAPTURE(to);
        CheckSame(changed, {});
      }
    }
  }
}

TEST_CASE("any data have the same outcome with codes of any length") {
  // Numbers of codes of each length from 1 to 16, and their symbols. Runs of zeros by one bit, so
  // that a few bits overfill a block; no numbers but by long codes; bits that are no code.
  const std::vector<Codes> tables = {
      {{2, 1}, {0, 3}}, {{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3}, {1, 0, 4, 2, 15}}, {{1}, {1}}};
  const std::vector<Codes> runs = {
      {{1, 1, 1}, {0xF0, 0x01, 0x00}},
      {{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3}, {0, 1, 0x31, 0x2A, 7, 0xF0}},
      {{0, 1, 1}, {0x11, 0x72}}};
  std::mt19937 random(9);
  for (const Codes& dc : tables) {
    for (const Codes& ac : runs) {
      for (int round = 0; round < 20; ++round) {
        const std::string bytes = WithCodes(dc, ac, &random);
        CAPTURE(round);
        CheckSame(bytes, {});
        CheckSame(bytes, {.channels = 1, .ratio = 8});
        CheckSame(bytes, {.crop = JpegCrop{9, 11, 13, 20}});
      }
    }
  }
}

TEST_CASE("data that end early have the same outcome wherever they end") {
  const std::string good = Photograph(24, 40, 3, 200, {.quality = 90});
  for (size_t size = 0; size < good.size(); ++size) {
    CAPTURE(size);
    CheckSame(good.substr(0, size), {});
    CheckSame(good.substr(0, size), {.crop = JpegCrop{0, 0, 8, 8}});
    CheckSame(good.substr(0, size), {.try_recover_truncated = true, .acceptable_fraction = 0});
  }
}

TEST_CASE("after an image that was begun again the next one is decoded as ever") {
  const std::string good = Photograph(64, 64, 3, 200, {.quality = 90});
  const Decoded expected = Decode(good, {}, true);
  CHECK(!Decode(good.substr(0, good.size() / 2), {}, false).error.empty());
  CHECK((Decode(good, {}, false).pixels == expected.pixels));
}
