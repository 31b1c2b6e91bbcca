#include "io/output_stream.h"

namespace fastpipe {
namespace {

constexpr size_t kGather = 256 * 1024;
constexpr int kZstdLevel = 3;

}  // namespace

Result<std::unique_ptr<OutputStream>> OutputStream::Create(const std::string& path,
                                                           Compression compression,
                                                           const ZlibSettings& settings) {
  std::unique_ptr<Compressor> compressor;
  if (compression == Compression::kZstd) {
    const int level = settings.level == -1 ? kZstdLevel : settings.level;
    FASTPIPE_ASSIGN(compressor, MakeZstdCompressor(level));
  } else if (compression != Compression::kNone) {
    const ZlibFormat format =
        compression == Compression::kGzip ? ZlibFormat::kGzip : ZlibFormat::kZlib;
    FASTPIPE_ASSIGN(compressor, MakeZlibCompressor(format, settings));
  }
  FASTPIPE_ASSIGN(std::unique_ptr<OutputFile> file, OutputFile::Create(path));
  return std::make_unique<OutputStream>(std::move(file), std::move(compressor));
}

Status OutputStream::Append(std::string_view bytes) {
  if (closed_) return FailedPrecondition(StrCat("'", path(), "' has been closed"));
  if (!failure_.ok()) return failure_;
  std::string& gather = compressor_ ? gathered_ : pending_;
  gather.append(bytes);
  if (gather.size() < kGather) return Status::Ok();
  if (compressor_) FASTPIPE_RETURN_IF_ERROR(Compress(CompressorFlush::kNone));
  return WritePending();
}

Status OutputStream::Compress(CompressorFlush flush) {
  failure_ = compressor_->Compress(gathered_, flush, &pending_);
  gathered_.clear();
  return failure_;
}

Status OutputStream::WritePending() {
  failure_ = file_->Append(pending_);
  pending_.clear();
  return failure_;
}

Status OutputStream::Flush() {
  if (closed_) return FailedPrecondition(StrCat("'", path(), "' has been closed"));
  if (!failure_.ok()) return failure_;
  if (compressor_) FASTPIPE_RETURN_IF_ERROR(Compress(CompressorFlush::kSync));
  return WritePending();
}

Status OutputStream::Close() {
  if (closed_) return Status::Ok();
  closed_ = true;
  if (failure_.ok() && compressor_) failure_ = Compress(CompressorFlush::kFinish);
  if (failure_.ok()) failure_ = WritePending();
  Status status = file_->Close();
  return failure_.ok() ? status : failure_;
}

}  // namespace fastpipe
