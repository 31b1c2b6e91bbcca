// What a Pipeline tells of its run: the counters of its stages, and its budgets.

#include <algorithm>

#include "api.h"
#include "runtime/clock.h"

namespace fastpipe::api {
namespace {

StageReport ReportOf(Stage& stage, int64_t began_ns, int64_t ended_ns) {
  const StageStats& stats = stage.stats;
  const WorkerTotals time = stage.workers.Read(/*ask_linux=*/true);
  PhaseClock::Totals consumer{};
  stage.consumer.AddTo(&consumer);
  const int64_t end = ended_ns > 0 ? ended_ns : WallNanos();
  return {.label = stage.label,
          .op = reinterpret_cast<int64_t>(stage.op),
          .threads = stage.running_threads(),
          .window = stage.window.value(),
          .tuned = stage.threads.tunable() || stage.window.tunable(),
          .direct = stage.direct.load(std::memory_order_relaxed),
          .feeds_program = stage.last.load(std::memory_order_relaxed),
          .elements = StageStats::Get(stats.elements),
          .delivered = StageStats::Get(stats.delivered),
          .busy_ns = time[Phase::kCompute] + time[Phase::kPull],
          .cpu_ns = time.cpu_ns,
          .core_wait_ns = time.core_wait_ns,
          .input_wait_ns = time[Phase::kInput],
          .lock_wait_ns = time[Phase::kLock],
          .full_wait_ns = time[Phase::kRoom],
          .empty_wait_ns = consumer[static_cast<size_t>(Phase::kInput)],
          .buffered = StageStats::Get(stats.buffered),
          .buffered_bytes = StageStats::Get(stats.buffered_bytes),
          .byte_limit = stage.byte_limit(),
          .age_ns = std::max<int64_t>(end - std::max(stage.made_ns, began_ns), 0)};
}

}  // namespace

std::vector<StageReport> Pipeline::Stages() {
  std::vector<StageReport> reports;
  if (!CheckUsable().ok()) return reports;  // their threads and locks are the parent's
  CurrentRun()->stages().ForEach([&](Stage* stage) {
    reports.push_back(ReportOf(*stage, began_ns_.load(), ended_ns_.load()));
  });
  return reports;
}

RunOptions Pipeline::Budgets() {
  if (!CheckUsable().ok()) return WithBudgets(options_.run);
  return CurrentRun()->budgeted_options();
}

RunOptions BudgetsOf(const RunOptions& options) { return WithBudgets(options); }

}  // namespace fastpipe::api
