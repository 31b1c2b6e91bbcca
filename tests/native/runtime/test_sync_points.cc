// Rare interleavings, each forced by sync points.

#include <doctest/doctest.h>

#include <cerrno>
#include <map>

#include "autotune/tuner.h"
#include "core/fault_points.h"
#include "core/program.h"
#include "io/file_system.h"
#include "made.h"
#include "runtime/context.h"
#include "runtime/threads.h"
#include "runtime/tuning.h"
#include "runtime/window.h"

namespace fastpipe {
namespace {

std::shared_ptr<RunContext> NewRun() {
  RunOptions options;
  options.cpu_budget = AffinityCores();
  options.ram_budget = 1 << 30;
  options.initial_threads = 2;
  return std::make_shared<RunContext>(options, PosixFileSystem(), 0);
}

DatasetRef Range(int64_t stop) {
  return Made("range", {{"start", Value{int64_t{0}}}, {"stop", Value{stop}}});
}

// Of `stop` inners with `stop` numbers each, two at a time.
DatasetRef Interleaved(int64_t stop) {
  const TensorSpec number = TensorSpec::Scalar(DType::kInt64);
  ProgramBuilder builder;
  builder.AddArg(number);
  const auto range = builder.AddDataset(
      Args("range", {{"start", Value{int64_t{0}}}, {"stop", Value{stop}}}), {}, "");
  REQUIRE(range.ok());
  return Made("interleave",
              {{"function", Value{FunctionValue{builder.Finish({range.value()}), {}}}},
               {"cycle_length", Value{int64_t{2}}},
               {"num_parallel_calls", Value{kAutotune}}},
              {Range(stop)});
}

// One worker publishes the numbers 0 and 1 through `window`.
void PublishTwo(Window* window) {
  for (int64_t number = 0; number < 2; ++number) {
    if (window->Reserve() != Window::Turn::kReserved) return;
    Window::Chunk* chunk = window->Open();
    PassSyncPoint("test:opened");
    chunk->size = 1;
    chunk->results[0].element = Element{Tensor::Scalar(number)};
    window->Publish(chunk);
  }
  if (window->Reserve() == Window::Turn::kReserved) window->Finish();
}

TEST_CASE("sync points: what was published before the consumer looked needs no wake-up") {
  Stage stage;
  Window window(true, &stage);
  window.set_capacity(4);
  const auto token = CancelToken::Root();
  const SyncOrder order{{"window:published", "window:before_take"}};
  ThreadGroup worker("test", [&](int) { PublishTwo(&window); });
  REQUIRE(worker.Resize(1).ok());
  std::unique_ptr<Window::Chunk> chunk;
  for (int64_t number = 0; number < 2; ++number) {
    REQUIRE(window.Take(*token, &chunk).ok());
    CHECK(chunk->results[0].element[0].scalar<int64_t>() == number);
  }
  CHECK(window.Take(*token, &chunk).end_of_sequence());
}

TEST_CASE("sync points: a window that is stopped before a worker publishes loses nobody") {
  Stage stage;
  Window window(true, &stage);
  window.set_capacity(4);
  const auto token = CancelToken::Root();
  const SyncOrder order{{"test:opened", "test:stop"}, {"test:stopped", "window:before_publish"}};
  ThreadGroup worker("test", [&](int) { PublishTwo(&window); });
  REQUIRE(worker.Resize(1).ok());
  PassSyncPoint("test:stop");
  window.Stop();
  std::unique_ptr<Window::Chunk> chunk;
  CHECK(window.Take(*token, &chunk).code() == Code::kCancelled);
  PassSyncPoint("test:stopped");
  worker.Join();
  // The result that was under way is there; behind it the worker was told to stop.
  CHECK(window.Take(*token, &chunk).ok());
  CHECK(window.Take(*token, &chunk).code() == Code::kCancelled);
}

TEST_CASE("sync points: a run that is cancelled before lanes hand over ends at once") {
  const auto run = NewRun();
  const auto token = CancelToken::Root();
  const SyncOrder order{{"test:cancelled", "lanes:before_publish"}};
  auto iterator = Interleaved(3)->MakeIterator({run, token});
  ThreadGroup closer("test", [&](int) {
    token->Cancel();
    PassSyncPoint("test:cancelled");
  });
  REQUIRE(closer.Resize(1).ok());
  Element element;
  CHECK(iterator->Next(&element).code() == Code::kCancelled);
  iterator.reset();
  CHECK(order.Passed("test:cancelled") == 1);
}

TEST_CASE("sync points: a stage that goes while the tuner is about to change it goes afterwards") {
  const auto run = NewRun();
  // One thread less than was asked for: the tuner asks again at every look.
  ArmFault(FaultKind::kStartThread, {.first = 2, .times = 100, .error = EAGAIN});
  auto iterator = Interleaved(3)->MakeIterator({run, CancelToken::Root()});
  Element element;
  REQUIRE(iterator->Next(&element).ok());
  DisarmFaults();
  const SyncOrder order{{"tuner:will_apply", "lanes:before_remove"},
                        {"lanes:before_remove", "tuner:before_apply"}};
  const auto tuner = Tuner::Start(run.get());
  ThreadGroup owner("test", [&](int) { iterator.reset(); });
  REQUIRE(owner.Resize(1).ok());
  owner.Join();
  CHECK(order.Passed("tuner:before_apply") >= 1);
}

}  // namespace
}  // namespace fastpipe
