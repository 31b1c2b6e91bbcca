// snapshot(path, compression, shard_func, reader_func, ...): a cache in files whose shards are
// assigned and read as the user says. The path names a folder for this pipeline alone.

#include "core/registry.h"
#include "ops/cache.h"
#include "ops/cache_files.h"

namespace fastpipe {
namespace {

Result<std::shared_ptr<Dataset>> MakeSnapshot(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(std::unique_ptr<CacheStore> store, MakeCacheFiles(args, inputs[0]->spec()));
  return MakeCacheOf(inputs[0], std::move(store));
}

FASTPIPE_OP("snapshot", MakeSnapshot);

}  // namespace
}  // namespace fastpipe
