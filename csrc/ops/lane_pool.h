// LanePool: the open inner datasets of a parallel interleave, and the workers that read them ahead.
//
// Contract: every inner is a lane with a small buffer of its own. The workers serve the lane that
// the consumer will need first, a batch of results at a time, and open the next inners ahead, so
// that the wait for a file to open is hidden. The pool decides no order: the consumer moves lanes
// from the queue of opened ones into its slots and takes their batches when it likes. Thread rule:
// one consumer calls everything here; workers are inside. A method that waits returns Cancelled
// when the consumer's token is cancelled.
#pragma once

#include <atomic>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "ops/interleave.h"
#include "runtime/threads.h"
#include "runtime/window.h"

namespace fastpipe {

// What a worker read from one inner in one go.
struct Batch {
  std::vector<StageResult> results;
  std::unique_ptr<Checkpoint> checkpoint;  // of the inner, before the first result
  int64_t bytes = 0;
};

class Lane {
 public:
  Lane(int64_t sequence, Checkpoint before) : sequence(sequence), before(std::move(before)) {}

  const int64_t sequence;   // which result of the input it comes from
  const Checkpoint before;  // of the input, before that result

  // Consumer only.
  bool has_current() const { return next < current.results.size(); }
  Batch current;
  size_t next = 0;
  Checkpoint saved;   // where the inner stood ...
  int64_t since = 0;  // ... so many results ago

 private:
  friend class LanePool;
  // Guarded by the pool's mutex.
  bool pulling_ = true;  // its input is still being pulled
  bool busy_ = true;     // a worker has it
  bool done_ = false;    // no more batches will come
  bool failed_ = false;  // it could not be opened: its only result says why
  std::list<Batch> ready_;
  int64_t ready_results_ = 0;
  int64_t last_batch_ = 1;
  // The worker that made it busy.
  Element input_;
  int64_t number_ = 0;  // of input_ in the pass
  std::unique_ptr<Iterator> inner_;
  int64_t since_checkpoint_ = INT64_MAX;  // none taken yet
};

class LanePool {
 public:
  LanePool(const Interleave& op, const IteratorContext& consumer);
  ~LanePool();

  // Starts the workers, once.
  Status Start();

  // The slots: a cycle of lanes, and the one at hand.
  Lane* current();
  size_t cycle_index() const { return cycle_index_.load(std::memory_order_relaxed); }
  void set_cycle_index(size_t index) { cycle_index_.store(index, std::memory_order_relaxed); }
  void Advance() { set_cycle_index((cycle_index() + 1) % num_slots_); }
  int64_t open() const { return open_; }  // slots in use
  void FreeSlot();
  // Moves the next lane opened ahead into the slot at hand; `*filled` is false if there are no
  // more.
  Status FillSlot(bool* filled);
  // Waits until the lane at hand has a batch; if it is done, frees its slot: `*found` is false.
  Status AwaitBatch(bool* found);
  // Turns the cycle to the first lane that has a result, whichever that is; or end of sequence.
  Status AwaitAny();
  // A result was taken from the lane at hand. True if that lane had failed to open.
  bool Delivered();

  // Not while the workers run a pull of their own: REQUIRES not started, or says what is known.
  Status Save(InterleavePosition* saved);
  // REQUIRES: not started.
  Status Restore(const InterleavePosition& saved);

 private:
  // Consumer side.
  bool TakeFuture() REQUIRES(mutex_);
  void TakeBatch(Lane* lane) REQUIRES(mutex_);
  Status WaitForWorkers() REQUIRES(mutex_);

  // Worker side.
  void Work(int index);
  void WorkUntilTold(int index);
  Lane* PickLane() REQUIRES(mutex_);
  bool Runnable(const Lane& lane, bool urgent) const REQUIRES(mutex_);
  Lane* NewLane() REQUIRES(mutex_);
  bool Pull(Lane* lane);
  void Serve(Lane* lane, InnerOpener* opener);
  Status Open(Lane* lane, InnerOpener* opener);
  void FillBatch(Lane* lane, Batch* batch, bool* done);
  void NoteInput();
  void Tell(Status error);
  void Stop();

  const Interleave& op_;  // kept alive by the iterator that owns the pool
  const IteratorContext consumer_;
  const IteratorContext below_;
  const size_t num_slots_;
  std::unique_ptr<Iterator> input_;  // of the worker that pulls; of the consumer before the start
  Stage stage_;

  // Consumer only.
  bool started_ = false;
  int64_t open_ = 0;    // changed under the mutex
  int64_t pulled_ = 0;  // results of the input that have reached a slot

  std::atomic<size_t> cycle_index_{0};  // written by the consumer, a hint for the workers
  Mutex mutex_;
  CondVar work_;                                                 // workers wait here
  CondVar results_;                                              // the consumer waits here
  CondVar told_;                                                 // workers with an error wait here
  std::vector<std::unique_ptr<Lane>> slots_ GUARDED_BY(mutex_);  // only the consumer changes them
  std::deque<std::unique_ptr<Lane>> future_ GUARDED_BY(mutex_);  // opened ahead, in order
  int64_t lanes_ahead_ GUARDED_BY(mutex_) = 1;
  int64_t cycle_ GUARDED_BY(mutex_);  // slots that are filled
  bool pulling_ GUARDED_BY(mutex_) = false;
  bool input_ended_ GUARDED_BY(mutex_) = false;
  bool stopping_ GUARDED_BY(mutex_) = false;
  Status error_ GUARDED_BY(mutex_);  // of a worker, of no result; OK: none
  bool consumer_waits_ GUARDED_BY(mutex_) = false;
  int workers_waiting_ GUARDED_BY(mutex_) = 0;
  int64_t next_sequence_ GUARDED_BY(mutex_) = 0;
  Checkpoint next_input_ GUARDED_BY(mutex_);  // of the input, before the next pull

  ThreadGroup threads_;  // after everything the workers use
  const CancelToken::Waker waker_;
};

}  // namespace fastpipe
