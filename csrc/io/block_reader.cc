#include <algorithm>

#include "io/block_file.h"
#include "io/block_format.h"

namespace fastpipe {

using namespace block_format;  // NOLINT: the format is what this file is about

namespace {

// More than any compression reaches: a header must not allocate what its block cannot hold.
constexpr uint64_t kMaxRatio = 1 << 16;

}  // namespace

Result<std::unique_ptr<BlockReader>> BlockReader::Open(std::unique_ptr<File> file) {
  const std::string path = file->path();
  const uint64_t size = static_cast<uint64_t>(std::max<int64_t>(file->size(), 0));
  BlockReader head(std::move(file), Compression::kNone);
  uint8_t header[kFileHeader] = {};
  const size_t readable = std::min<size_t>(size, kFileHeader);
  FASTPIPE_RETURN_IF_ERROR(head.ReadFully(0, header, readable));
  if (Text(header, kFileMagic.size()) != kFileMagic) {
    return DataLoss(StrCat("'", path, "' is no file of a saved dataset: it begins otherwise",
                           size == 0 ? " (it is empty)" : ""));
  }
  if (readable < kFileHeader || !IsSealed(header, kFileHeader)) {
    return DataLoss(StrCat("'", path, "' is damaged at offset 0: its header is ",
                           readable < kFileHeader ? "cut" : "not what was written"));
  }
  const uint32_t version = Load<uint32_t>(header + 8);
  const uint32_t compression = Load<uint32_t>(header + 12);
  if (version != kVersion || compression > static_cast<uint32_t>(Compression::kZstd)) {
    return FailedPrecondition(StrCat("'", path, "' has format ", version, " with compression ",
                                     compression, "; this fastpipe reads format ", kVersion));
  }
  auto reader =
      std::make_unique<BlockReader>(std::move(head.file_), static_cast<Compression>(compression));
  FASTPIPE_RETURN_IF_ERROR(reader->ReadIndex(size));
  return reader;
}

Status BlockReader::ReadFully(uint64_t offset, uint8_t* bytes, size_t size) {
  for (size_t filled = 0; filled < size;) {
    FASTPIPE_ASSIGN(const size_t count,
                    file_->ReadAt(offset + filled, bytes + filled, size - filled));
    if (count == 0) {
      return DataLoss(StrCat("'", file_->path(), "' ends at offset ", offset + filled, ", where ",
                             size - filled, " more bytes should follow"));
    }
    filled += count;
  }
  return Status::Ok();
}

// An index that cannot be read is replaced by what a walk through the blocks finds.
Status BlockReader::ReadIndex(uint64_t size) {
  size_ = size;
  if (size < kFileHeader + kTrailer) return FindBlocks(size);
  uint8_t trailer[kTrailer];
  FASTPIPE_RETURN_IF_ERROR(ReadFully(size - kTrailer, trailer, kTrailer));
  constexpr size_t kSealed = kTrailer - kEndMagic.size();
  if (Text(trailer + kSealed, kEndMagic.size()) != kEndMagic || !IsSealed(trailer, kSealed)) {
    return FindBlocks(size);
  }
  end_ = Load<uint64_t>(trailer);
  const uint64_t blocks = Load<uint64_t>(trailer + 8);
  const uint64_t bytes = size - kTrailer - std::min(end_, size - kTrailer);
  if (bytes % kIndexEntry != 0 || bytes / kIndexEntry != blocks) return FindBlocks(size);
  const BufferRef index = BufferPool::Get().Allocate(std::max<size_t>(bytes, 1));
  FASTPIPE_RETURN_IF_ERROR(ReadFully(end_, index->data(), bytes));
  if (MaskedCrc32c(Text(index->data(), bytes)) != Load<uint32_t>(trailer + 24)) {
    return FindBlocks(size);
  }
  for (uint64_t i = 0; i < blocks; ++i) {
    const uint8_t* entry = index->data() + i * kIndexEntry;
    blocks_.push_back({Load<uint64_t>(entry), static_cast<int64_t>(Load<uint64_t>(entry + 8))});
  }
  records_ = static_cast<int64_t>(Load<uint64_t>(trailer + 16));
  return Status::Ok();
}

Status BlockReader::FindBlocks(uint64_t size) {
  blocks_.clear();
  records_ = 0;
  end_ = kFileHeader;
  while (size - end_ >= kBlockHeader) {
    uint8_t header[kBlockHeader];
    FASTPIPE_RETURN_IF_ERROR(ReadFully(end_, header, kBlockHeader));
    if (Load<uint32_t>(header) != kBlockMagic || !IsSealed(header, kBlockHeader)) break;
    const uint32_t count = Load<uint32_t>(header + 4);
    const uint64_t stored = Load<uint64_t>(header + 16);
    const uint64_t head = AlignUp(kBlockHeader + count * kEntry, kAlignment);
    // A block whose data is cut still gives the records that are whole.
    if (size - end_ < head) break;
    blocks_.push_back({end_, records_});
    records_ += count;
    end_ = stored > size - end_ - head ? size : end_ + head + stored;
    if (end_ == size) break;
  }
  damage_ = DataLoss(StrCat("'", file_->path(), "' is damaged or cut at offset ", end_, ": ",
                            records_, " records could be found in it, and its index could not"));
  return Status::Ok();
}

Status BlockReader::BadBlock(size_t block, std::string_view what) const {
  return DataLoss(StrCat("'", file_->path(), "' is damaged in the block at offset ",
                         blocks_[block].offset, ": ", what));
}

Status BlockReader::LoadBlock(size_t block) {
  buffer_ = {};
  data_size_ = 0;
  short_ = Status::Ok();
  entries_.clear();
  const uint64_t offset = blocks_[block].offset;
  const uint64_t bytes = EndOf(block) - std::min(EndOf(block), offset);
  if (bytes < kBlockHeader || bytes > size_) return BadBlock(block, "the index is wrong");
  BufferRef stored = BufferPool::Get().Allocate(std::max<size_t>(bytes, 1));
  FASTPIPE_RETURN_IF_ERROR(ReadFully(offset, stored->data(), bytes));
  const uint8_t* header = stored->data();
  if (Load<uint32_t>(header) != kBlockMagic || !IsSealed(header, kBlockHeader)) {
    return BadBlock(block, "the checksum of its header is wrong");
  }
  const uint32_t count = Load<uint32_t>(header + 4);
  const uint64_t head = AlignUp(kBlockHeader + count * kEntry, kAlignment);
  if (head > bytes) return BadBlock(block, "it is cut");
  const uint8_t* directory = header + kBlockHeader;
  if (MaskedCrc32c(Text(directory, count * kEntry)) != Load<uint32_t>(header + 24)) {
    return BadBlock(block, "the checksum of its directory is wrong");
  }
  for (uint32_t i = 0; i < count; ++i) {
    const uint8_t* entry = directory + i * kEntry;
    entries_.push_back(
        {Load<uint32_t>(entry), Load<uint32_t>(entry + 4), Load<uint32_t>(entry + 8)});
  }
  return Unpack(block, stored, bytes, Load<uint64_t>(header + 8));
}

Status BlockReader::Unpack(size_t block, const BufferRef& stored, size_t stored_size,
                           uint64_t raw_size) {
  const size_t head = AlignUp(kBlockHeader + entries_.size() * kEntry, kAlignment);
  const size_t packed = stored_size - head;
  if (compression_ == Compression::kNone) {
    buffer_ = stored;
    data_ = stored->data() + head;
    data_size_ = std::min<uint64_t>(packed, raw_size);
    if (data_size_ < raw_size) short_ = BadBlock(block, "it is cut");
    return Status::Ok();
  }
  if (raw_size / kMaxRatio > packed) return BadBlock(block, "its size is impossible");
  buffer_ = BufferPool::Get().Allocate(std::max<size_t>(raw_size, 1));
  data_ = buffer_->data();
  Status problem;
  data_size_ =
      DecompressAll(compression_, Text(stored->data() + head, packed), data_, raw_size, &problem);
  if (data_size_ < raw_size) {
    short_ = BadBlock(block, StrCat("it cannot be decompressed: ", problem.message()));
  }
  return Status::Ok();
}

Status BlockReader::Read(int64_t number, Record* record) {
  if (loaded_ == SIZE_MAX || number < blocks_[loaded_].first ||
      (loaded_ + 1 < blocks_.size() && number >= blocks_[loaded_ + 1].first)) {
    const auto after =
        std::upper_bound(blocks_.begin(), blocks_.end(), number,
                         [](int64_t wanted, const Block& block) { return wanted < block.first; });
    if (after == blocks_.begin()) {
      return DataLoss(StrCat("'", file_->path(), "': its index lacks record ", number));
    }
    const size_t block = static_cast<size_t>(after - blocks_.begin()) - 1;
    loaded_ = SIZE_MAX;
    loaded_status_ = LoadBlock(block);
    // What may be over when it is tried again is not kept.
    if (!loaded_status_.ok() && loaded_status_.code() != Code::kDataLoss) return loaded_status_;
    loaded_ = block;
  }
  if (!loaded_status_.ok()) return loaded_status_;
  const auto place = static_cast<size_t>(number - blocks_[loaded_].first);
  if (place >= entries_.size()) return BadBlock(loaded_, "it lacks records that the index has");
  const Entry& entry = entries_[place];
  // A record of 4 GiB or more has its block for itself.
  const uint64_t size = entries_.size() == 1 && short_.ok() ? data_size_ : entry.size;
  if (entry.begin > data_size_ || size > data_size_ - entry.begin) {
    return short_.ok() ? BadBlock(loaded_, StrCat("record ", number, " lies outside")) : short_;
  }
  if (entry.begin % (size < kSmall ? kSmallAlignment : kAlignment) != 0) {
    return BadBlock(loaded_, StrCat("record ", number, " is not aligned"));
  }
  const std::string_view bytes = Text(data_ + entry.begin, size);
  if (MaskedCrc32c(bytes) != entry.checksum) {
    return BadBlock(loaded_, StrCat("the checksum of record ", number, " is wrong"));
  }
  *record = {bytes, buffer_};
  return Status::Ok();
}

}  // namespace fastpipe
