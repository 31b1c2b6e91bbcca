// Decompressor: bytes out of a compressed file, whatever it is compressed with.
//
// Contract: as ZlibStream (codec/zlib_stream.h).
// Thread rule: used by one thread at a time.
#pragma once

#include <optional>
#include <string_view>

#include "codec/zlib_stream.h"
#include "codec/zstd_stream.h"

namespace fastpipe {

enum class Compression : uint8_t { kNone, kGzip, kZlib, kZstd };

// From "", "GZIP", "ZLIB" or "ZSTD"; InvalidArgument for any other name.
Result<Compression> ParseCompression(std::string_view name);
const char* CompressionName(Compression compression);  // "" for none

class Decompressor {
 public:
  // REQUIRES: not kNone
  explicit Decompressor(Compression compression);
  Result<size_t> Inflate(std::string_view* input, uint8_t* out, size_t size);
  bool complete() const { return zlib_ ? zlib_->complete() : zstd_.complete(); }

 private:
  std::optional<ZlibStream> zlib_;  // none: zstd_ is used
  ZstdStream zstd_;
};

// Decompresses all of `input` into `out`. Returns how many bytes came out, at most `size`;
// `*problem` says why it is not all of them, if it is not. REQUIRES: not kNone
size_t DecompressAll(Compression compression, std::string_view input, uint8_t* out, size_t size,
                     Status* problem);

}  // namespace fastpipe
