#include <doctest/doctest.h>
#include <zstd.h>

#include <string>

#include "codec/zstd_stream.h"

namespace fastpipe {
namespace {

std::string Packed(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

struct Unpacked {
  std::string bytes;
  Status status;
  bool complete = false;
};

// Feeds `input` in pieces of `piece` bytes and takes the result in pieces of `room`.
Unpacked Unpack(std::string_view input, size_t piece, size_t room) {
  ZstdStream stream;
  Unpacked result;
  std::string out(room, '\0');
  while (result.status.ok()) {
    std::string_view given = input.substr(0, piece);
    const size_t before = given.size();
    auto count = stream.Inflate(&given, reinterpret_cast<uint8_t*>(out.data()), room);
    input.remove_prefix(before - given.size());
    if (!count.ok()) {
      result.status = count.status();
    } else {
      result.bytes.append(out, 0, count.value());
      if (count.value() == 0 && input.empty()) break;
    }
  }
  result.complete = stream.complete();
  return result;
}

std::string Sample() {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "line " + std::to_string(i * i) + "\n";
  return text;
}

TEST_CASE("zstd stream: any pieces give the same bytes") {
  const std::string text = Sample();
  const std::string packed = Packed(text);
  for (size_t piece : {size_t{1}, size_t{7}, size_t{100000}}) {
    for (size_t room : {size_t{1}, size_t{64}, size_t{100000}}) {
      const Unpacked result = Unpack(packed, piece, room);
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
    const Unpacked result = Unpack(packed, piece, 3);
    CHECK(result.status.ok());
    CHECK(result.complete);
    CHECK(result.bytes == "one two");
  }
}

TEST_CASE("zstd stream: nothing is a complete file of no frames") {
  const Unpacked result = Unpack("", 10, 10);
  CHECK(result.status.ok());
  CHECK(result.complete);
}

TEST_CASE("zstd stream: cut anywhere it is not complete") {
  const std::string packed = Packed("some text, some text");
  for (size_t size = 1; size < packed.size(); ++size) {
    const Unpacked result = Unpack(packed.substr(0, size), 1000, 1000);
    CHECK(result.status.ok());
    CHECK_FALSE(result.complete);
  }
}

TEST_CASE("zstd stream: what follows the end is not dropped silently") {
  const Unpacked result = Unpack(Packed("text") + "more", 1000, 1000);
  CHECK(result.bytes == "text");
  CHECK(result.status.code() == Code::kDataLoss);
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
  const Unpacked result = Unpack(std::string("\x28\xb5\x2f\xfd\x00\xa0", 6), 1000, 1000);
  CHECK(result.status.code() == Code::kDataLoss);
  CHECK(result.bytes.empty());
}

}  // namespace
}  // namespace fastpipe
