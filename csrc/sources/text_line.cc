// text_line(filenames, compression_type, buffer_size): the lines of text files.

#include "core/registry.h"
#include "io/line_reader.h"
#include "sources/file_source.h"

namespace fastpipe {
namespace {

class TextLine final : public FileSource {
 public:
  using FileSource::FileSource;
  using Reader = LineReader;

  Result<Reader> MakeReader(std::unique_ptr<InputStream> stream, int64_t number,
                            const Limits& limits) const {
    return LineReader(std::move(stream), number, limits.record_bytes);
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override {
    return std::make_unique<FileIterator<TextLine>>(*this, context);
  }
};

Result<std::shared_ptr<Dataset>> MakeTextLine(const Args& args, std::vector<DatasetRef>) {
  FASTPIPE_ASSIGN(FileSourceOptions options, FileSourceOptions::Read(args));
  return std::make_shared<TextLine>(std::move(options));
}

FASTPIPE_OP("text_line", MakeTextLine);

}  // namespace
}  // namespace fastpipe
