// FileSource and FileIterator: what the sources that read files one after another share.
//
// Contract: a source brings its Reader (LineReader, RecordReader, ...) and FileIterator does the
// rest. Files are opened by the first Next that needs them and closed at their end. A file that
// cannot be read, or not any further, gives one error, and the next file follows. The position is
// the file, the offset in its uncompressed bytes and the number of records before it.
// Thread rule: as for every Dataset and Iterator.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/args.h"
#include "core/dataset.h"
#include "io/input_stream.h"
#include "runtime/context.h"

namespace fastpipe {

// The arguments of all file sources.
struct FileSourceOptions {
  std::vector<std::string> filenames;
  Compression compression = Compression::kNone;
  size_t buffer_size = InputStream::kDefaultBufferSize;

  // filenames: a string, string tensor or list of them; compression_type: '', 'GZIP', 'ZLIB' or
  // None; buffer_size: bytes >= 0, where 0 and None mean the default.
  static Result<FileSourceOptions> Read(const Args& args);
};

// Gives scalar strings, unless a source has a spec and a ReadNext of its own.
class FileSource : public Dataset {
 public:
  explicit FileSource(FileSourceOptions options)
      : FileSource(std::move(options), {TensorSpec::Scalar(DType::kString)}) {}
  const FileSourceOptions& options() const { return options_; }

  // The next element of `*reader`.
  template <typename Reader>
  Status ReadNext(Reader* reader, Element* out) const {
    std::string_view text;
    FASTPIPE_RETURN_IF_ERROR(reader->Next(&text));
    // Short strings live inline: no reference to the buffer is needed then.
    out->push_back(text.size() <= Tensor::kInlineBytes
                       ? Tensor::String(text)
                       : Tensor::StringSlice(reader->stream().buffer(), text));
    return Status::Ok();
  }

 protected:
  FileSource(FileSourceOptions options, ElementSpec spec)
      : Dataset(std::move(spec), {}), options_(std::move(options)) {}

 private:
  const FileSourceOptions options_;
};

// `Op` is a FileSource with `Result<Reader> MakeReader(std::unique_ptr<InputStream>, int64_t
// number, const Limits&) const`. A Reader has Next, Skip, stream, offset, number and can_continue,
// as LineReader.
template <typename Op>
class FileIterator final : public IteratorOf<Op> {
 public:
  using IteratorOf<Op>::IteratorOf;

 private:
  using Reader = typename Op::Reader;
  using IteratorOf<Op>::op;

  Status Produce(Element* out) override {
    for (;;) {
      FASTPIPE_RETURN_IF_ERROR(OpenFile());
      Status status = op().ReadNext(&*reader_, out);
      if (status.ok()) return status;
      out->clear();
      LeaveIfDone(status);
      if (!status.end_of_sequence()) return status;
    }
  }

  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    const int64_t target = *skipped + count;
    while (*skipped < target) {
      Status status = OpenFile();
      if (status.end_of_sequence() || status.code() == Code::kCancelled) return status;
      if (status.ok()) {
        status = reader_->Skip(target - *skipped, skipped);
        LeaveIfDone(status);
      }
      if (status.code() == Code::kCancelled) return status;
      if (status.error()) ++*skipped;  // an error is a result like any other
    }
    return Status::Ok();
  }

  // Has the current file open. End of sequence if there is none; an error once per file.
  Status OpenFile() {
    if (reader_) return Status::Ok();
    if (file_ == op().options().filenames.size()) return Status::EndOfSequence();
    Status status = OpenReader(op().options().filenames[file_]);
    if (status.error() && status.code() != Code::kCancelled) LeaveFile();
    return status;
  }

  Status OpenReader(const std::string& path) {
    const Limits& limits = this->run().options().limits;
    FASTPIPE_ASSIGN(std::unique_ptr<File> file,
                    this->run().file_system()->Open(path, this->context().cancel));
    auto stream = std::make_unique<InputStream>(std::move(file), op().options().compression,
                                                op().options().buffer_size, limits);
    FASTPIPE_RETURN_IF_ERROR(stream->Seek(start_offset_));
    Result<Reader> reader = op().MakeReader(std::move(stream), start_number_, limits);
    if (reader.ok()) reader_.emplace(std::move(reader.value()));
    return std::move(reader.status());
  }

  // Closes the file if nothing of it can follow `status`.
  void LeaveIfDone(const Status& status) {
    if (status.ok() || status.code() == Code::kCancelled) return;
    if (status.end_of_sequence() || !reader_->can_continue()) LeaveFile();
  }
  void LeaveFile() {
    reader_.reset();
    start_offset_ = 0;
    start_number_ = 0;
    ++file_;
  }

  Status SavePosition(PositionWriter* writer) override {
    writer->PutInt(static_cast<int64_t>(file_));
    writer->PutInt(static_cast<int64_t>(reader_ ? reader_->offset() : start_offset_));
    writer->PutInt(reader_ ? reader_->number() : start_number_);
    return Status::Ok();
  }
  Status RestorePosition(PositionReader* reader) override {
    const size_t files = op().options().filenames.size();
    file_ = static_cast<size_t>(reader->GetCount(static_cast<int64_t>(files)));
    start_offset_ = static_cast<uint64_t>(reader->GetCount());
    start_number_ = reader->GetCount();
    return Status::Ok();
  }

  size_t file_ = 0;            // the current file, open or to be opened
  uint64_t start_offset_ = 0;  // where it will be entered
  int64_t start_number_ = 0;   // records before that
  std::optional<Reader> reader_;
};

}  // namespace fastpipe
