#include "io/saved_dataset.h"

#include <cstring>

#include "core/position.h"
#include "io/crc32c.h"
#include "io/saved_dataset_manifest.h"

namespace fastpipe {
namespace {

constexpr int64_t kVersion = 1;
constexpr auto kLastCompression = static_cast<int64_t>(Compression::kZstd);

Status Damaged(const std::string& path, size_t offset, std::string_view what) {
  return DataLoss(StrCat("'", path, "' is damaged at offset ", offset, ": ", what));
}

void PutSpec(const TensorSpec& spec, PositionWriter* writer) {
  writer->PutBytes(DTypeName(spec.dtype));
  writer->PutInt(spec.known_rank ? static_cast<int64_t>(spec.dims.size()) : -1);
  for (int64_t dim : spec.dims) writer->PutInt(dim);
}

Status GetSpec(PositionReader* reader, TensorSpec* spec) {
  FASTPIPE_ASSIGN(spec->dtype, DTypeFromName(reader->GetBytes()));
  if (DTypeSize(spec->dtype) == 0 && spec->dtype != DType::kString) {
    return DataLoss("a dtype is impossible");
  }
  const int64_t rank = reader->GetInt();
  if (rank < -1 || rank > static_cast<int64_t>(kMaxRank)) return DataLoss("a rank is impossible");
  spec->known_rank = rank >= 0;
  for (int64_t i = 0; i < rank; ++i) {
    spec->dims.push_back(reader->GetInt());
    if (spec->dims.back() < -1) return DataLoss("a dimension is impossible");
  }
  return reader->status();
}

Status GetBody(PositionReader* reader, SavedDataset* saved) {
  saved->folder = reader->GetBytes();
  // It will be removed when the dataset is replaced: no path may lead out of here.
  if (!saved->folder.starts_with(kDataFolder) || saved->folder.find('/') != std::string::npos) {
    return DataLoss("the folder of the shards has an impossible name");
  }
  saved->fingerprint = reader->GetBytes();
  saved->structure = reader->GetBytes();
  saved->compression = static_cast<Compression>(reader->GetCount(kLastCompression));
  const int64_t components = reader->GetCount(static_cast<int64_t>(reader->remaining()));
  for (int64_t i = 0; i < components; ++i) {
    FASTPIPE_RETURN_IF_ERROR(GetSpec(reader, &saved->spec.emplace_back()));
  }
  const int64_t shards = reader->GetCount(static_cast<int64_t>(reader->remaining()));
  int64_t elements = 0;  // of all, which may not be too many to be counted
  for (int64_t i = 0; i < shards; ++i) {
    const int64_t key = reader->GetInt();
    saved->shards.push_back({key, reader->GetCount(INT64_MAX - elements)});
    elements += saved->shards.back().elements;
  }
  return reader->status();
}

}  // namespace

int64_t SavedDataset::elements() const {
  int64_t sum = 0;
  for (const Shard& shard : shards) sum += shard.elements;
  return sum;
}

std::string SavedDataset::ShardPath(size_t shard) const {
  std::string number = std::to_string(shard);
  number.insert(0, number.size() < 8 ? 8 - number.size() : 0, '0');
  return StrCat(path, "/", folder, "/", number, ".blocks");
}

std::string ManifestPath(const std::string& path) { return path + "/fastpipe.manifest"; }

// The magic, u32 checksum of what follows, and numbers as in positions.
std::string ManifestOf(const SavedDataset& saved) {
  PositionWriter writer;
  writer.PutInt(kVersion);
  writer.PutBytes(saved.folder);
  writer.PutBytes(saved.fingerprint);
  writer.PutBytes(saved.structure);
  writer.PutInt(static_cast<int64_t>(saved.compression));
  writer.PutInt(static_cast<int64_t>(saved.spec.size()));
  for (const TensorSpec& spec : saved.spec) PutSpec(spec, &writer);
  writer.PutInt(static_cast<int64_t>(saved.shards.size()));
  for (const SavedDataset::Shard& shard : saved.shards) {
    writer.PutInt(shard.key);
    writer.PutInt(shard.elements);
  }
  const uint32_t checksum = MaskedCrc32c(writer.bytes());
  return StrCat(kManifestMagic,
                std::string_view(reinterpret_cast<const char*>(&checksum), sizeof(checksum)),
                writer.bytes());
}

Result<SavedDataset> ReadSavedDataset(FileSystem* file_system, const std::string& path,
                                      std::shared_ptr<CancelToken> cancel) {
  const std::string file = ManifestPath(path);
  size_t size = 0;
  auto content = ReadWholeFile(file_system, file, std::move(cancel), &size);
  if (content.status().code() == Code::kNotFound) {
    return NotFound(
        StrCat("there is no saved dataset in '", path, "': '", file, "' does not exist"));
  }
  FASTPIPE_RETURN_IF_ERROR(Status(content.status()));
  std::string_view bytes(reinterpret_cast<const char*>(content.value()->data()), size);
  if (!bytes.starts_with(kManifestMagic)) {
    return DataLoss(StrCat("'", file, "' is not the manifest of a saved dataset",
                           size == 0 ? ": it is empty" : ""));
  }
  bytes.remove_prefix(kManifestMagic.size());
  uint32_t checksum = 0;
  if (bytes.size() < sizeof(checksum)) return Damaged(file, size, "it is cut");
  std::memcpy(&checksum, bytes.data(), sizeof(checksum));
  bytes.remove_prefix(sizeof(checksum));
  if (MaskedCrc32c(bytes) != checksum) {
    return Damaged(file, kManifestMagic.size(), "its checksum is wrong");
  }
  PositionReader reader(bytes);
  if (const int64_t version = reader.GetInt(); version != kVersion) {
    return FailedPrecondition(
        StrCat("'", file, "' has format ", version, ", this fastpipe reads format ", kVersion));
  }
  SavedDataset saved;
  saved.path = path;
  if (Status status = GetBody(&reader, &saved); !status.ok()) {
    return Damaged(file, size - reader.remaining(), status.message());
  }
  return saved;
}

}  // namespace fastpipe
