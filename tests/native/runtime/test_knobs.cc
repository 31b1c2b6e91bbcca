// Order and exactly-once while knobs change as fast as they can.

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "core/program.h"
#include "core/random.h"
#include "core/registry.h"
#include "io/file_system.h"
#include "made.h"
#include "runtime/context.h"
#include "runtime/threads.h"
#include "runtime/worker_stage.h"

namespace fastpipe {
namespace {

constexpr int64_t kResults = 4000;
constexpr int64_t kPlenty = 1 << 30;
constexpr int64_t kHuge = 100'000;  // bytes of some results
constexpr int64_t kMaxThreads = 6;

void Spin(uint64_t turns) {
  for (std::atomic<uint64_t> i{0}; i < turns; ++i) continue;
}

std::shared_ptr<RunContext> NewRun(int64_t ram_budget, bool deterministic = true) {
  RunOptions options;
  options.deterministic = deterministic;
  options.cpu_budget = AffinityCores();
  options.ram_budget = ram_budget;
  options.initial_threads = 2;
  return std::make_shared<RunContext>(options, PosixFileSystem(), 0);
}

// Sets all knobs of all stages of a run at random while it lives: by default without a pause.
class KnobTurner {
 public:
  KnobTurner(std::shared_ptr<RunContext> run, uint64_t seed, int64_t pause = 2000)
      : run_(std::move(run)), random_(seed), pause_(pause), thread_("turner", [this](int) {
          while (!stop_) Turn();
        }) {
    REQUIRE(thread_.Resize(1).ok());
  }
  ~KnobTurner() { stop_ = true; }

 private:
  int64_t Below(int64_t bound) {
    random_ = MixBits(random_ + 1);
    return static_cast<int64_t>(random_ % static_cast<uint64_t>(bound));
  }
  void Turn() {
    run_->stages().ForEach([this](Stage* stage) {
      stage->threads.Set(1 + Below(kMaxThreads));
      stage->window.Set(1 + Below(2 * kMaxThreads));
      stage->apply();
    });
    Spin(static_cast<uint64_t>(Below(pause_)));
  }

  const std::shared_ptr<RunContext> run_;
  uint64_t random_;
  const int64_t pause_;  // at most, in turns of Spin
  std::atomic<bool> stop_{false};
  ThreadGroup thread_;
};

// A stage above the numbers 0, 1, ... whose results are these numbers; some are slow, some huge,
// and some are errors instead: of the input, or of the function.
class CountingStage {
 public:
  CountingStage(std::shared_ptr<RunContext> run, bool ordered)
      : stage_({.label = "count",
                .ordered = ordered,
                .threads = kAutotune,
                .max_threads = kMaxThreads,
                .buffer = 0},
               Work(), {run, token_}) {}

  WorkerStage<int64_t>& stage() { return stage_; }

  static bool Fails(int64_t number) { return number % 97 == 5 || number % 101 == 7; }

 private:
  StageWork<int64_t> Work() {
    StageWork<int64_t> work;
    work.pull = [this](int64_t* job) {
      if (next_ == kResults) return Status::EndOfSequence();
      *job = next_++;
      return *job % 97 == 5 ? Internal(StrCat(*job)) : Status::Ok();
    };
    work.new_compute = [] {
      return [](int64_t* job, Element* out) {
        const uint64_t bits = MixBits(static_cast<uint64_t>(*job));
        Spin(bits % 50 == 0 ? 20'000 : bits % 500);
        if (*job % 101 == 7) return Internal(StrCat(*job));
        out->push_back(Tensor::Scalar(*job));
        if (bits % 11 == 0) {
          out->push_back(Tensor::Allocate(DType::kUint8, Dims(&kHuge, 1)));
        }
        return Status::Ok();
      };
    };
    work.save = [this](PositionWriter* writer) {
      writer->PutInt(next_);
      return Status::Ok();
    };
    work.restore = [this](PositionReader* reader) {
      next_ = reader->GetInt();
      return reader->status();
    };
    work.skip = [this](int64_t count, int64_t* skipped) {
      const int64_t passed = std::min(count, kResults - next_);
      next_ += passed;
      *skipped += passed;
      return Status::Ok();
    };
    return work;
  }

  const std::shared_ptr<CancelToken> token_ = CancelToken::Root();
  int64_t next_ = 0;  // under the stage's input lock
  WorkerStage<int64_t> stage_;
};

// The number that a result is of; of errors too.
int64_t NumberOf(const Status& status, const Element& element) {
  if (!status.ok()) {
    const int64_t number = std::stoll(std::string(status.message()));
    CHECK(CountingStage::Fails(number));
    return number;
  }
  const int64_t number = element[0].scalar<int64_t>();
  CHECK_FALSE(CountingStage::Fails(number));
  return number;
}

std::vector<int64_t> AllOf(bool ordered, int64_t ram_budget, uint64_t seed) {
  auto run = NewRun(ram_budget);
  CountingStage counting(run, ordered);
  KnobTurner turner(run, seed);
  std::vector<int64_t> numbers;
  Element element;
  for (Status status; !(status = counting.stage().Next(&element)).end_of_sequence();) {
    numbers.push_back(NumberOf(status, element));
    if (numbers.size() % 500 == 0) Spin(50'000);  // a slow consumer fills the window
  }
  return numbers;
}

std::vector<int64_t> Numbers() {
  std::vector<int64_t> numbers(kResults);
  for (int64_t i = 0; i < kResults; ++i) numbers[static_cast<size_t>(i)] = i;
  return numbers;
}

TEST_CASE("knobs: an ordered stage delivers each result once, in order, while they change") {
  for (int64_t ram_budget : {int64_t{1}, int64_t{2 * kHuge}, int64_t{8 * kHuge}, kPlenty}) {
    for (uint64_t seed : {1, 2}) CHECK(AllOf(true, ram_budget, seed) == Numbers());
  }
}

TEST_CASE("knobs: a stage in free order delivers each result once while they change") {
  for (int64_t ram_budget : {int64_t{1}, int64_t{2 * kHuge}, int64_t{8 * kHuge}, kPlenty}) {
    for (uint64_t seed : {3, 4}) {
      std::vector<int64_t> numbers = AllOf(false, ram_budget, seed);
      std::sort(numbers.begin(), numbers.end());
      CHECK(numbers == Numbers());
    }
  }
}

TEST_CASE("knobs: a pass that is saved and restored again and again loses nothing") {
  for (int64_t ram_budget : {int64_t{2 * kHuge}, kPlenty}) {
    std::vector<int64_t> numbers;
    std::string position;
    uint64_t random = 5;
    for (bool ended = false; !ended;) {
      auto run = NewRun(ram_budget);
      CountingStage counting(run, /*ordered=*/true);
      if (!position.empty()) {
        PositionReader reader(position);
        REQUIRE(counting.stage().Restore(&reader).ok());
      }
      KnobTurner turner(run, random);
      random = MixBits(random);
      Element element;
      for (uint64_t left = random % 700; left > 0 && !ended; --left) {
        const Status status = counting.stage().Next(&element);
        ended = status.end_of_sequence();
        if (!ended) numbers.push_back(NumberOf(status, element));
      }
      PositionWriter writer;
      REQUIRE(counting.stage().Save(&writer).ok());
      position = writer.bytes();
    }
    CHECK(numbers == Numbers());
  }
}

// From kCheap on numbers cost next to nothing, and as much as others, kRun of each in turn.
constexpr int64_t kCheap = 1 << 20;
constexpr int64_t kRun = 20'000;

// weighed(number) -> number, and bytes: for some numbers many, or late.
Result<KernelPlan> PlanWeighed(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  return KernelPlan{{inputs[0], TensorSpec::Of(DType::kUint8, {-1})},
                    KernelFrom([](KernelContext*, Inputs in, Outputs out) {
                      const int64_t number = in[0]->scalar<int64_t>();
                      const bool cheap = number >= kCheap && (number - kCheap) / kRun % 2 == 0;
                      const uint64_t bits = cheap ? 1 : MixBits(static_cast<uint64_t>(number));
                      if (!cheap) Spin(bits % 50 == 0 ? 20'000 : bits % 500);
                      out[0].Set(*in[0]);
                      const int64_t size = bits % 11 == 0 ? kHuge : 1;
                      out[1].Allocate(DType::kUint8, Dims(&size, 1));
                      return Status::Ok();
                    })};
}

FASTPIPE_KERNEL("weighed", PlanWeighed);

Value WeighedFunction() {
  ProgramBuilder builder;
  const int number = builder.AddArg(TensorSpec::Scalar(DType::kInt64));
  auto slots = builder.AddKernel(Args("weighed"), {number}, "");
  REQUIRE(slots.ok());
  return Value{FunctionValue{builder.Finish(slots.value()), {}}};
}

// (start, stop) -> range(start, stop), weighed by a stage of its own.
Value RangeFunction(int64_t calls) {
  const TensorSpec number = TensorSpec::Scalar(DType::kInt64);
  ProgramBuilder builder;
  const int start = builder.AddArg(number);
  const int stop = builder.AddArg(number);
  const auto range = builder.AddDataset(
      Args("range", {{"start", Value{Slot{start, number}}}, {"stop", Value{Slot{stop, number}}}}),
      {}, "");
  REQUIRE(range.ok());
  Args map("map", {{"function", WeighedFunction()}});
  if (calls != 0) map.Set("num_parallel_calls", Value{calls});
  const auto mapped =
      builder.AddDataset(map, {Value{Slot{range.value(), builder.spec(range.value())}}}, "");
  REQUIRE(mapped.ok());
  return Value{FunctionValue{builder.Finish({mapped.value()}), {}}};
}

// Ranges of growing length, interleaved; `calls` 0: sequentially.
DatasetRef Interleaved(int64_t calls, int64_t cycle, int64_t block) {
  const auto range = [](int64_t start, int64_t step) {
    const int64_t stop = start + 40 * step;
    return Made("range", {{"start", Value{start}}, {"stop", Value{stop}}, {"step", Value{step}}},
                {});
  };
  std::map<std::string, Value, std::less<>> args{{"function", RangeFunction(calls)},
                                                 {"cycle_length", Value{cycle}},
                                                 {"block_length", Value{block}}};
  if (calls != 0) args.emplace("num_parallel_calls", Value{calls});
  return Made("interleave", std::move(args), {Made("zip", {}, {range(0, 1000), range(1, 1002)})});
}

std::vector<int64_t> NumbersOf(const DatasetRef& dataset, const std::shared_ptr<RunContext>& run) {
  auto iterator = dataset->MakeIterator({run, CancelToken::Root()});
  std::vector<int64_t> numbers;
  Element element;
  while (iterator->Next(&element).ok()) numbers.push_back(element[0].scalar<int64_t>());
  return numbers;
}

TEST_CASE("knobs: a map that leaves its threads and returns to them loses nothing") {
  const DatasetRef numbers =
      Made("range", {{"start", Value{kCheap}}, {"stop", Value{kCheap + 4 * kRun}}}, {});
  const DatasetRef dataset =
      Made("map", {{"function", WeighedFunction()}, {"num_parallel_calls", Value{kAutotune}}},
           {numbers});
  bool direct = false;
  for (int64_t pause : {2000, 1'000'000}) {
    std::string position;
    int64_t expected = kCheap;
    uint64_t random = 7;
    for (bool ended = false; !ended;) {
      auto run = NewRun(kPlenty);
      auto iterator = dataset->MakeIterator({run, CancelToken::Root()});
      if (!position.empty()) {
        PositionReader reader(position);
        REQUIRE(iterator->Restore(&reader).ok());
      }
      KnobTurner turner(run, random, pause);
      random = MixBits(random);
      Element element;
      for (uint64_t left = kRun + random % (2 * kRun); left > 0 && !ended; --left) {
        ended = !iterator->Next(&element).ok();
        if (!ended && element[0].scalar<int64_t>() != expected++) FAIL("not ", expected - 1);
        if (left % 500 == 0) {
          run->stages().ForEach([&](Stage* stage) { direct = direct || stage->direct; });
        }
      }
      PositionWriter writer;
      REQUIRE(iterator->Save(&writer).ok());
      position = writer.bytes();
    }
    CHECK(expected == kCheap + 4 * kRun);
  }
  // It depends on the machine, so it is no failure.
  WARN_MESSAGE(direct, "elements were never cheap enough");
}

TEST_CASE("knobs: interleave keeps its order, and each result, while they change") {
  for (int64_t cycle : {1, 3, 8}) {
    const int64_t block = cycle == 3 ? 5 : 1;
    const std::vector<int64_t> expected = NumbersOf(Interleaved(0, cycle, block), NewRun(kPlenty));
    REQUIRE(expected.size() == 40 * 40);
    for (int64_t ram_budget : {int64_t{1}, int64_t{8 * kHuge}, kPlenty}) {
      auto run = NewRun(ram_budget);
      KnobTurner turner(run, static_cast<uint64_t>(cycle));
      CHECK(NumbersOf(Interleaved(kAutotune, cycle, block), run) == expected);
    }
  }
}

TEST_CASE("knobs: interleave in free order loses nothing while they change") {
  std::vector<int64_t> expected = NumbersOf(Interleaved(0, 8, 1), NewRun(kPlenty));
  std::sort(expected.begin(), expected.end());
  for (int64_t ram_budget : {int64_t{1}, int64_t{8 * kHuge}, kPlenty}) {
    auto run = NewRun(ram_budget, /*deterministic=*/false);
    KnobTurner turner(run, 11);
    std::vector<int64_t> numbers = NumbersOf(Interleaved(kAutotune, 8, 1), run);
    std::sort(numbers.begin(), numbers.end());
    CHECK(numbers == expected);
  }
}

TEST_CASE("interleave: inners in free order that are empty are passed over without a wait") {
  // A consumer that is no Python thread waits until it is woken.
  const auto range = [](int64_t stop, int64_t step) {
    return Made("range", {{"stop", Value{stop}}, {"step", Value{step}}}, {});
  };
  // A hundred that are empty, and one of a thousand numbers.
  DatasetRef bounds = Made("zip", {}, {range(100, 1), range(100, 1)});
  const DatasetRef last =
      Made("zip", {},
           {range(1, 1),
            Made("range", {{"start", Value{int64_t{1000}}}, {"stop", Value{int64_t{1001}}}}, {})});
  bounds = Made("concatenate", {}, {bounds, last});
  for (int64_t cycle : {1, 2, 5}) {
    for (int round = 0; round < 20; ++round) {
      const DatasetRef dataset = Made("interleave",
                                      {{"function", RangeFunction(0)},
                                       {"cycle_length", Value{cycle}},
                                       {"num_parallel_calls", Value{int64_t{1}}}},
                                      {bounds});
      CHECK(NumbersOf(dataset, NewRun(kPlenty, /*deterministic=*/false)).size() == 1000);
    }
  }
}

}  // namespace
}  // namespace fastpipe
