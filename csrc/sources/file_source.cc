#include "sources/file_source.h"

namespace fastpipe {

Result<FileSourceOptions> FileSourceOptions::Read(const Args& args) {
  FileSourceOptions options;
  FASTPIPE_ASSIGN(options.filenames, args.Strings("filenames"));
  FASTPIPE_ASSIGN(const std::string compression, args.StringOr("compression_type", ""));
  auto parsed = ParseCompression(compression);
  if (!parsed.ok()) return args.Error(parsed.status().message());
  options.compression = parsed.value();
  FASTPIPE_ASSIGN(const int64_t buffer_size, args.IntOr("buffer_size", 0, {.min = 0}));
  if (buffer_size > 0) options.buffer_size = static_cast<size_t>(buffer_size);
  return options;
}

}  // namespace fastpipe
