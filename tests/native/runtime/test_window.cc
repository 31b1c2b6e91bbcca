#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "core/random.h"
#include "runtime/context.h"
#include "runtime/threads.h"
#include "runtime/tuning.h"
#include "runtime/window.h"

namespace fastpipe {
namespace {

constexpr int64_t kResults = 3000;

// Workers number chunks through the window; the consumer collects the numbers.
std::vector<int64_t> Run(bool ordered, int workers, int64_t capacity) {
  StageStats stats;
  Window window(ordered, &stats);
  window.set_capacity(capacity);
  Mutex input;
  int64_t next = 0;
  auto token = CancelToken::Root();
  ThreadGroup threads("test", [&](int index) {
    uint64_t spins = 0;
    while (window.Reserve()) {
      Window::Chunk* chunk = nullptr;
      {
        MutexLock lock(input);
        if (next == kResults) {
          window.Finish();
          return;
        }
        chunk = window.Open();
        chunk->results.resize(1);
        chunk->size = 1;
        chunk->results[0].element = Element{Tensor::Scalar(next++)};
      }
      // Chunks take different times, so that they finish out of order.
      spins = MixBits(spins + static_cast<uint64_t>(index)) % 2000;
      for (std::atomic<uint64_t> i{0}; i < spins; ++i) continue;
      window.Publish(chunk);
    }
  });
  CHECK(threads.Resize(workers).ok());
  std::vector<int64_t> numbers;
  std::unique_ptr<Window::Chunk> chunk;
  while (window.Take(*token, &chunk).ok()) {
    numbers.push_back(chunk->results[0].element[0].scalar<int64_t>());
    window.Recycle(std::move(chunk));
  }
  window.Stop();
  return numbers;
}

std::vector<int64_t> Numbers() {
  std::vector<int64_t> numbers(kResults);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST_CASE("window: delivers in the order of opening, whatever the workers and the capacity") {
  for (int workers : {1, 2, 8}) {
    for (int64_t capacity : {1, 2, 17}) CHECK(Run(true, workers, capacity) == Numbers());
  }
}

TEST_CASE("window: free order delivers everything exactly once") {
  std::vector<int64_t> numbers = Run(false, 4, 9);
  std::sort(numbers.begin(), numbers.end());
  CHECK(numbers == Numbers());
}

TEST_CASE("window: a cancelled consumer returns, a stopped worker too") {
  StageStats stats;
  Window window(true, &stats);
  auto token = CancelToken::Root();
  std::unique_ptr<Window::Chunk> chunk;
  token->Cancel();
  CHECK(window.Take(*token, &chunk).code() == Code::kCancelled);
  window.Stop();
  CHECK_FALSE(window.Reserve());
}

TEST_CASE("window: beyond the byte limit one chunk at a time still passes") {
  StageStats stats;
  Window window(true, &stats);
  window.set_capacity(10);
  window.set_byte_limit(100);
  auto token = CancelToken::Root();
  REQUIRE(window.Reserve());
  Window::Chunk* huge = window.Open();
  huge->size = 1;
  huge->bytes = 1000;
  window.Publish(huge);
  std::unique_ptr<Window::Chunk> chunk;
  REQUIRE(window.Take(*token, &chunk).ok());
  CHECK(window.Reserve());
}

TEST_CASE("tuning: a buffer the user asked for is never exceeded") {
  const RunOptions options = WithBudgets({});
  for (int64_t buffer : {1, 2, 3, 8, 9, 100, 1000, 100'000}) {
    const StageLimits limits = PlanStage(1, 1, buffer, options);
    CHECK(limits.window * static_cast<int64_t>(limits.max_chunk) <= buffer);
    CHECK(limits.window >= 1);
  }
}

TEST_CASE("tuning: chunks grow while they are cheap and shrink when they are not") {
  CHECK(NextChunkSize(1, 1'000, 256) == 2);
  CHECK(NextChunkSize(200, 1'000, 256) == 256);
  CHECK(NextChunkSize(8, 50'000, 256) == 8);
  CHECK(NextChunkSize(8, 1'000'000, 256) == 4);
  CHECK(NextChunkSize(1, 1'000'000, 256) == 1);
}

}  // namespace
}  // namespace fastpipe
