#include "runtime/window.h"

#include <algorithm>
#include <utility>

#include "core/fault_points.h"
#include "core/guard.h"

namespace fastpipe {

void Window::set_capacity(int64_t chunks) {
  MutexLock lock(mutex_);
  capacity_ = std::max<int64_t>(chunks, 1);
  ++knobs_;
  WakeAll();
}

bool Window::HasRoom() const {
  return !paused_ && error_.ok() && reserved_ < capacity_ &&
         (reserved_ == 0 || stage_->HasMemory());
}

Window::Turn Window::Reserve() {
  MutexLock lock(mutex_);
  const int64_t knobs = knobs_;
  bool woken = false;
  while (!stopping_ && !finished_ && !HasRoom()) {
    if (knobs_ != knobs) return Turn::kKnobsChanged;
    Parked self;
    parked_.push_back(&self);
    while (self.parked) self.wake.Wait(mutex_);
    woken = true;
  }
  if (stopping_ || finished_) return Turn::kStop;
  ++reserved_;
  // The consumer woke one, and that one wakes the others: waking takes longer than taking a result.
  if (woken && HasRoom()) Unpark(std::min<int64_t>(2, capacity_ - reserved_));
  return Turn::kReserved;
}

void Window::Unpark(int64_t count) {
  for (; count > 0 && !parked_.empty(); --count) {
    parked_.back()->parked = false;
    parked_.back()->wake.NotifyOne();
    parked_.pop_back();
  }
}

void Window::WakeAll() {
  Unpark(static_cast<int64_t>(parked_.size()));
  admit_.NotifyAll();
}

std::unique_ptr<Window::Chunk> Window::NewChunk(size_t results) {
  std::unique_ptr<Chunk> chunk;
  if (spare_.empty()) {
    chunk = std::make_unique<Chunk>();
  } else {
    chunk = std::move(spare_.back());
    spare_.pop_back();
  }
  if (chunk->results.size() < results) chunk->results.resize(results);
  return chunk;
}

Window::Chunk* Window::Open() {
  MutexLock lock(mutex_);
  Status status = Guarded([&]() NO_THREAD_SAFETY_ANALYSIS {
    chunks_.push_back(NewChunk(1));
    return Status::Ok();
  });
  if (status.ok()) return chunks_.back().get();
  --reserved_;
  if (error_.ok()) error_ = std::move(status);
  ready_.NotifyAll();
  return nullptr;
}

void Window::Tell(Status error) {
  MutexLock lock(mutex_);
  if (error_.ok()) error_ = std::move(error);
  ready_.NotifyAll();
  while (!stopping_ && !error_.ok()) told_.Wait(mutex_);
}

void Window::Publish(Chunk* chunk) {
  FASTPIPE_SYNC("window:before_publish");
  static_cast<void>(Count(chunk));
  bool awaited;
  {
    MutexLock lock(mutex_);
    awaited = PublishLocked(chunk);
  }
  FASTPIPE_SYNC("window:published");
  // Woken while the lock is held, the consumer would but wait for the lock.
  if (awaited) ready_.NotifyOne();
}

bool Window::PublishLocked(Chunk* chunk) {
  chunk->published = true;
  ++ready_chunks_;
  StageStats::Add(stage_->stats.buffered, static_cast<int64_t>(chunk->size));
  return consumer_waits() && (!ordered_ || chunks_.front().get() == chunk);
}

Window::Chunk* Window::Split(Chunk* chunk, size_t done) {
  static_cast<void>(Count(chunk));
  Chunk* rest = nullptr;
  bool awaited;
  {
    MutexLock lock(mutex_);
    const auto place = std::find_if(chunks_.begin(), chunks_.end(),
                                    [chunk](const auto& each) { return each.get() == chunk; });
    const Status status = Guarded([&]() NO_THREAD_SAFETY_ANALYSIS {
      rest = chunks_.insert(place + 1, NewChunk(chunk->size - done))->get();
      return Status::Ok();
    });
    if (!status.ok()) return nullptr;
    ++reserved_;
    rest->size = chunk->size - done;
    for (size_t i = 0; i < rest->size; ++i) {
      rest->results[i].status = std::move(chunk->results[done + i].status);
    }
    chunk->size = done;
    awaited = PublishLocked(chunk);
  }
  if (awaited) ready_.NotifyOne();
  return rest;
}

bool Window::Count(Chunk* chunk) {
  const int64_t more = chunk->bytes - chunk->counted;
  if (more == 0) return true;
  chunk->counted = chunk->bytes;
  StageStats::Add(stage_->stats.buffered_bytes, more);
  stage_->NotePiece(more);
  return stage_->HasMemory();
}

void Window::Admit(const Chunk* chunk) {
  MutexLock lock(mutex_);
  const auto awaited = [&]() REQUIRES(mutex_) {
    if (ordered_) return chunks_.front().get() == chunk;
    return ready_chunks_ == 0;
  };
  ++admits_waiting_;
  while (!stopping_ && !stage_->HasMemory() && !awaited()) admit_.Wait(mutex_);
  --admits_waiting_;
}

void Window::Finish() {
  MutexLock lock(mutex_);
  --reserved_;
  finished_ = true;
  WakeAll();
  ready_.NotifyAll();
}

std::deque<std::unique_ptr<Window::Chunk>>::iterator Window::FindReady() {
  if (ordered_) {
    return !chunks_.empty() && chunks_.front()->published ? chunks_.begin() : chunks_.end();
  }
  return std::find_if(chunks_.begin(), chunks_.end(),
                      [](const auto& chunk) { return chunk->published; });
}

Status Window::Take(const CancelToken& token, std::unique_ptr<Chunk>* chunk) {
  FASTPIPE_SYNC("window:before_take");
  MutexLock lock(mutex_);
  auto ready = FindReady();
  if (ready == chunks_.end() && !Drained() && error_.ok()) {
    Status status;
    {
      InputWait wait(&stage_->consumer);
      stage_->last.store(!wait.by_worker(), std::memory_order_relaxed);
      consumer_waits_.store(true, std::memory_order_relaxed);
      while ((ready = FindReady()) == chunks_.end() && !(finished_ && chunks_.empty()) &&
             !Drained() && error_.ok()) {
        status = stopping_ ? Cancelled("the iterator was closed") : WaitOnce(ready_, mutex_, token);
        if (!status.ok()) break;
      }
      consumer_waits_.store(false, std::memory_order_relaxed);
    }
    FASTPIPE_RETURN_IF_ERROR(std::move(status));
    if (ready == chunks_.end() && !Drained() && error_.ok()) return Status::EndOfSequence();
  }
  if (!error_.ok()) {
    told_.NotifyAll();
    WakeAll();
    return std::exchange(error_, Status());
  }
  if (ready == chunks_.end()) return Status::Ok();
  *chunk = std::move(*ready);
  chunks_.erase(ready);
  --ready_chunks_;
  --reserved_;
  WakeWorkers();
  return Status::Ok();
}

void Window::Recycle(std::unique_ptr<Chunk> chunk) {
  StageStats::Add(stage_->stats.delivered, static_cast<int64_t>(chunk->size));
  StageStats::Add(stage_->stats.buffered, -static_cast<int64_t>(chunk->size));
  StageStats::Add(stage_->stats.buffered_bytes, -chunk->counted);
  const bool held_memory = chunk->counted > 0;
  chunk->size = 0;
  chunk->bytes = chunk->counted = 0;
  chunk->checkpoint.reset();
  chunk->published = false;
  MutexLock lock(mutex_);
  // Without memory to remember it by, it is no spare one.
  static_cast<void>(Guarded([&]() NO_THREAD_SAFETY_ANALYSIS {
    spare_.push_back(std::move(chunk));
    return Status::Ok();
  }));
  if (held_memory) WakeWorkers();
}

// Workers that were woken one by one, for each result that is taken, would cost the consumer more
// than the results. So they sleep on until a part of the window is free; what is left in the other
// part keeps the consumer busy meanwhile. Cheap chunks are computed sooner than a thread wakes up.
void Window::WakeWorkers() {
  const int64_t part = cheap_chunks_.load(std::memory_order_relaxed) ? 2 : 4;
  if (admits_waiting_ > 0) {
    WakeAll();  // each waits for a chunk of its own to be the next
  } else if (reserved_ <= capacity_ - capacity_ / part) {
    Unpark(1);
  }
}

void Window::Pause() {
  MutexLock lock(mutex_);
  paused_ = true;
}

void Window::Resume() {
  MutexLock lock(mutex_);
  paused_ = false;
  WakeAll();
}

void Window::Stop() {
  MutexLock lock(mutex_);
  stopping_ = true;
  WakeAll();
  told_.NotifyAll();
  ready_.NotifyAll();
}

}  // namespace fastpipe
