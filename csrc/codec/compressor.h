// Compressor: compresses to a gzip file, a zlib stream or Zstandard frames piece by piece.
//
// Contract: what has been given before a flush can be decompressed from what was appended to the
// output by its end; after kFinish the stream is whole, and the next bytes begin another one.
// Thread rule: used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "codec/zlib_stream.h"
#include "core/status.h"

namespace fastpipe {

enum class CompressorFlush : uint8_t { kNone, kSync, kFinish };

class Compressor {
 public:
  virtual ~Compressor() = default;
  // Appends to `*out` what `input`, and the flush, bring out of the compressor.
  virtual Status Compress(std::string_view input, CompressorFlush flush, std::string* out) = 0;
};

// As deflateInit2 takes them.
struct ZlibSettings {
  int level = -1;
  int window_bits = 15;
  int memory_level = 9;
  int strategy = 0;
};

// InvalidArgument if zlib takes no such settings.
Result<std::unique_ptr<Compressor>> MakeZlibCompressor(ZlibFormat format,
                                                       const ZlibSettings& settings = {});
// Frames carry a checksum. InvalidArgument if there is no such level.
Result<std::unique_ptr<Compressor>> MakeZstdCompressor(int level);

}  // namespace fastpipe
