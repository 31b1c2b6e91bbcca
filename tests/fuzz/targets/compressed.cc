// gzip, zlib and Zstandard: a whole string at once, and piece by piece, which must give the same.

#include <string>

#include "../../native/codec/streams.h"
#include "../target.h"
#include "codec/decompress.h"
#include "io/decompressor.h"

namespace fastpipe::fuzz {
namespace {

constexpr size_t kMaxSize = 1 << 16;
constexpr Compression kKinds[] = {Compression::kGzip, Compression::kZlib, Compression::kZstd};
constexpr CompressedFormat kFormats[] = {CompressedFormat::kGzip, CompressedFormat::kZlib,
                                         CompressedFormat::kZstd};

std::string_view Text(const std::string& memory, size_t size) {
  return std::string_view(memory).substr(0, size);
}

void Fuzz(std::string_view bytes) {
  Choices choices(bytes);
  const int kind = choices.Below(3);
  const auto piece = static_cast<size_t>(1 + choices.Below(256));
  const auto room = static_cast<size_t>(16 * (1 + choices.Below(256)));
  const Compression compression = kKinds[kind];
  Decompressor decompressor(compression);
  Inflated pieces = InflateInPieces(&decompressor, choices.rest(), piece, room, kMaxSize);
  pieces.complete = pieces.complete && pieces.status.ok();
  CheckError(pieces.status, {Code::kDataLoss});
  auto whole = Decompress(choices.rest(), kFormats[kind], kMaxSize);
  CheckError(whole.status(), {Code::kDataLoss, Code::kResourceExhausted});
  if (whole.status().code() == Code::kResourceExhausted) return;
  Check(whole.ok() == pieces.complete,
        StrCat("both succeed or none: ", whole.status().ToString(), " or ",
               pieces.complete ? "complete" : pieces.status.ToString()));
  if (!whole.ok()) return;
  const Decompressed& found = whole.value();
  Check(pieces.bytes ==
            std::string_view(reinterpret_cast<const char*>(found.buffer->data()), found.size),
        "piece by piece the same comes out");
  std::string exact(found.size, '\0');
  Status problem;
  const size_t count =
      DecompressAll(compression, choices.rest(), reinterpret_cast<uint8_t*>(exact.data()),
                    exact.size(), &problem);
  Check(problem.ok() && Text(exact, count) == pieces.bytes, "into exact room it comes out too");
}

FASTPIPE_FUZZ_TARGET("compressed", Fuzz);

}  // namespace
}  // namespace fastpipe::fuzz
