// Window: the ordered hand-over of results from a stage's workers to its consumer.
//
// Contract: a worker reserves room, opens a chunk (its place in the order), computes without any
// lock, and publishes. The consumer takes chunks in the order in which they were opened, or
// first-published when order is free. At most `capacity` chunks are open or waiting, so a slow
// consumer stops the workers; the capacity is larger than the number of workers, so that one slow
// element does not idle the others.
// Thread rule: workers and one consumer; a Chunk belongs to the worker between Open and Publish,
// and to the consumer between Take and Recycle.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/cancel.h"
#include "core/element.h"
#include "core/mutex.h"
#include "core/stats.h"
#include "core/status.h"

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
    int64_t bytes = 0;
    std::unique_ptr<Checkpoint> checkpoint;  // before the first result, if one was taken
    bool published = false;
  };

  Window(bool ordered, StageStats* stats) : ordered_(ordered), stats_(stats) {}

  void set_capacity(int64_t chunks);
  // Bytes that chunks ready for the consumer may hold before workers wait; 0: no limit.
  void set_byte_limit(int64_t bytes);

  // Worker side.
  // Waits for room. False: the stage stops, or the input has ended.
  bool Reserve();
  // Takes the next place in the order. REQUIRES: reserved; the caller serialises Opens.
  Chunk* Open();
  void Publish(Chunk* chunk);
  // The input has no more: gives a reservation back, and ends the sequence after what is open.
  void Finish();

  // Consumer side.
  // The next chunk, or end of sequence, or Cancelled.
  Status Take(const CancelToken& token, std::unique_ptr<Chunk>* chunk);
  void Recycle(std::unique_ptr<Chunk> chunk);

  // Any thread: all waits end, workers get false from Reserve. Idempotent.
  void Stop();

 private:
  bool HasRoom() const REQUIRES(mutex_);
  std::deque<std::unique_ptr<Chunk>>::iterator FindReady() REQUIRES(mutex_);

  const bool ordered_;
  StageStats* const stats_;
  Mutex mutex_;
  CondVar room_;
  CondVar ready_;
  int64_t capacity_ GUARDED_BY(mutex_) = 1;
  int64_t byte_limit_ GUARDED_BY(mutex_) = 0;
  int64_t reserved_ GUARDED_BY(mutex_) = 0;  // reservations not yet taken by the consumer
  int64_t ready_bytes_ GUARDED_BY(mutex_) = 0;
  int64_t ready_chunks_ GUARDED_BY(mutex_) = 0;
  bool finished_ GUARDED_BY(mutex_) = false;
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool consumer_waits_ GUARDED_BY(mutex_) = false;
  int workers_waiting_ GUARDED_BY(mutex_) = 0;
  std::deque<std::unique_ptr<Chunk>> chunks_ GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Chunk>> spare_ GUARDED_BY(mutex_);
};

}  // namespace fastpipe
