#include <doctest/doctest.h>

#include <cerrno>

#include "core/buffer.h"
#include "core/fault_points.h"
#include "core/guard.h"
#include "core/status.h"
#include "runtime/threads.h"

namespace fastpipe {
namespace {

// Nothing is armed afterwards, whatever a test did.
struct Disarmed {
  ~Disarmed() { DisarmFaults(); }
};

TEST_CASE("fault points: the k-th calls of their kind fail with the errno asked for") {
  const Disarmed disarmed;
  ArmFault(FaultKind::kRead, {.first = 3, .times = 2, .error = EIO});
  for (int call = 1; call <= 6; ++call) {
    errno = 0;
    const bool struck = FaultStrikes(FaultKind::kRead);
    CHECK(struck == (call == 3 || call == 4));
    CHECK(errno == (struck ? EIO : 0));
    CHECK_FALSE(FaultStrikes(FaultKind::kOpen));
  }
  CHECK(FaultCalls(FaultKind::kRead) == 6);
  DisarmFaults();
  CHECK(FaultCalls(FaultKind::kRead) == 0);
}

TEST_CASE("fault points: a stalled call goes on when it is released, and then succeeds") {
  const Disarmed disarmed;
  ArmFault(FaultKind::kOpen, {.stall_ns = -1});
  bool struck = true;
  ThreadGroup stalled("test", [&](int) { struck = FaultStrikes(FaultKind::kOpen); });
  REQUIRE(stalled.Resize(1).ok());
  ReleaseStalls();
  stalled.Join();
  CHECK_FALSE(struck);
}

TEST_CASE("fault points: an allocation that fails is out of memory, and the next one is not") {
  const Disarmed disarmed;
  ArmFault(FaultKind::kAllocate, {.error = ENOMEM});
  const auto allocate = [] {
    return Guarded([] {
      static_cast<void>(BufferPool::Get().Allocate(100));
      return Status::Ok();
    });
  };
  CHECK(allocate().code() == Code::kResourceExhausted);
  CHECK(allocate().ok());
}

TEST_CASE("fault points: a thread that cannot be had is an error, and gives its place back") {
  const Disarmed disarmed;
  const int before = ThreadBudget::Get().running();
  ArmFault(FaultKind::kStartThread, {.error = EAGAIN});
  ThreadGroup group("test", [](int) {});
  CHECK(group.Resize(1).code() == Code::kResourceExhausted);
  CHECK(ThreadBudget::Get().running() == before);
  CHECK(group.Resize(1).ok());
}

TEST_CASE("fault points: who comes to the later point waits for the earlier one") {
  const SyncOrder order{{"test:first", "test:second"}};
  ThreadGroup second("test", [](int) { PassSyncPoint("test:second"); });
  REQUIRE(second.Resize(1).ok());
  CHECK(order.Passed("test:second") == 0);
  PassSyncPoint("test:first");
  second.Join();
  CHECK(order.Passed("test:second") == 1);
}

}  // namespace
}  // namespace fastpipe
