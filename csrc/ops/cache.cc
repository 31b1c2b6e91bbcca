// cache(path, ...): keeps the elements of the first complete pass and serves later passes from
// them; in memory, or with a path in files (cache_files.cc).

#include "ops/cache.h"

#include "core/mutex.h"
#include "core/registry.h"
#include "core/row_ring.h"
#include "ops/cache_files.h"
#include "ops/held_elements.h"
#include "ops/held_rows.h"

namespace fastpipe {
namespace {

class CacheMemory final : public CacheStore {
 public:
  explicit CacheMemory(ElementSpec spec)
      : spec_(std::move(spec)), keeps_rows_(RowRing::Fits(spec_)) {}

  bool keeps_rows() const override { return keeps_rows_; }
  bool filled() override {
    MutexLock lock(mutex_);
    return kept_ != nullptr;
  }

  Result<DatasetRef> Kept(const IteratorContext&) override {
    MutexLock lock(mutex_);
    return kept_;
  }
  Result<std::unique_ptr<Filling>> Begin(const IteratorContext&) override {
    if (keeps_rows_) return std::make_unique<RowsPart>(this);
    return std::make_unique<ElementsPart>(this);
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
  class ElementsPart final : public Filling {
   public:
    explicit ElementsPart(CacheMemory* memory) : memory_(memory) {}
    using Filling::Append;
    Status Append(const Element& element) override {
      elements_.push_back(element);
      return Status::Ok();
    }
    Status Complete(const std::optional<std::string>& beginning) override {
      memory_->Complete(HoldElements(memory_->spec_, std::move(elements_), "cache"), beginning);
      return Status::Ok();
    }

   private:
    CacheMemory* const memory_;
    std::vector<Element> elements_;
  };

  class RowsPart final : public Filling {
   public:
    explicit RowsPart(CacheMemory* memory) : memory_(memory), rows_(memory->spec_) {}
    Status Append(const Element& element) override {
      rows_.Append(element);
      return Status::Ok();
    }
    Status Append(const Block& block) override {
      rows_.Append(block);
      return Status::Ok();
    }
    Status Complete(const std::optional<std::string>& beginning) override {
      memory_->Complete(rows_.Finish("cache"), beginning);
      return Status::Ok();
    }

   private:
    CacheMemory* const memory_;
    HeldRowsBuilder rows_;
  };

  // The first pass to complete wins.
  void Complete(DatasetRef complete, const std::optional<std::string>& beginning) {
    MutexLock lock(mutex_);
    if (kept_) return;
    kept_ = std::move(complete);
    beginning_ = beginning;
  }

  const ElementSpec spec_;
  const bool keeps_rows_;
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
