#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "io/element_bytes.h"
#include "io/saved_dataset.h"
#include "io/saved_dataset_manifest.h"

namespace fastpipe {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartial = "partial-";
constexpr std::string_view kLock = ".lock";

std::string RandomName() {
  uint64_t bits = 0;
  if (getrandom(&bits, sizeof(bits), 0) != sizeof(bits)) bits = static_cast<uint64_t>(getpid());
  constexpr char kHex[] = "0123456789abcdef";
  std::string name;
  for (int shift = 60; shift >= 0; shift -= 4) name += kHex[(bits >> shift) & 15];
  return name;
}

// Makes the folder and those above it. `*made` tells whether the last one is new.
Status MakeFolders(const std::string& path, bool* made) {
  std::error_code error;
  *made = fs::create_directories(path, error);
  if (!error && fs::is_directory(path, error)) return Status::Ok();
  if (!error || error.value() == EEXIST || error.value() == ENOTDIR) {
    return FailedPrecondition(
        StrCat("cannot make the folder '", path, "': there is a file of that name, or above it"));
  }
  return FromErrno(error.value(), "cannot make the folder", path);
}

void RemoveQuietly(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

Status Rename(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) == 0) return Status::Ok();
  return FromErrno(errno, StrCat("cannot rename '", from, "' to"), to);
}

// What is in a folder survives a power cut from here on; some file systems cannot say.
void SyncFolder(const std::string& path) {
  const Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.open()) fsync(folder.get());
}

Status WriteWhole(const std::string& path, std::string_view bytes) {
  FASTPIPE_ASSIGN(std::unique_ptr<OutputFile> file, OutputFile::Create(path));
  FASTPIPE_RETURN_IF_ERROR(file->Append(bytes));
  FASTPIPE_RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

// Removes what writers left behind whose lock nobody holds any more.
void RemoveAbandoned(const std::string& path) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPartial) || !name.ends_with(kLock)) continue;
    const std::string lock = entry.path().string();
    const Descriptor file(open(lock.c_str(), O_RDWR | O_CLOEXEC));
    if (!file.open() || flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;
    RemoveQuietly(lock.substr(0, lock.size() - kLock.size()));
    unlink(lock.c_str());
  }
}

}  // namespace

struct SavedDatasetWriter::Place {
  std::string root;   // the folder of the saved dataset
  bool made = false;  // here and now
  std::string name;   // RandomName()
  Descriptor lock;
  std::string partial() const { return StrCat(root, "/", kPartial, name); }
  std::string lock_path() const { return StrCat(partial(), kLock); }

  ~Place() {
    RemoveQuietly(partial());
    unlink(lock_path().c_str());
    if (made) rmdir(root.c_str());  // only if it is empty
  }
};

Result<std::unique_ptr<SavedDatasetWriter>> SavedDatasetWriter::Begin(SavedDataset description) {
  for (const TensorSpec& spec : description.spec) {
    if (spec.dtype != DType::kDataset) continue;
    return InvalidArgument("elements that contain datasets cannot be saved");
  }
  if (description.path.find('\0') != std::string::npos) {
    return InvalidArgument("the path contains a NUL byte");
  }
  auto place = std::make_unique<Place>();
  place->root = description.path;
  bool made = false;
  FASTPIPE_RETURN_IF_ERROR(MakeFolders(place->root, &made));
  place->made = made;
  RemoveAbandoned(place->root);
  place->name = RandomName();
  const std::string lock = place->lock_path();
  place->lock = Descriptor(open(lock.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!place->lock.open()) return FromErrno(errno, "cannot write", lock);
  flock(place->lock.get(), LOCK_EX | LOCK_NB);
  FASTPIPE_RETURN_IF_ERROR(MakeFolders(place->partial(), &made));
  description.shards.clear();
  return std::make_unique<SavedDatasetWriter>(std::move(description), std::move(place));
}

SavedDatasetWriter::SavedDatasetWriter(SavedDataset description, std::unique_ptr<Place> place)
    : description_(std::move(description)), place_(std::move(place)) {}

SavedDatasetWriter::~SavedDatasetWriter() = default;

Status SavedDatasetWriter::Append(int64_t shard, const Element& element) {
  scratch_.clear();
  FASTPIPE_RETURN_IF_ERROR(AppendElement(element, description_.spec, &scratch_));
  std::unique_ptr<BlockWriter>& writer = shards_[shard];
  if (!writer) {
    // Shards are numbered by key in the end; until then by their order of appearance.
    const std::string path = StrCat(place_->partial(), "/", shards_.size(), ".new");
    FASTPIPE_ASSIGN(writer, BlockWriter::Create(path, description_.compression));
    description_.shards.push_back({shard, 0});
  }
  return writer->Append(scratch_);
}

Status SavedDatasetWriter::FinishShards() {
  SavedDataset partial;
  partial.path = place_->root;
  partial.folder = StrCat(kPartial, place_->name);
  std::map<int64_t, size_t> appearance;
  for (const SavedDataset::Shard& shard : description_.shards) {
    appearance.emplace(shard.key, appearance.size() + 1);
  }
  description_.shards.clear();
  for (auto& [key, writer] : shards_) {
    FASTPIPE_RETURN_IF_ERROR(writer->Finish());
    const std::string from = StrCat(place_->partial(), "/", appearance.at(key), ".new");
    FASTPIPE_RETURN_IF_ERROR(Rename(from, partial.ShardPath(description_.shards.size())));
    description_.shards.push_back({key, writer->records()});
  }
  SyncFolder(place_->partial());
  return Status::Ok();
}

Status SavedDatasetWriter::Commit(bool replace) {
  FASTPIPE_RETURN_IF_ERROR(FinishShards());
  // One writer at a time. A file system without locks has to do without.
  const Descriptor root(open(place_->root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (root.open()) {
    while (flock(root.get(), LOCK_EX) != 0 && errno == EINTR) continue;
  }
  return Publish(replace);
}

Status SavedDatasetWriter::Publish(bool replace) {
  const std::string& root = place_->root;
  const auto earlier = ReadSavedDataset(PosixFileSystem(), root, CancelToken::Root());
  if (earlier.ok() && !replace) return Status::Ok();
  description_.folder = StrCat(kDataFolder, place_->name);
  FASTPIPE_RETURN_IF_ERROR(Rename(place_->partial(), StrCat(root, "/", description_.folder)));
  const std::string staged = StrCat(root, "/", description_.folder, "/manifest");
  Status status = WriteWhole(staged, ManifestOf(description_));
  if (status.ok()) status = Rename(staged, ManifestPath(root));
  if (!status.ok()) {
    RemoveQuietly(StrCat(root, "/", description_.folder));
    return status;
  }
  SyncFolder(root);
  if (earlier.ok()) RemoveQuietly(StrCat(root, "/", earlier.value().folder));
  return Status::Ok();
}

}  // namespace fastpipe
