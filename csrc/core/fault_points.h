// Fault points and sync points: where a test makes a call fail or stall, or orders two threads.
//
// Contract: only test builds, which define FASTPIPE_FAULT_POINTS, hold any of it; elsewhere the
// macros are nothing. Include it in sources alone, never in a header: a test build compiles again
// just the sources that include it. FASTPIPE_FAULT(kRead) counts a call and is true if it must fail
// as errno says; a stall happens inside, and cannot be cancelled, as that of hung storage cannot.
// FASTPIPE_SYNC("window:before_publish") passes a named point.
// Thread rule: any thread. One that waits at a sync point keeps its locks: what it waits for must
// come without them.
#pragma once

#ifdef FASTPIPE_FAULT_POINTS

#include <cstdint>
#include <initializer_list>
#include <utility>

namespace fastpipe {

enum class FaultKind { kOpen, kRead, kStat, kAllocate, kStartThread, kDecode, kNew };
constexpr int kFaultKinds = 7;

struct Fault {
  int64_t first = 1;     // the call that it strikes, from 1
  int64_t times = 1;     // so many calls in a row
  int error = 0;         // what errno says then; 0: the calls do not fail
  int64_t stall_ns = 0;  // they wait so long first; -1: until ReleaseStalls
};

// Counts calls of `kind` anew, and lets `fault` strike.
void ArmFault(FaultKind kind, const Fault& fault);
// No fault strikes any more, nothing is stalled, all counts are 0.
void DisarmFaults();
// Lets go on what is stalled, now or later.
void ReleaseStalls();
// Calls of `kind` since it was armed, or since DisarmFaults.
int64_t FaultCalls(FaultKind kind);
bool FaultStrikes(FaultKind kind);
// From now on `new` of this thread is a call of kNew. Of Python's own threads it is not: memory
// that lacks there ends in code that others generate.
void LetNewFailHere();

// While it lives, a thread that comes to the second point of a pair waits until the first was
// passed. There is one at a time.
class SyncOrder {
 public:
  using Pair = std::pair<const char*, const char*>;
  SyncOrder(std::initializer_list<Pair> pairs);
  ~SyncOrder();
  SyncOrder(const SyncOrder&) = delete;
  SyncOrder& operator=(const SyncOrder&) = delete;
  // How often a point was passed so far.
  int64_t Passed(const char* point) const;
};
void PassSyncPoint(const char* point);

}  // namespace fastpipe

#define FASTPIPE_FAULT(kind) ::fastpipe::FaultStrikes(::fastpipe::FaultKind::kind)
#define FASTPIPE_SYNC(point) ::fastpipe::PassSyncPoint(point)
#define FASTPIPE_LET_NEW_FAIL() ::fastpipe::LetNewFailHere()

#else

#define FASTPIPE_FAULT(kind) false
#define FASTPIPE_SYNC(point) static_cast<void>(0)
#define FASTPIPE_LET_NEW_FAIL() static_cast<void>(0)

#endif
