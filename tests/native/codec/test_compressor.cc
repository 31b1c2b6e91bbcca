#include <doctest/doctest.h>

#include <functional>

#include "codec/compressor.h"
#include "codec/zstd_stream.h"

namespace fastpipe {
namespace {

std::string Sample() {
  std::string text;
  for (int i = 0; i < 30000; ++i) text += "line " + std::to_string(i * i) + "\n";
  return text;
}

// All that `stream` gives for `input`.
template <typename Stream>
std::string Inflated(Stream stream, std::string_view input, bool complete) {
  std::string text;
  std::string piece(1 << 16, '\0');
  for (;;) {
    auto count = stream.Inflate(&input, reinterpret_cast<uint8_t*>(piece.data()), piece.size());
    REQUIRE(count.ok());
    if (count.value() == 0) break;
    text.append(piece, 0, count.value());
  }
  CHECK(stream.complete() == complete);
  return text;
}

std::string Inflated(int kind, std::string_view input, bool complete) {
  if (kind == 2) return Inflated(ZstdStream(), input, complete);
  return Inflated(ZlibStream(kind == 0 ? ZlibFormat::kGzip : ZlibFormat::kZlib), input, complete);
}

std::unique_ptr<Compressor> Make(int kind) {
  auto made = kind == 2 ? MakeZstdCompressor(3)
                        : MakeZlibCompressor(kind == 0 ? ZlibFormat::kGzip : ZlibFormat::kZlib);
  REQUIRE(made.ok());
  return std::move(made.value());
}

TEST_CASE("compressor: any pieces come back, and flushes can be read") {
  const std::string text = Sample();
  for (int kind = 0; kind < 3; ++kind) {
    for (size_t piece : {size_t{1000}, size_t{70000}, text.size()}) {
      auto compressor = Make(kind);
      std::string packed;
      for (size_t at = 0; at < text.size(); at += piece) {
        const bool flush = at / piece % 50 == 0;
        REQUIRE(compressor
                    ->Compress(std::string_view(text).substr(at, piece),
                               flush ? CompressorFlush::kSync : CompressorFlush::kNone, &packed)
                    .ok());
        if (flush) CHECK(Inflated(kind, packed, false) == text.substr(0, at + piece));
      }
      REQUIRE(compressor->Compress("", CompressorFlush::kFinish, &packed).ok());
      CHECK(Inflated(kind, packed, true) == text);
      CHECK(packed.size() < text.size() / 2);
    }
  }
}

TEST_CASE("compressor: after the end another stream begins") {
  for (int kind : {0, 2}) {
    auto compressor = Make(kind);
    std::string packed;
    for (const char* text : {"one", "", "two"}) {
      REQUIRE(compressor->Compress(text, CompressorFlush::kFinish, &packed).ok());
    }
    CHECK(Inflated(kind, packed, true) == "onetwo");
  }
}

TEST_CASE("compressor: settings that do not exist are refused") {
  CHECK(MakeZlibCompressor(ZlibFormat::kGzip, {.level = 10}).status().code() ==
        Code::kInvalidArgument);
  CHECK(MakeZlibCompressor(ZlibFormat::kZlib, {.window_bits = 3}).status().code() ==
        Code::kInvalidArgument);
  CHECK(MakeZstdCompressor(100).status().code() == Code::kInvalidArgument);
}

}  // namespace
}  // namespace fastpipe
