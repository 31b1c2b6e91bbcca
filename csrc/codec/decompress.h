// Decompress: one whole compressed string in memory.
//
// Contract: gzip members, a zlib stream, or Zstandard frames, to their end; bytes that are damaged,
// end too early or go on after the end are DataLoss. A result of more than `max_size` bytes is
// ResourceExhausted: memory grows with what has been decompressed, a few bytes that stand for very
// many are counted before it grows on, and a size that a frame announces is checked first.
// Thread rule: a free function without state.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/buffer.h"
#include "core/status.h"

namespace fastpipe {

enum class CompressedFormat : uint8_t { kGzip, kZlib, kZstd };

struct Decompressed {
  BufferRef buffer;
  size_t size = 0;
};

Result<Decompressed> Decompress(std::string_view bytes, CompressedFormat format, size_t max_size);

}  // namespace fastpipe
