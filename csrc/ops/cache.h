// The cache op, shared by cache and snapshot: passes its input on, keeps what it passes on in a
// store, and serves later passes from there.
//
// Contract: a store keeps the elements of complete passes only. A pass with an error, one that was
// left, and one that went on from a saved position keep nothing.
// Thread rule: a store is used by many iterators at once; a filling by one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/dataset.h"

namespace fastpipe {

class CacheStore {
 public:
  // The part that one pass has collected.
  class Filling {
   public:
    virtual ~Filling() = default;
    virtual Status Append(const Element& element) = 0;
    virtual Status Append(const Block& block);  // the default appends its rows one by one
    // The pass is complete. `beginning` is where its input began, if that can be saved.
    virtual Status Complete(const std::optional<std::string>& beginning) = 0;
  };

  virtual ~CacheStore() = default;
  // Whether what it keeps gives blocks.
  virtual bool keeps_rows() const { return false; }
  // Whether it keeps something already: from then on it always will.
  virtual bool filled() { return false; }
  // The dataset of what is kept; null until a pass has completed.
  virtual Result<DatasetRef> Kept(const IteratorContext& context) = 0;
  virtual Result<std::unique_ptr<Filling>> Begin(const IteratorContext& context) = 0;
  // Where the input of the pass that filled the store began, or of the one that a position says
  // did. A new pass begins there too, so that it finds the same elements in the same order.
  virtual std::optional<std::string> beginning() = 0;
  virtual void SetBeginning(const std::optional<std::string>& beginning) = 0;
};

// `store` keeps elements of input->spec().
std::shared_ptr<Dataset> MakeCacheOf(DatasetRef input, std::unique_ptr<CacheStore> store);

}  // namespace fastpipe
