#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "codec/zlib_stream.h"
#include "deflate.h"
#include "streams.h"

namespace fastpipe {
namespace {

Inflated Inflate(std::string_view input, ZlibFormat format, size_t piece, size_t room) {
  ZlibStream stream(format);
  return InflateInPieces(&stream, input, piece, room);
}

TEST_CASE("zlib stream: any pieces give the same bytes") {
  const std::string text = Lines();
  for (ZlibFormat format : {ZlibFormat::kGzip, ZlibFormat::kZlib}) {
    const std::string packed = Deflated(text, format);
    for (size_t piece : {size_t{1}, size_t{7}, size_t{100000}}) {
      for (size_t room : {size_t{1}, size_t{64}, size_t{100000}}) {
        const Inflated result = Inflate(packed, format, piece, room);
        CHECK(result.status.ok());
        CHECK(result.complete);
        CHECK(result.bytes == text);
      }
    }
  }
}

TEST_CASE("zlib stream: gzip members follow each other, zeros may pad them") {
  const std::string zeros(20, '\0');
  const std::string packed = Gzipped("one ") + Gzipped("") + zeros + Gzipped("two") + zeros;
  for (size_t piece : {size_t{1}, size_t{5}, size_t{1000}}) {
    const Inflated result = Inflate(packed, ZlibFormat::kGzip, piece, 3);
    CHECK(result.status.ok());
    CHECK(result.complete);
    CHECK(result.bytes == "one two");
  }
}

TEST_CASE("zlib stream: nothing is a complete file of no members") {
  const Inflated result = Inflate("", ZlibFormat::kGzip, 10, 10);
  CHECK(result.status.ok());
  CHECK(result.complete);
}

TEST_CASE("zlib stream: cut anywhere it is not complete") {
  for (ZlibFormat format : {ZlibFormat::kGzip, ZlibFormat::kZlib}) {
    const std::string packed = Deflated("some text, some text", format);
    for (size_t size = 1; size < packed.size(); ++size) {
      const Inflated result = Inflate(packed.substr(0, size), format, 1000, 1000);
      CHECK(result.status.ok());
      CHECK_FALSE(result.complete);
    }
  }
}

TEST_CASE("zlib stream: what follows the end is not dropped silently") {
  const Inflated zlib =
      Inflate(Deflated("text", ZlibFormat::kZlib) + "more", ZlibFormat::kZlib, 1000, 1000);
  CHECK(zlib.bytes == "text");
  CHECK(zlib.status.code() == Code::kDataLoss);
  const Inflated gzip = Inflate(Gzipped("text") + "more", ZlibFormat::kGzip, 1000, 1000);
  CHECK(gzip.bytes == "text");
  CHECK(gzip.status.code() == Code::kDataLoss);
}

TEST_CASE("zlib stream: corrupt bytes are an error that stays, after the bytes before it") {
  std::string packed = Gzipped(Lines());
  packed[packed.size() - 6] ^= 1;  // the checksum
  const Inflated result = Inflate(packed, ZlibFormat::kGzip, 1000, 1000);
  CHECK(result.bytes == Lines());
  CHECK(result.status.code() == Code::kDataLoss);
  CHECK(result.status.message() == "incorrect data check");

  ZlibStream stream(ZlibFormat::kGzip);
  std::string_view plain = "this is not gzip";
  uint8_t out[16];
  CHECK(stream.Inflate(&plain, out, sizeof(out)).status().message() == "incorrect header check");
  CHECK(stream.Inflate(&plain, out, sizeof(out)).status().code() == Code::kDataLoss);
}

}  // namespace
}  // namespace fastpipe
