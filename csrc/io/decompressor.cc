#include "io/decompressor.h"

namespace fastpipe {

Result<Compression> ParseCompression(std::string_view name) {
  for (Compression compression :
       {Compression::kNone, Compression::kGzip, Compression::kZlib, Compression::kZstd}) {
    if (name == CompressionName(compression)) return compression;
  }
  return InvalidArgument(
      StrCat("compression_type must be '', 'GZIP', 'ZLIB' or 'ZSTD', got '", name, "'"));
}

const char* CompressionName(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      return "";
    case Compression::kGzip:
      return "GZIP";
    case Compression::kZlib:
      return "ZLIB";
    case Compression::kZstd:
      return "ZSTD";
  }
  return "?";
}

Decompressor::Decompressor(Compression compression) {
  if (compression == Compression::kZstd) return;
  zlib_.emplace(compression == Compression::kGzip ? ZlibFormat::kGzip : ZlibFormat::kZlib);
}

Result<size_t> Decompressor::Inflate(std::string_view* input, uint8_t* out, size_t size) {
  return zlib_ ? zlib_->Inflate(input, out, size) : zstd_.Inflate(input, out, size);
}

size_t DecompressAll(Compression compression, std::string_view input, uint8_t* out, size_t size,
                     Status* problem) {
  Decompressor decompressor(compression);
  size_t written = 0;
  while (written < size) {
    auto count = decompressor.Inflate(&input, out + written, size - written);
    if (!count.ok()) {
      *problem = std::move(count.status());
      return written;
    }
    if (count.value() == 0) break;
    written += count.value();
  }
  if (written < size) *problem = DataLoss("the compressed data ends early");
  return written;
}

}  // namespace fastpipe
