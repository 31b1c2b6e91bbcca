// What ops share whose elements come from one of several inputs: concatenate, choose_from_datasets,
// sample_from_datasets.
#pragma once

#include <memory>
#include <vector>

#include "core/args.h"
#include "core/dataset.h"

namespace fastpipe {

// The spec of elements that are either of `a` or of `b`. InvalidArgument if their numbers of
// components or their dtypes differ.
Result<ElementSpec> CommonSpec(const Args& args, const ElementSpec& a, const ElementSpec& b);
// The same over all inputs from number `first` on, of which there must be at least one.
Result<ElementSpec> CommonSpec(const Args& args, const std::vector<DatasetRef>& inputs,
                               size_t first);

// Several inputs of which one at a time is asked; one that has ended is closed.
class InputSet {
 public:
  InputSet(const std::vector<DatasetRef>& datasets, size_t first, const IteratorContext& context);

  size_t size() const { return inputs_.size(); }
  bool open(size_t index) const { return inputs_[index] != nullptr; }
  size_t num_open() const { return num_open_; }
  // REQUIRES: open(index)
  Status Next(size_t index, Element* out);

  Status Save(PositionWriter* writer);
  Status Restore(PositionReader* reader);

 private:
  Status Close(size_t index);

  std::vector<std::unique_ptr<Iterator>> inputs_;  // null: ended
  std::vector<PositionWriter> ends_;               // where those stood that have
  size_t num_open_;
};

}  // namespace fastpipe
