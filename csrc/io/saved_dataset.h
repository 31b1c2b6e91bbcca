// SavedDataset: a folder that holds the elements of a dataset. save, cache and snapshot write it.
//
// Contract: a manifest says what is there, and names a folder with one block file for each shard.
// The manifest is put in place last, in one step, so that a folder holds a whole dataset or none.
// Each writer works in a folder of its own; the first (or the last, if it replaces) to commit is
// the one that counts. What a writer that died left behind is removed by the next one. Errors name
// the file. Thread rule: any thread; one SavedDatasetWriter is used by one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/element.h"
#include "io/block_file.h"
#include "io/file_system.h"

namespace fastpipe {

struct SavedDataset {
  struct Shard {
    int64_t key = 0;  // what shard_func gave
    int64_t elements = 0;
  };

  std::string path;         // of the folder
  std::string folder;       // of the shards, within it
  std::string fingerprint;  // of the pipeline; empty: unknown
  std::string structure;    // of an element, as Python describes it
  Compression compression = Compression::kNone;
  ElementSpec spec;
  std::vector<Shard> shards;  // by key, negative ones last

  int64_t elements() const;
  std::string ShardPath(size_t shard) const;
};

// NotFound if `path` holds no whole dataset, DataLoss if what it holds is damaged.
Result<SavedDataset> ReadSavedDataset(FileSystem* file_system, const std::string& path,
                                      std::shared_ptr<CancelToken> cancel);

class SavedDatasetWriter {
 public:
  struct Place;  // the folder written to, with the lock that says that its writer lives

  SavedDatasetWriter(SavedDataset description, std::unique_ptr<Place> place);
  // `description`: path, fingerprint, structure, compression and spec. Makes the folder if need be.
  static Result<std::unique_ptr<SavedDatasetWriter>> Begin(SavedDataset description);
  // Removes what was written, unless it was committed.
  ~SavedDatasetWriter();

  Status Append(int64_t shard, const Element& element);
  // From now on the folder holds what was appended. If another writer came first, that is replaced,
  // or else what was written here is dropped.
  Status Commit(bool replace);

 private:
  struct ShardOrder {
    bool operator()(int64_t a, int64_t b) const {
      return static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
    }
  };
  Status FinishShards();
  Status Publish(bool replace);

  SavedDataset description_;
  std::unique_ptr<Place> place_;
  std::map<int64_t, std::unique_ptr<BlockWriter>, ShardOrder> shards_;
  std::string scratch_;
};

}  // namespace fastpipe
