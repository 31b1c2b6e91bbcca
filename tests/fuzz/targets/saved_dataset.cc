// A saved dataset: its manifest, and a file of blocks that every shard is read from.

#include "io/saved_dataset.h"

#include <cstring>
#include <string>

#include "../memory_files.h"
#include "../target.h"
#include "io/block_format.h"
#include "io/crc32c.h"
#include "io/element_bytes.h"
#include "io/saved_dataset_manifest.h"

namespace fastpipe::fuzz {
namespace {

using namespace block_format;  // NOLINT: the format is what this file is about

constexpr size_t kMaxShards = 3;

void PutChecksum(std::string* bytes, size_t at, std::string_view of) {
  const uint32_t checksum = MaskedCrc32c(of);
  if (bytes->size() >= at + sizeof(checksum)) {
    std::memcpy(bytes->data() + at, &checksum, sizeof(checksum));
  }
}

std::string MendedManifest(std::string_view body) {
  std::string manifest = StrCat(kManifestMagic, "....", body);
  PutChecksum(&manifest, kManifestMagic.size(), body);
  return manifest;
}

const uint8_t* Raw(const std::string& bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

void SealAt(std::string* file, size_t at, size_t size) {
  PutChecksum(file, at + size - 4, std::string_view(*file).substr(at, size - 4));
}

// What `bytes` has of [at, at + size).
std::string_view Part(std::string_view bytes, uint64_t at, uint64_t size) {
  return bytes.substr(std::min<uint64_t>(at, bytes.size()), size);
}

// The checksums of the block at `at` as they should be; where the next one begins.
size_t MendBlock(std::string* file, size_t at) {
  const std::string_view bytes(*file);
  const uint64_t directory = kEntry * uint64_t{Load<uint32_t>(Raw(*file) + at + 4)};
  const uint64_t stored = Load<uint64_t>(Raw(*file) + at + 16);
  const uint64_t head = AlignUp(kBlockHeader + directory, kAlignment);
  const std::string_view data = Part(bytes, at + head, stored);
  if (directory <= file->size() - at - kBlockHeader) {
    for (size_t entry = at + kBlockHeader; entry < at + kBlockHeader + directory; entry += kEntry) {
      const uint8_t* place = Raw(*file) + entry;
      const std::string_view record = Part(data, Load<uint32_t>(place), Load<uint32_t>(place + 4));
      PutChecksum(file, entry + 8, record);
    }
    PutChecksum(file, at + 24, bytes.substr(at + kBlockHeader, directory));
  }
  SealAt(file, at, kBlockHeader);
  const size_t left = file->size() - at;
  return stored > left || head > left - stored ? file->size() : at + head + stored;
}

// All checksums of a file of blocks as they should be, otherwise few bytes would come further.
// Records of compressed blocks keep theirs.
std::string MendedBlocks(std::string_view bytes) {
  std::string file(bytes);
  if (file.size() < kFileHeader + kTrailer) return file;
  SealAt(&file, 0, kFileHeader);
  const size_t trailer = file.size() - kTrailer;
  for (size_t at = kFileHeader; at + kBlockHeader <= trailer;) {
    if (Load<uint32_t>(Raw(file) + at) != kBlockMagic) break;
    at = MendBlock(&file, at);
  }
  const size_t index = std::min<uint64_t>(Load<uint64_t>(Raw(file) + trailer), trailer);
  PutChecksum(&file, trailer + 24, std::string_view(file).substr(index, trailer - index));
  SealAt(&file, trailer, kTrailer - kEndMagic.size());
  return file;
}

void ReadShard(const SavedDataset& saved, std::string_view blocks) {
  auto opened = BlockReader::Open(std::make_unique<MemoryFile>("shard", blocks));
  CheckError(opened.status(), {Code::kDataLoss, Code::kFailedPrecondition});
  if (!opened.ok()) return;
  BlockReader& reader = *opened.value();
  CheckError(reader.damage(), {Code::kDataLoss});
  const int64_t records = std::min<int64_t>(reader.records(), kMaxResults);
  for (int64_t number = 0; number < records; ++number) {
    BlockReader::Record record;
    const Status status = reader.Read(number, &record);
    CheckError(status, {Code::kDataLoss});
    if (!status.ok()) continue;
    const size_t alignment = record.bytes.size() < kSmall ? kSmallAlignment : kAlignment;
    Check(reinterpret_cast<uintptr_t>(record.bytes.data()) % alignment == 0, "records are aligned");
    Element element;
    const Status parsed = ParseElement(record.bytes, record.buffer, saved.spec, &element);
    CheckError(parsed, {Code::kDataLoss});
    if (!parsed.ok()) continue;
    std::string written;
    Check(element.size() == saved.spec.size(), "an element has the components of its spec");
    Check(AppendElement(element, saved.spec, &written).ok(), "what is read can be written");
  }
}

void Fuzz(std::string_view bytes) {
  Choices choices(bytes);
  const bool mend = choices.Flag();
  const int low = choices.Below(256);
  const auto manifest_size = static_cast<size_t>(low + 256 * choices.Below(2));
  const std::string_view body = choices.Bytes(manifest_size);
  const std::string manifest = mend ? MendedManifest(body) : std::string(body);
  const std::string blocks = mend ? MendedBlocks(choices.rest()) : std::string(choices.rest());
  MemoryFileSystem files;
  files.Write(ManifestPath("saved"), manifest);
  auto saved = ReadSavedDataset(&files, "saved", nullptr);
  CheckError(saved.status(), {Code::kDataLoss, Code::kFailedPrecondition});
  if (!saved.ok()) return;
  Check(saved.value().elements() >= 0, "a dataset has no negative number of elements");
  const size_t shards = std::min(saved.value().shards.size(), kMaxShards);
  for (size_t shard = 0; shard < shards; ++shard) {
    Check(saved.value().ShardPath(shard).starts_with("saved/data-"), "shards lie in the folder");
    ReadShard(saved.value(), blocks);
  }
}

FASTPIPE_FUZZ_TARGET("saved_dataset", Fuzz);

}  // namespace
}  // namespace fastpipe::fuzz
