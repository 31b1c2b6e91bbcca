// Rare interleavings, one a seed: windows, stages, lanes, tuner and close() under a scheduler that
// chooses which thread runs. FASTPIPE_SCHEDULES says how many seeds each is tried with.

#ifdef FASTPIPE_SCHEDULED

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <set>

#include "api.h"
#include "core/random.h"
#include "made.h"
#include "runtime/worker_stage.h"
#include "seeded_scheduler.h"

namespace fastpipe {
namespace {

using Numbers = std::vector<int64_t>;

uint64_t Schedules() {
  const char* wanted = std::getenv("FASTPIPE_SCHEDULES");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 150;
}

Numbers UpTo(int64_t count) {
  Numbers numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// `scenario` gives the same numbers under every schedule.
template <typename Scenario>
void CheckAll(const Numbers& expected, Scenario scenario) {
  for (uint64_t seed = 0; seed < Schedules(); ++seed) {
    Numbers numbers;
    RunSchedule(seed, [&] { numbers = scenario(seed); });
    if (numbers == expected) continue;
    CAPTURE(seed);
    CHECK(numbers == expected);
    return;
  }
}

std::shared_ptr<RunContext> NewRun() {
  RunOptions options;
  options.cpu_budget = AffinityCores();
  options.ram_budget = 1 << 30;
  options.initial_threads = 2;
  return std::make_shared<RunContext>(options, PosixFileSystem(), 0);
}

// ---- windows ----

Numbers ThroughWindow(bool ordered, uint64_t seed) {
  constexpr int64_t kResults = 8;
  Stage stage;
  Window window(ordered, &stage);
  window.set_capacity(1 + static_cast<int64_t>(seed % 4));
  Mutex input;
  int64_t next = 0;
  const auto token = CancelToken::Root();
  ThreadGroup threads("test", [&](int) {
    while (window.Reserve() == Window::Turn::kReserved) {
      Window::Chunk* chunk = nullptr;
      {
        MutexLock lock(input);
        if (next == kResults) return window.Finish();
        chunk = window.Open();
        chunk->size = 1;
        chunk->results[0].element = Element{Tensor::Scalar(next++)};
      }
      window.Publish(chunk);
    }
  });
  CHECK(threads.Resize(3).ok());
  Numbers numbers;
  std::unique_ptr<Window::Chunk> chunk;
  while (window.Take(*token, &chunk).ok()) {
    numbers.push_back(chunk->results[0].element[0].scalar<int64_t>());
    window.Recycle(std::move(chunk));
  }
  window.Stop();
  return numbers;
}

TEST_CASE("schedules: an ordered window delivers each result once, in order") {
  CheckAll(UpTo(8), [](uint64_t seed) { return ThroughWindow(true, seed); });
}

TEST_CASE("schedules: a window in free order delivers each result once") {
  CheckAll(UpTo(8), [](uint64_t seed) {
    Numbers numbers = ThroughWindow(false, seed);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  });
}

// ---- stages whose knobs change ----

// Sets the knobs of all stages of a run now and then, a few times.
class KnobTurner {
 public:
  KnobTurner(std::shared_ptr<RunContext> run, uint64_t seed)
      : run_(std::move(run)), thread_("turner", [this, seed](int) {
          for (uint64_t turn = 0; turn < 3; ++turn) Turn(MixBits(seed * 3 + turn));
        }) {
    CHECK(thread_.Resize(1).ok());
  }

 private:
  void Turn(uint64_t random) {
    run_->stages().ForEach([random](Stage* stage) {
      stage->threads.Set(1 + static_cast<int64_t>(random % 4));
      stage->window.Set(1 + static_cast<int64_t>(random / 4 % 6));
      stage->apply();
    });
  }

  const std::shared_ptr<RunContext> run_;
  ThreadGroup thread_;
};

StageWork<int64_t> CountTo(int64_t count, int64_t* next) {
  StageWork<int64_t> work;
  work.pull = [count, next](int64_t* job) {
    if (*next == count) return Status::EndOfSequence();
    *job = (*next)++;
    return Status::Ok();
  };
  work.new_compute = [] {
    return [](int64_t* job, Element* out) {
      out->push_back(Tensor::Scalar(*job));
      return Status::Ok();
    };
  };
  work.save = [](PositionWriter*) { return Status::Ok(); };
  return work;
}

TEST_CASE("schedules: a stage whose threads and window change loses nothing") {
  CheckAll(UpTo(12), [](uint64_t seed) {
    const auto run = NewRun();
    const auto token = CancelToken::Root();
    int64_t next = 0;
    WorkerStage<int64_t> stage({.label = "count", .threads = kAutotune, .max_threads = 4},
                               CountTo(12, &next), {run, token});
    Numbers numbers;
    Element element;
    std::optional<KnobTurner> turner;
    while (stage.Next(&element).ok()) {
      numbers.push_back(element[0].scalar<int64_t>());
      element.clear();
      if (!turner) turner.emplace(run, seed);
    }
    return numbers;
  });
}

// ---- lanes, tuner, close ----

// Four ranges of three numbers, interleaved two by two.
DatasetRef Interleaved(int64_t calls) {
  const TensorSpec number = TensorSpec::Scalar(DType::kInt64);
  ProgramBuilder builder;
  const int start = builder.AddArg(number);
  const int stop = builder.AddArg(number);
  const auto range = builder.AddDataset(
      Args("range", {{"start", Value{Slot{start, number}}}, {"stop", Value{Slot{stop, number}}}}),
      {}, "");
  REQUIRE(range.ok());
  const auto starts = [](int64_t first) {
    return Made(
        "range",
        {{"start", Value{first}}, {"stop", Value{first + 40}}, {"step", Value{int64_t{10}}}});
  };
  std::map<std::string, Value, std::less<>> args{
      {"function", Value{FunctionValue{builder.Finish({range.value()}), {}}}},
      {"cycle_length", Value{int64_t{2}}}};
  if (calls != 0) args.emplace("num_parallel_calls", Value{calls});
  return Made("interleave", std::move(args), {Made("zip", {}, {starts(0), starts(3)})});
}

Numbers NumbersOf(const DatasetRef& dataset, uint64_t seed) {
  const auto run = NewRun();
  auto iterator = dataset->MakeIterator({run, CancelToken::Root()});
  std::optional<KnobTurner> turner;
  Numbers numbers;
  Element element;
  while (iterator->Next(&element).ok()) {
    numbers.push_back(element[0].scalar<int64_t>());
    if (!turner) turner.emplace(run, seed);
  }
  turner.reset();
  return numbers;
}

TEST_CASE("schedules: lanes keep the order of interleave while their threads change") {
  const DatasetRef dataset = Interleaved(kAutotune);
  const Numbers expected = NumbersOf(Interleaved(0), 0);
  REQUIRE(expected.size() == 12);
  CheckAll(expected, [&](uint64_t seed) { return NumbersOf(dataset, seed); });
}

std::shared_ptr<api::Pipeline> Started(const DatasetRef& dataset) {
  api::PipelineOptions options;
  options.run.cpu_budget = AffinityCores();
  options.run.initial_threads = 2;
  Status status;
  auto pipeline = api::StartPipeline(dataset, options, &status);
  CHECK(status.ok());
  return pipeline;
}

Numbers Take(api::Pipeline* pipeline, int64_t most) {
  Numbers numbers;
  Element element;
  while (most-- > 0 && pipeline->Next(&element).ok()) {
    numbers.push_back(element[0].scalar<int64_t>());
  }
  return numbers;
}

TEST_CASE("schedules: the tuner starts, looks, moves knobs and stops while runs come and go") {
  const DatasetRef dataset =
      Made("prefetch", {{"buffer_size", Value{kAutotune}}}, {Interleaved(kAutotune)});
  const Numbers expected = NumbersOf(Interleaved(0), 0);
  CheckAll(expected, [&](uint64_t seed) {
    const auto first = Started(dataset);
    auto second = Started(dataset);
    Take(second.get(), 1 + static_cast<int64_t>(seed % 5));
    Numbers numbers = Take(first.get(), 4);
    api::DropPipeline(std::move(second));
    const Numbers rest = Take(first.get(), INT64_MAX);
    numbers.insert(numbers.end(), rest.begin(), rest.end());
    first->Close();
    return numbers;
  });
}

TEST_CASE("schedules: a pipeline that is closed by another thread ends its next, and all threads") {
  const DatasetRef dataset =
      Made("prefetch", {{"buffer_size", Value{kAutotune}}}, {Interleaved(2)});
  const Numbers whole = NumbersOf(Interleaved(0), 0);
  const int before = ThreadBudget::Get().running();
  CheckAll({}, [&](uint64_t seed) {
    const auto pipeline = Started(dataset);
    Numbers numbers = Take(pipeline.get(), static_cast<int64_t>(seed % 4));
    {
      ThreadGroup closer("closer", [&](int) { pipeline->Close(); });
      CHECK(closer.Resize(1).ok());
      const Numbers rest = Take(pipeline.get(), INT64_MAX);
      numbers.insert(numbers.end(), rest.begin(), rest.end());
    }
    // What was delivered is a beginning of the whole; nothing runs any more.
    if (ThreadBudget::Get().running() != before) return Numbers{-1};
    numbers.resize(std::min(numbers.size(), whole.size() + 1));
    return std::equal(numbers.begin(), numbers.end(), whole.begin()) ? Numbers{} : numbers;
  });
}

// ---- the scheduler itself ----

TEST_CASE("schedules: a seed replays its interleaving") {
  const DatasetRef dataset =
      Made("prefetch", {{"buffer_size", Value{kAutotune}}}, {Interleaved(kAutotune)});
  std::set<std::vector<int>> different;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const auto trace = [&] {
      return RunSchedule(seed, [&] {
        const auto pipeline = Started(dataset);
        Take(pipeline.get(), INT64_MAX);
        pipeline->Close();
      });
    };
    const ScheduleTrace first = trace();
    CHECK(first.threads.size() > 20);
    for (int again = 0; again < 2; ++again) {
      const bool same = trace() == first;
      CHECK(same);
    }
    different.insert(first.threads);
  }
  CHECK(different.size() > 45);
}

// Loses a wake-up: it looks whether anybody waits before it takes the lock.
class BrokenQueue {
 public:
  void Push() {
    const bool awaited = Waiting();
    MutexLock lock(mutex_);
    ++items_;
    if (awaited) changed_.NotifyOne();
  }
  void Pop() {
    MutexLock lock(mutex_);
    waiting_ = true;
    while (items_ == 0) changed_.Wait(mutex_);
    waiting_ = false;
    --items_;
  }

 private:
  bool Waiting() {
    MutexLock lock(mutex_);
    return waiting_;
  }

  Mutex mutex_;
  CondVar changed_;
  int items_ GUARDED_BY(mutex_) = 0;
  bool waiting_ GUARDED_BY(mutex_) = false;
};

ScheduleTrace TryBrokenQueue(uint64_t seed) {
  return RunSchedule(
      seed,
      [] {
        BrokenQueue queue;
        ThreadGroup consumer("consumer", [&](int) {
          try {
            for (int i = 0; i < 3; ++i) queue.Pop();
          } catch (const Deadlock&) {
          }
        });
        CHECK(consumer.Resize(1).ok());
        for (int i = 0; i < 3; ++i) queue.Push();
      },
      OnDeadlock::kThrow);
}

TEST_CASE("schedules: a lost wake-up is found, and its seed finds it again") {
  std::vector<uint64_t> found;
  for (uint64_t seed = 0; seed < 1000 && found.size() < 3; ++seed) {
    if (!TryBrokenQueue(seed).deadlock.empty()) found.push_back(seed);
  }
  REQUIRE(found.size() == 3);
  for (const uint64_t seed : found) {
    const ScheduleTrace trace = TryBrokenQueue(seed);
    CHECK(trace.deadlock.find(StrCat("seed ", seed, ": no thread can go on")) != std::string::npos);
    CHECK(TryBrokenQueue(seed) == trace);
  }
}

}  // namespace
}  // namespace fastpipe

#endif  // FASTPIPE_SCHEDULED
