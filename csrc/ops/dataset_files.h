// What the ops that write saved datasets share: their arguments, and the function that assigns
// elements to shards.
// Thread rule: a ShardAssigner is used by one thread at a time.
#pragma once

#include <optional>

#include "core/program.h"
#include "io/saved_dataset.h"
#include "runtime/context.h"

namespace fastpipe {

// The arguments path, fingerprint, structure and compression, for elements of `spec`.
Result<SavedDataset> DescriptionArguments(const Args& args, const ElementSpec& spec);

// The argument shard_func: a function from an element to a scalar int64; none if it is absent.
Result<std::optional<Function>> ShardFunction(const Args& args, const ElementSpec& spec);

// The shard of an element.
class ShardAssigner {
 public:
  // `function` belongs to the op.
  ShardAssigner(const std::optional<Function>& function, const IteratorContext& context) {
    if (!function) return;
    const RunContext& run = *context.run;
    call_.emplace(*function,
                  KernelContext{run.file_system(), context.cancel, context.run, context.random});
  }
  // Of the elements of a pass, one after the other.
  Status Assign(const Element& element, int64_t* shard);

 private:
  std::optional<FunctionCall> call_;  // none: all go to shard 0
  int64_t number_ = 0;                // of the next element
  Element result_;
};

}  // namespace fastpipe
