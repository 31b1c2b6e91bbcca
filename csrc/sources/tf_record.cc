// tf_record(filenames, compression_type, buffer_size): the records of TFRecord files.

#include "core/registry.h"
#include "io/record_reader.h"
#include "sources/file_source.h"

namespace fastpipe {
namespace {

class TfRecord final : public FileSource {
 public:
  using FileSource::FileSource;
  using Reader = RecordReader;

  Result<Reader> MakeReader(std::unique_ptr<InputStream> stream, int64_t number,
                            const Limits& limits) const {
    return RecordReader(std::move(stream), number, limits.record_bytes);
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override {
    return std::make_unique<FileIterator<TfRecord>>(*this, context);
  }
};

Result<std::shared_ptr<Dataset>> MakeTfRecord(const Args& args, std::vector<DatasetRef>) {
  FASTPIPE_ASSIGN(FileSourceOptions options, FileSourceOptions::Read(args));
  return std::make_shared<TfRecord>(std::move(options));
}

FASTPIPE_OP("tf_record", MakeTfRecord);

}  // namespace
}  // namespace fastpipe
