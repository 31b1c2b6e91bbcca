// The manifest of a saved dataset, as damage that keeps its checksum would leave it.

#include <doctest/doctest.h>

#include "io/crc32c.h"
#include "io/saved_dataset.h"
#include "io/saved_dataset_manifest.h"
#include "scratch.h"

namespace fastpipe {
namespace {

SavedDataset Sound() {
  SavedDataset saved;
  saved.folder = "data-1";
  saved.structure = "\"*\"";
  saved.spec = {TensorSpec::Of(DType::kInt64, {-1, 3}), TensorSpec::UnknownRank(DType::kString)};
  saved.shards = {{0, 5}, {-1, 7}};
  return saved;
}

Result<SavedDataset> Read(const SavedDataset& saved) {
  const ScratchDirectory scratch;
  scratch.Write("fastpipe.manifest", ManifestOf(saved));
  return ReadSavedDataset(PosixFileSystem(), scratch.path(), nullptr);
}

Status StatusOf(const SavedDataset& saved) { return Read(saved).status(); }

TEST_CASE("saved dataset: a manifest is read as it was written") {
  auto found = Read(Sound());
  REQUIRE(found.ok());
  CHECK(found.value().folder == "data-1");
  CHECK(found.value().spec == Sound().spec);
  REQUIRE(found.value().shards.size() == 2);
  CHECK(found.value().shards[1].key == -1);
  CHECK(found.value().elements() == 12);
}

TEST_CASE("saved dataset: numbers that cannot be are data loss") {
  SavedDataset saved = Sound();
  saved.shards = {{0, INT64_MAX}, {1, 1}};
  CHECK(StatusOf(saved).code() == Code::kDataLoss);
  saved = Sound();
  saved.shards[0].elements = -1;
  CHECK(StatusOf(saved).code() == Code::kDataLoss);
  saved = Sound();
  saved.spec[0].dims[0] = -2;
  CHECK(StatusOf(saved).code() == Code::kDataLoss);
  saved = Sound();
  saved.spec[0].dims.assign(kMaxRank + 1, 1);
  CHECK(StatusOf(saved).code() == Code::kDataLoss);
  for (const DType dtype : {DType::kDataset, DType::kInvalid}) {
    saved = Sound();
    saved.spec[0].dtype = dtype;
    CHECK(StatusOf(saved).code() == Code::kDataLoss);
  }
  saved = Sound();
  saved.compression = static_cast<Compression>(9);
  CHECK(StatusOf(saved).code() == Code::kDataLoss);
}

TEST_CASE("saved dataset: shards lie in a folder of the dataset, whatever the manifest says") {
  for (const char* folder : {"../elsewhere", "data-/../..", "partial-1", ""}) {
    SavedDataset saved = Sound();
    saved.folder = folder;
    CHECK(StatusOf(saved).code() == Code::kDataLoss);
  }
}

TEST_CASE("saved dataset: shards are named by numbers of eight digits, or more where they must") {
  SavedDataset saved = Sound();
  saved.path = "place";
  CHECK(saved.ShardPath(7) == "place/data-1/00000007.blocks");
  CHECK(saved.ShardPath(123456789) == "place/data-1/123456789.blocks");
}

Code CodeOf(const std::string& manifest) {
  const ScratchDirectory scratch;
  scratch.Write("fastpipe.manifest", manifest);
  return ReadSavedDataset(PosixFileSystem(), scratch.path(), nullptr).status().code();
}

TEST_CASE("saved dataset: what is no manifest is told apart") {
  const ScratchDirectory scratch;
  CHECK(ReadSavedDataset(PosixFileSystem(), scratch.path(), nullptr).status().code() ==
        Code::kNotFound);
  const std::string sound = ManifestOf(Sound());
  CHECK(CodeOf("") == Code::kDataLoss);
  CHECK(CodeOf("something else") == Code::kDataLoss);
  for (size_t size = 0; size < sound.size(); ++size) {
    CHECK(CodeOf(sound.substr(0, size)) == Code::kDataLoss);
  }
  for (size_t place = 0; place < sound.size(); ++place) {
    std::string changed = sound;
    changed[place] = static_cast<char>(changed[place] ^ 1);
    CHECK(CodeOf(changed) == Code::kDataLoss);
  }
}

TEST_CASE("saved dataset: another version of the format is refused as such") {
  std::string manifest = ManifestOf(Sound());
  const size_t body = kManifestMagic.size() + sizeof(uint32_t);
  REQUIRE(manifest[body] == 2);  // version 1, as positions write it
  manifest[body] = 4;
  const uint32_t checksum = MaskedCrc32c(std::string_view(manifest).substr(body));
  manifest.replace(kManifestMagic.size(), sizeof(checksum),
                   std::string(reinterpret_cast<const char*>(&checksum), sizeof(checksum)));
  CHECK(CodeOf(manifest) == Code::kFailedPrecondition);
}

}  // namespace
}  // namespace fastpipe
