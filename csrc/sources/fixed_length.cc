// fixed_length(filenames, record_bytes, header_bytes, footer_bytes, compression_type, buffer_size):
// records of equal length.

#include <algorithm>

#include "core/registry.h"
#include "io/fixed_reader.h"
#include "sources/file_source.h"

namespace fastpipe {
namespace {

// No file has more, and sums of lengths and offsets stay far from overflow.
uint64_t Clamp(int64_t bytes) { return std::min(static_cast<uint64_t>(bytes), uint64_t{1} << 60); }

class FixedLength final : public FileSource {
 public:
  FixedLength(FileSourceOptions options, const FixedFormat& format)
      : FileSource(std::move(options)), format_(format) {}
  using Reader = FixedReader;

  Result<Reader> MakeReader(std::unique_ptr<InputStream> stream, int64_t number,
                            const Limits&) const {
    return FixedReader::Open(std::move(stream), format_, number);
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override {
    return std::make_unique<FileIterator<FixedLength>>(*this, context);
  }

 private:
  const FixedFormat format_;
};

Result<std::shared_ptr<Dataset>> MakeFixedLength(const Args& args, std::vector<DatasetRef>) {
  FASTPIPE_ASSIGN(FileSourceOptions options, FileSourceOptions::Read(args));
  FASTPIPE_ASSIGN(const int64_t record, args.Int("record_bytes", {.min = 1}));
  FASTPIPE_ASSIGN(const int64_t header, args.IntOr("header_bytes", 0, {.min = 0}));
  FASTPIPE_ASSIGN(const int64_t footer, args.IntOr("footer_bytes", 0, {.min = 0}));
  const FixedFormat format{Clamp(record), Clamp(header), Clamp(footer)};
  return std::make_shared<FixedLength>(std::move(options), format);
}

FASTPIPE_OP("fixed_length", MakeFixedLength);

}  // namespace
}  // namespace fastpipe
