// cache(path, ...): keeps the elements of the first complete pass and serves later passes from
// them; in memory, or with a path in files (cache_files.cc).

#include "ops/cache.h"

#include "core/mutex.h"
#include "core/registry.h"
#include "ops/cache_files.h"
#include "ops/held_elements.h"

namespace fastpipe {
namespace {

class CacheMemory final : public CacheStore {
 public:
  explicit CacheMemory(ElementSpec spec) : spec_(std::move(spec)) {}

  Result<DatasetRef> Kept(const IteratorContext&) override {
    MutexLock lock(mutex_);
    return kept_;
  }
  Result<std::unique_ptr<Filling>> Begin(const IteratorContext&) override {
    return std::make_unique<Part>(this);
  }
  std::optional<std::string> beginning() override {
    MutexLock lock(mutex_);
    return beginning_;
  }
  void SetBeginning(const std::optional<std::string>& beginning) override {
    MutexLock lock(mutex_);
    if (!kept_) beginning_ = beginning;
  }

 private:
  class Part final : public Filling {
   public:
    explicit Part(CacheMemory* memory) : memory_(memory) {}
    Status Append(const Element& element) override {
      elements_.push_back(element);
      return Status::Ok();
    }
    Status Complete(const std::optional<std::string>& beginning) override {
      memory_->Complete(std::move(elements_), beginning);
      return Status::Ok();
    }

   private:
    CacheMemory* const memory_;
    std::vector<Element> elements_;
  };

  // The first pass to complete wins.
  void Complete(std::vector<Element> elements, const std::optional<std::string>& beginning) {
    DatasetRef complete = HoldElements(spec_, std::move(elements), "cache");
    MutexLock lock(mutex_);
    if (kept_) return;
    kept_ = std::move(complete);
    beginning_ = beginning;
  }

  const ElementSpec spec_;
  Mutex mutex_;
  DatasetRef kept_ GUARDED_BY(mutex_);
  std::optional<std::string> beginning_ GUARDED_BY(mutex_);
};

Result<std::shared_ptr<Dataset>> MakeCache(const Args& args, std::vector<DatasetRef> inputs) {
  std::unique_ptr<CacheStore> store;
  if (args.Has("path")) {
    FASTPIPE_ASSIGN(store, MakeCacheFiles(args, inputs[0]->spec()));
  } else {
    store = std::make_unique<CacheMemory>(inputs[0]->spec());
  }
  return MakeCacheOf(inputs[0], std::move(store));
}

FASTPIPE_OP("cache", MakeCache);

}  // namespace
}  // namespace fastpipe
