// The store of a cache in files, and of a snapshot: a saved dataset in a folder.
// Thread rule: as CacheStore.
#pragma once

#include <memory>

#include "core/args.h"
#include "ops/cache.h"

namespace fastpipe {

// From the arguments path, fingerprint, structure and compression, and for snapshot shard_func and
// reader_func: a function from a dataset of the shards' datasets to the dataset to be read. Without
// one, the shards follow each other.
Result<std::unique_ptr<CacheStore>> MakeCacheFiles(const Args& args, const ElementSpec& spec);

}  // namespace fastpipe
