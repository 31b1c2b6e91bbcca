#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "core/random.h"
#include "runtime/clock.h"
#include "runtime/context.h"
#include "runtime/threads.h"
#include "runtime/tuning.h"
#include "runtime/window.h"

namespace fastpipe {
namespace {

constexpr int64_t kResults = 3000;

// Workers number chunks through the window; the consumer collects the numbers.
std::vector<int64_t> Run(bool ordered, int workers, int64_t capacity) {
  Stage stage;
  Window window(ordered, &stage);
  window.set_capacity(capacity);
  Mutex input;
  int64_t next = 0;
  auto token = CancelToken::Root();
  ThreadGroup threads("test", [&](int index) {
    uint64_t spins = 0;
    while (window.Reserve() == Window::Turn::kReserved) {
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
  Stage stage;
  Window window(true, &stage);
  auto token = CancelToken::Root();
  std::unique_ptr<Window::Chunk> chunk;
  token->Cancel();
  CHECK(window.Take(*token, &chunk).code() == Code::kCancelled);
  window.Stop();
  CHECK(window.Reserve() == Window::Turn::kStop);
}

TEST_CASE("window: beyond the byte limit one chunk at a time still passes") {
  Stage stage;
  stage.ram_budget = 100;
  Window window(true, &stage);
  window.set_capacity(10);
  auto token = CancelToken::Root();
  REQUIRE(window.Reserve() == Window::Turn::kReserved);
  Window::Chunk* huge = window.Open();
  huge->size = 1;
  huge->bytes = 1000;
  window.Publish(huge);
  std::unique_ptr<Window::Chunk> chunk;
  REQUIRE(window.Take(*token, &chunk).ok());
  CHECK(StageStats::Get(stage.stats.buffered_bytes) == 1000);  // the consumer has them still
  CHECK(window.Reserve() == Window::Turn::kReserved);
  window.Recycle(std::move(chunk));
  CHECK(StageStats::Get(stage.stats.buffered_bytes) == 0);
}

TEST_CASE("window: all stages together share one memory budget") {
  Stage one;
  one.ram_budget = 1000;
  const int64_t alone = one.byte_limit();
  Stage other;
  CHECK(one.byte_limit() < alone);
}

TEST_CASE("window: a chunk in pieces comes in order, and the piece behind waits for memory") {
  Stage stage;
  stage.ram_budget = 100;
  Window window(true, &stage);
  window.set_capacity(10);
  auto token = CancelToken::Root();
  REQUIRE(window.Reserve() == Window::Turn::kReserved);
  Window::Chunk* chunk = window.Open();
  REQUIRE(window.Reserve() == Window::Turn::kReserved);
  Window::Chunk* later = window.Open();
  chunk->results.resize(3);
  chunk->size = 3;
  chunk->results[0].element = Element{Tensor::Scalar(int64_t{0})};
  chunk->results[1].status = Internal("the second failed");
  chunk->bytes = 1000;
  CHECK_FALSE(window.Count(chunk));
  Window::Chunk* rest = window.Split(chunk, 1);
  CHECK(rest->size == 2);
  CHECK(rest->results[0].status.code() == Code::kInternal);
  std::atomic<bool> admitted{false};
  ThreadGroup worker("test", [&](int) {
    window.Admit(rest);
    admitted = true;
    window.Publish(rest);
  });
  REQUIRE(worker.Resize(1).ok());
  CHECK_FALSE(admitted);  // the first piece comes before it
  std::unique_ptr<Window::Chunk> taken;
  REQUIRE(window.Take(*token, &taken).ok());
  CHECK(taken->size == 1);
  REQUIRE(window.Take(*token, &taken).ok());
  CHECK(taken->size == 2);
  CHECK(admitted);
  later->size = 0;
  window.Publish(later);
  worker.Join();
}

TEST_CASE("worker clock: phases sum up to the life of the worker, and waits are told apart") {
  WorkerClocks clocks;
  PhaseClock consumer(Phase::kPull);
  const int64_t began = WallNanos();
  {
    WorkerClock clock(&clocks);
    clock.Enter(Phase::kCompute);
    {
      InputWait wait(&consumer);
      CHECK(wait.by_worker());
    }
    clock.Enter(Phase::kRoom);
    CHECK(clocks.Read(/*ask_linux=*/true).runnable == 1);
  }
  const int64_t lived = WallNanos() - began;
  const WorkerTotals totals = clocks.Read(/*ask_linux=*/false);
  int64_t sum = 0;
  for (const int64_t ns : totals.ns) sum += ns;
  CHECK(sum <= lived);
  CHECK(totals[Phase::kInput] > 0);
  CHECK(totals[Phase::kCompute] > 0);
  CHECK(totals[Phase::kLock] == 0);
  CHECK(totals.cpu_ns > 0);
  CHECK_FALSE(InputWait(&consumer).by_worker());
}

TEST_CASE("tuning: a buffer the user asked for is never exceeded") {
  const RunOptions options = WithBudgets({});
  for (int64_t buffer : {1, 2, 3, 8, 9, 100, 1000, 100'000}) {
    const StageLimits limits = PlanStage(1, 1, buffer, options, 0);
    CHECK(limits.window * static_cast<int64_t>(limits.max_chunk) <= buffer);
    CHECK(limits.window >= 1);
  }
}

TEST_CASE("tuning: chunks grow while they are cheap and shrink when they are not") {
  CHECK(NextChunkSize(1, 1'000, 256) == 2);
  CHECK(NextChunkSize(200, 1'000, 256) == 256);
  CHECK(NextChunkSize(8, 100'000, 256) == 8);
  CHECK(NextChunkSize(8, 1'000'000, 256) == 4);
  CHECK(NextChunkSize(1, 1'000'000, 256) == 1);
}

}  // namespace
}  // namespace fastpipe
