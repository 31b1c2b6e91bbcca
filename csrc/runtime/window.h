// Window: the ordered hand-over of results from a stage's workers to its consumer.
//
// Contract: a worker reserves room, opens a chunk (its place in the order), computes without any
// lock, and publishes. The consumer takes chunks in the order in which they were opened, or
// first-published when order is free. At most `capacity` chunks are open or waiting, so a slow
// consumer stops the workers; the capacity is larger than the number of workers, so that one slow
// element does not idle the others. Results hold at most the stage's share of the memory budget,
// but for one chunk at a time: a single huge element must not hang. A worker may publish a chunk in
// pieces, when its consumer waits or memory gets scarce.
// Thread rule: workers and one consumer; a Chunk belongs to the worker between Open and Publish,
// and to the consumer between Take and Recycle.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/cancel.h"
#include "core/element.h"
#include "core/mutex.h"
#include "core/status.h"
#include "runtime/stage_registry.h"

namespace fastpipe {

struct StageResult {
  Status status;
  Element element;
};

// Where the input of a stage stood before some result.
struct Checkpoint {
  Status status;         // why there is none
  std::string position;  // of the input
};

class Window {
 public:
  struct Chunk {
    std::vector<StageResult> results;  // the first `size` are this chunk's
    size_t size = 0;
    int64_t bytes = 0;                       // of results computed; the first `counted` of them ...
    int64_t counted = 0;                     // ... are in the stage's buffered_bytes
    std::unique_ptr<Checkpoint> checkpoint;  // before the first result, if one was taken
    bool published = false;
  };

  // `stage` must outlive it.
  Window(bool ordered, Stage* stage) : ordered_(ordered), stage_(stage) {}

  // Workers that wait look around, see Reserve.
  void set_capacity(int64_t chunks);

  // Worker side.
  enum class Turn { kReserved, kKnobsChanged, kStop };
  // Waits for room. kKnobsChanged: there is none yet, but the worker may have to leave. kStop: the
  // stage stops, or the input has ended.
  Turn Reserve();
  // Takes the next place in the order, for a chunk with room for a result at least. Null if there
  // is no memory for it: then the reservation is given back, and the consumer gets the error.
  // REQUIRES: reserved; the caller serialises Opens.
  Chunk* Open();
  void Publish(Chunk* chunk);
  // Publishes the first `done` results; the others, not computed yet, are a new chunk behind them.
  // Null if there is no memory for one: then nothing has changed.
  Chunk* Split(Chunk* chunk, size_t done);
  // Gives the consumer an error that belongs to no result, and waits until it has taken it.
  // REQUIRES: the worker has no open chunk and no reservation.
  void Tell(Status error);
  // The consumer waits: it wants what is there rather than a full chunk.
  bool consumer_waits() const { return consumer_waits_.load(std::memory_order_relaxed); }
  // Counts bytes of an open chunk that are computed. False: memory is scarce, so the worker should
  // Split the chunk and call Admit before it computes more.
  bool Count(Chunk* chunk);
  // What a chunk costs of late, as one worker sees it.
  void set_cheap_chunks(bool cheap) { cheap_chunks_.store(cheap, std::memory_order_relaxed); }
  // Waits until there is memory, or the consumer has nothing before this chunk.
  void Admit(const Chunk* chunk);
  // The input has no more: gives a reservation back, and ends the sequence after what is open.
  void Finish();

  // Consumer side.
  // The next chunk, or end of sequence, or Cancelled.
  Status Take(const CancelToken& token, std::unique_ptr<Chunk>* chunk);
  void Recycle(std::unique_ptr<Chunk> chunk);
  // Lets no worker begin another chunk. Once all that were begun are taken, Take returns OK and no
  // chunk, and whatever the workers use is the consumer's alone until Resume.
  void Pause();
  void Resume();

  // Any thread: all waits end, workers get false from Reserve. Idempotent.
  void Stop();

 private:
  // A worker that waits for room, on its own stack.
  struct Parked {
    CondVar wake;
    bool parked = true;
  };

  bool HasRoom() const REQUIRES(mutex_);
  bool Drained() const REQUIRES(mutex_) { return paused_ && reserved_ == 0 && !finished_; }
  void WakeWorkers() REQUIRES(mutex_);
  void Unpark(int64_t count) REQUIRES(mutex_);
  void WakeAll() REQUIRES(mutex_);
  // Whether the consumer waits for it, to be woken without the lock.
  bool PublishLocked(Chunk* chunk) REQUIRES(mutex_);
  std::unique_ptr<Chunk> NewChunk(size_t results) REQUIRES(mutex_);
  std::deque<std::unique_ptr<Chunk>>::iterator FindReady() REQUIRES(mutex_);

  const bool ordered_;
  Stage* const stage_;
  std::atomic<bool> consumer_waits_{false};
  std::atomic<bool> cheap_chunks_{false};
  Mutex mutex_;
  CondVar admit_;
  CondVar ready_;
  CondVar told_;
  // The last to come is woken first: its memory is still in cache, and workers that are not needed
  // sleep undisturbed at the bottom.
  std::vector<Parked*> parked_ GUARDED_BY(mutex_);
  int64_t capacity_ GUARDED_BY(mutex_) = 1;
  int64_t reserved_ GUARDED_BY(mutex_) = 0;  // reservations not yet taken by the consumer
  int64_t ready_chunks_ GUARDED_BY(mutex_) = 0;
  bool finished_ GUARDED_BY(mutex_) = false;
  bool paused_ GUARDED_BY(mutex_) = false;
  bool stopping_ GUARDED_BY(mutex_) = false;
  Status error_ GUARDED_BY(mutex_);  // of Tell; OK: none
  int admits_waiting_ GUARDED_BY(mutex_) = 0;
  int64_t knobs_ GUARDED_BY(mutex_) = 0;  // changes so far
  std::deque<std::unique_ptr<Chunk>> chunks_ GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Chunk>> spare_ GUARDED_BY(mutex_);
};

}  // namespace fastpipe
