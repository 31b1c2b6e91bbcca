// StageLimits: where the knobs of a stage start and how far they may go.
//
// Contract: pure arithmetic. A number the user gave is kept exactly; kAutotune leaves a range to
// the tuner. Thread rule: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/args.h"

namespace fastpipe {

struct RunOptions;

constexpr int64_t kAutotune = -1;
// What a chunk of results should cost: some ten times what waking a consumer for it does.
constexpr int64_t kTargetChunkNanos = 100'000;

struct StageLimits {
  int64_t threads, min_threads, max_threads;
  int64_t window, min_window, max_window;  // chunks open or ready
  size_t max_chunk;                        // results in a chunk
};

// More threads than any system starts; a number beyond it is a mistake.
constexpr int64_t kMaxParallelCalls = 1 << 16;

// `threads` and `buffer` as in StageSettings. `other_runs`: those that are being
// tuned as well. REQUIRES: the budgets in `options` are known.
StageLimits PlanStage(int64_t threads, int64_t max_threads, int64_t buffer,
                      const RunOptions& options, int64_t other_runs);

// The argument num_parallel_calls: a count from 1 to kMaxParallelCalls, kAutotune, or 0 if it was
// not given.
Result<int64_t> ParallelCalls(const Args& args);
// The argument deterministic, or nothing if the run decides.
Result<std::optional<bool>> Deterministic(const Args& args);

// The chunk size that brings a chunk to about 100 us, given that one of `size` took `wall_ns`.
size_t NextChunkSize(size_t size, int64_t wall_ns, size_t max_chunk);

}  // namespace fastpipe
