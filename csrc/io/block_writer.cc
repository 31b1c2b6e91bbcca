#include "io/block_file.h"
#include "io/block_format.h"

namespace fastpipe {

using namespace block_format;  // NOLINT: the format is what this file is about

namespace {

constexpr size_t kBlockBytes = 64 * 1024;
// Written once and read often, but somebody waits for the writing too.
constexpr int kLevel = 1;

Result<std::unique_ptr<Compressor>> MakeCompressor(Compression compression) {
  if (compression == Compression::kNone) return std::unique_ptr<Compressor>();
  if (compression == Compression::kZstd) return MakeZstdCompressor(kLevel);
  return MakeZlibCompressor(
      compression == Compression::kGzip ? ZlibFormat::kGzip : ZlibFormat::kZlib, {.level = kLevel});
}

}  // namespace

Result<std::unique_ptr<BlockWriter>> BlockWriter::Create(const std::string& path,
                                                         Compression compression) {
  FASTPIPE_ASSIGN(std::unique_ptr<Compressor> compressor, MakeCompressor(compression));
  FASTPIPE_ASSIGN(std::unique_ptr<OutputFile> file, OutputFile::Create(path));
  std::string header(kFileMagic);
  Put<uint32_t>(kVersion, &header);
  Put<uint32_t>(static_cast<uint32_t>(compression), &header);
  Seal(kFileHeader, &header);
  FASTPIPE_RETURN_IF_ERROR(file->Append(header));
  return std::make_unique<BlockWriter>(std::move(file), std::move(compressor));
}

Status BlockWriter::Append(std::string_view record) {
  // A record that fills a block by itself has it for itself.
  if (gathered_ > 0 && data_.size() + record.size() > kBlockBytes) {
    FASTPIPE_RETURN_IF_ERROR(WriteBlock());
  }
  data_.resize(AlignUp(data_.size(), record.size() < kSmall ? kSmallAlignment : kAlignment));
  // The size of a record beyond 4 GiB is that of its block.
  Put<uint32_t>(static_cast<uint32_t>(data_.size()), &directory_);
  Put<uint32_t>(static_cast<uint32_t>(record.size()), &directory_);
  Put<uint32_t>(MaskedCrc32c(record), &directory_);
  data_.append(record);
  ++gathered_;
  ++records_;
  return data_.size() < kBlockBytes ? Status::Ok() : WriteBlock();
}

Status BlockWriter::WriteBlock() {
  std::string packed;
  if (compressor_) {
    FASTPIPE_RETURN_IF_ERROR(compressor_->Compress(data_, CompressorFlush::kFinish, &packed));
  }
  const std::string& stored = compressor_ ? packed : data_;
  std::string header;
  Put<uint32_t>(kBlockMagic, &header);
  Put<uint32_t>(gathered_, &header);
  Put<uint64_t>(data_.size(), &header);
  Put<uint64_t>(stored.size(), &header);
  Put<uint32_t>(MaskedCrc32c(directory_), &header);
  Seal(kBlockHeader, &header);
  Put<uint64_t>(file_->offset(), &index_);
  Put<uint64_t>(static_cast<uint64_t>(records_) - gathered_, &index_);
  ++blocks_;
  header += directory_;
  header.resize(AlignUp(header.size(), kAlignment));
  FASTPIPE_RETURN_IF_ERROR(file_->Append(header));
  FASTPIPE_RETURN_IF_ERROR(file_->Append(stored));
  data_.clear();
  directory_.clear();
  gathered_ = 0;
  return Status::Ok();
}

Status BlockWriter::Finish() {
  if (gathered_ > 0) FASTPIPE_RETURN_IF_ERROR(WriteBlock());
  std::string trailer;
  Put<uint64_t>(file_->offset(), &trailer);
  Put<uint64_t>(blocks_, &trailer);
  Put<uint64_t>(static_cast<uint64_t>(records_), &trailer);
  Put<uint32_t>(MaskedCrc32c(index_), &trailer);
  Seal(kTrailer - kEndMagic.size(), &trailer);
  trailer += kEndMagic;
  FASTPIPE_RETURN_IF_ERROR(file_->Append(index_));
  FASTPIPE_RETURN_IF_ERROR(file_->Append(trailer));
  FASTPIPE_RETURN_IF_ERROR(file_->Sync());
  return file_->Close();
}

}  // namespace fastpipe
