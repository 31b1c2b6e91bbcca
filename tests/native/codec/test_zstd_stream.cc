#include <doctest/doctest.h>
#include <zstd.h>

#include <string>
#include <vector>

#include "codec/zstd_stream.h"
#include "streams.h"

namespace fastpipe {
namespace {

std::string Packed(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

Inflated Unpack(std::string_view input, size_t piece, size_t room) {
  ZstdStream stream;
  return InflateInPieces(&stream, input, piece, room);
}

TEST_CASE("zstd stream: any pieces give the same bytes") {
  const std::string text = Lines();
  const std::string packed = Packed(text);
  for (size_t piece : {size_t{1}, size_t{7}, size_t{100000}}) {
    for (size_t room : {size_t{1}, size_t{64}, size_t{100000}}) {
      const Inflated result = Unpack(packed, piece, room);
      CHECK(result.status.ok());
      CHECK(result.complete);
      CHECK(result.bytes == text);
    }
  }
}

TEST_CASE("zstd stream: frames follow each other, skippable ones among them") {
  const std::string skippable("\x50\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
  const std::string packed =
      skippable + Packed("one ") + Packed("") + skippable + Packed("two") + skippable;
  for (size_t piece : {size_t{1}, size_t{5}, size_t{1000}}) {
    const Inflated result = Unpack(packed, piece, 3);
    CHECK(result.status.ok());
    CHECK(result.complete);
    CHECK(result.bytes == "one two");
  }
}

TEST_CASE("zstd stream: nothing is a complete file of no frames") {
  const Inflated result = Unpack("", 10, 10);
  CHECK(result.status.ok());
  CHECK(result.complete);
}

TEST_CASE("zstd stream: cut anywhere it is not complete") {
  const std::string packed = Packed("some text, some text");
  for (size_t size = 1; size < packed.size(); ++size) {
    const Inflated result = Unpack(packed.substr(0, size), 1000, 1000);
    CHECK(result.status.ok());
    CHECK_FALSE(result.complete);
  }
}

TEST_CASE("zstd stream: what follows the end is not dropped silently") {
  const Inflated result = Unpack(Packed("text") + "more", 1000, 1000);
  CHECK(result.bytes == "text");
  CHECK(result.status.code() == Code::kDataLoss);
}

TEST_CASE("zstd stream: what comes before damage does not depend on pieces and room") {
  // Several blocks of 128 KiB each.
  std::string text;
  while (text.size() < 600000) text += StrCat(text.size() * 2654435761u, " ");
  const std::string packed = Packed(text);
  for (size_t at = packed.size() / 7; at < packed.size(); at += packed.size() / 7) {
    std::string damaged = packed;
    for (size_t i = 0; i < 64 && at + i < packed.size(); ++i) damaged[at + i] ^= '\x55';
    const Inflated expected = Unpack(damaged, packed.size(), size_t{1} << 20);
    REQUIRE(expected.status.code() == Code::kDataLoss);
    CHECK(expected.bytes == text.substr(0, expected.bytes.size()));
    for (size_t piece : {size_t{1000}, packed.size()}) {
      for (size_t room : {size_t{100}, size_t{128} << 10, size_t{300000}}) {
        CHECK(Unpack(damaged, piece, room).bytes == expected.bytes);
      }
    }
  }
}

// A frame that says its content is of `announced` bytes, and stores `blocks` as they are.
std::string Stored(size_t announced, const std::vector<std::string>& blocks) {
  std::string frame = StrCat("\x28\xb5\x2f\xfd\x20", std::string(1, static_cast<char>(announced)));
  for (const std::string& block : blocks) {
    const bool last = &block == &blocks.back();
    const size_t header = block.size() << 3 | (last ? 1 : 0);
    for (int shift : {0, 8, 16}) frame += static_cast<char>(header >> shift & 0xff);
    frame += block;
  }
  return frame;
}

TEST_CASE("zstd stream: a frame that is not as long as it says gives the same in any pieces") {
  const std::string text = "text that zstd has stored as it is";
  std::string compressed = Packed(std::string(200, 'x') + text);
  ++compressed[5];  // the same, less 256
  CHECK(Unpack(compressed, 1, 1).bytes.empty());
  CHECK(Unpack(Stored(text.size() + 1, {text}), 1, 1).bytes == text.substr(0, text.size() - 1));
  std::vector<std::string> frames{compressed};
  for (size_t announced : {size_t{0}, size_t{1}, text.size() - 1, text.size() + 1}) {
    frames.push_back(Stored(announced, {text}));
    frames.push_back(Stored(announced, {"", text, text}));
    frames.push_back(Stored(announced + text.size(), {text, text}));
  }
  for (const std::string& frame : frames) {
    const Inflated expected = Unpack(frame, 1, 1);
    CHECK(expected.status.code() == Code::kDataLoss);
    CHECK((text + text).starts_with(expected.bytes));
    for (size_t piece = 2; piece <= frame.size(); ++piece) {
      for (size_t room : {size_t{1}, size_t{7}, size_t{1000}}) {
        const Inflated result = Unpack(frame, piece, room);
        CHECK(result.status.code() == Code::kDataLoss);
        CHECK(result.bytes == expected.bytes);
      }
    }
  }
}

TEST_CASE("zstd stream: of a frame that is cut comes as much in any pieces") {
  const std::string text = "text that zstd has stored as it is";
  const std::string frame = Stored(2 * text.size(), {text, text});
  for (size_t cut = 0; cut < frame.size(); ++cut) {
    const Inflated expected = Unpack(frame.substr(0, cut), frame.size(), 1000);
    CHECK_FALSE((expected.complete && cut > 0));
    for (size_t piece : {size_t{1}, size_t{5}, text.size()}) {
      CHECK(Unpack(frame.substr(0, cut), piece, 3).bytes == expected.bytes);
    }
  }
}

TEST_CASE("zstd stream: an error stays") {
  ZstdStream stream;
  std::string_view plain = "this is not zstd";
  uint8_t out[16];
  CHECK(stream.Inflate(&plain, out, sizeof(out)).status().message() == "Unknown frame descriptor");
  CHECK(stream.Inflate(&plain, out, sizeof(out)).status().code() == Code::kDataLoss);
}

TEST_CASE("zstd stream: a window of a gigabyte is refused") {
  // A frame header that asks for a window of 2^30 bytes.
  const Inflated result = Unpack(std::string("\x28\xb5\x2f\xfd\x00\xa0", 6), 1000, 1000);
  CHECK(result.status.code() == Code::kDataLoss);
  CHECK(result.bytes.empty());
}

}  // namespace
}  // namespace fastpipe
