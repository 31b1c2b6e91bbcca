#include "runtime/tuning.h"

#include <algorithm>

#include "runtime/budget.h"
#include "runtime/context.h"

namespace fastpipe {
namespace {

constexpr size_t kMaxChunk = 256;
// Chunks beyond one a worker: room for the others while one computes a slow element.
constexpr int64_t kWindowPerThread = 2;
constexpr int64_t kMaxAutotunedWindow = 64;

}  // namespace

RunOptions WithBudgets(RunOptions options) {
  if (options.cpu_budget <= 0) options.cpu_budget = CpuBudget();
  if (options.ram_budget <= 0)
    options.ram_budget = std::max<int64_t>(AvailableMemory() / 4, 16 << 20);
  return options;
}

StageLimits PlanStage(int64_t threads, int64_t max_threads, int64_t buffer,
                      const RunOptions& options, int64_t other_runs) {
  StageLimits limits{};
  const int64_t cores = options.cpu_budget;
  if (options.thread_limit > 0) {
    max_threads = std::min(max_threads, options.thread_limit);
    threads = std::min(threads, options.thread_limit);
  }
  if (threads == kAutotune) {
    // Other runs have cores too: the tuner finds out who needs them most.
    const int64_t first = options.initial_threads > 0 ? options.initial_threads
                                                      : (cores + other_runs) / (other_runs + 1);
    if (options.max_threads > 0) max_threads = std::min(max_threads, options.max_threads);
    limits.max_threads = options.autotune ? max_threads : std::min(first, max_threads);
    limits.min_threads = std::clamp<int64_t>(options.min_threads, 1, limits.max_threads);
    limits.threads = std::clamp<int64_t>(first, limits.min_threads, limits.max_threads);
    if (!options.autotune) limits.min_threads = limits.max_threads = limits.threads;
  } else {
    limits.threads = limits.min_threads = limits.max_threads = threads;
  }
  limits.max_chunk = kMaxChunk;
  limits.window = kWindowPerThread * limits.threads + 2;
  limits.min_window = threads == kAutotune ? 2 : limits.window;
  limits.max_window = std::max(limits.window, kWindowPerThread * limits.max_threads + 2);
  if (buffer == kAutotune) {
    limits.window = std::max<int64_t>(limits.window, 4);
    limits.max_window = std::max(limits.max_window, kMaxAutotunedWindow);
  } else if (buffer > 0) {
    // The user counts results, the window counts chunks: several small chunks, at most `buffer`
    // results in all.
    limits.window = std::clamp<int64_t>(buffer, 1, 8);
    limits.max_chunk = static_cast<size_t>(std::max<int64_t>(buffer / limits.window, 1));
    limits.max_chunk = std::min(limits.max_chunk, kMaxChunk);
    limits.window =
        std::max<int64_t>(limits.window, buffer / static_cast<int64_t>(limits.max_chunk));
    limits.min_window = limits.max_window = limits.window;
  }
  return limits;
}

Result<int64_t> ParallelCalls(const Args& args) {
  if (!args.Has("num_parallel_calls")) return int64_t{0};
  FASTPIPE_ASSIGN(const int64_t calls, args.Int("num_parallel_calls"));
  if ((calls >= 1 && calls <= kMaxParallelCalls) || calls == kAutotune) return calls;
  if (calls > kMaxParallelCalls) {
    return args.Error(
        StrCat("num_parallel_calls must be at most ", kMaxParallelCalls, ", got ", calls));
  }
  return args.Error(StrCat("num_parallel_calls must be >= 1 or AUTOTUNE, got ", calls));
}

Result<std::optional<bool>> Deterministic(const Args& args) {
  if (!args.Has("deterministic")) return std::optional<bool>();
  FASTPIPE_ASSIGN(const bool deterministic, args.BoolOr("deterministic", true));
  return std::optional<bool>(deterministic);
}

size_t NextChunkSize(size_t size, int64_t wall_ns, size_t max_chunk) {
  if (wall_ns < kTargetChunkNanos / 2) return std::min(2 * size, max_chunk);
  if (wall_ns > 2 * kTargetChunkNanos) return std::max<size_t>(size / 2, 1);
  return size;
}

}  // namespace fastpipe
