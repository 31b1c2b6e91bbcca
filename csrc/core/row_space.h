// RowSpace: where the rows of batches to come are computed, so that stacking them copies nothing.
//
// Contract: a batch that has a map as its input makes one, and both share it. Whoever computes
// result `number` of the pass asks for the memory of its row in the batch it will be in. That is a
// guess (an error before it, and the row belongs elsewhere), so nothing depends on it: rows that
// turn out to lie side by side are a batch as they are (core/stack.h), others are copied.
// Thread rule: any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/mutex.h"
#include "core/tensor.h"

namespace fastpipe {

class RowSpace {
 public:
  explicit RowSpace(int64_t rows) : rows_(rows) {}

  // The next batch begins with result `number`. What is kept for earlier ones is let go.
  void NextBatchFrom(int64_t number);
  // The memory of component `component` of result `number`; none if it is better allocated by
  // itself: it is small, of another shape than its neighbours, or a batch would be huge.
  std::optional<Tensor> Claim(int64_t number, size_t component, DType dtype, Dims dims);

 private:
  struct Batch {
    int64_t first = 0;
    std::vector<Tensor> components;  // with the rows as a new first axis; invalid: none yet
  };

  const int64_t rows_;
  Mutex mutex_;
  int64_t origin_ GUARDED_BY(mutex_) = 0;  // batches begin here, and every rows_ from here
  std::deque<Batch> batches_ GUARDED_BY(mutex_);
};

// One row of it.
struct RowPlace {
  RowSpace* space = nullptr;
  int64_t number = 0;
};

}  // namespace fastpipe
