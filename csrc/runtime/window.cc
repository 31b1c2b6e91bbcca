#include "runtime/window.h"

#include <algorithm>

#include "runtime/clock.h"

namespace fastpipe {

void Window::set_capacity(int64_t chunks) {
  MutexLock lock(mutex_);
  capacity_ = std::max<int64_t>(chunks, 1);
  room_.NotifyAll();
}

void Window::set_byte_limit(int64_t bytes) {
  MutexLock lock(mutex_);
  byte_limit_ = bytes;
  room_.NotifyAll();
}

bool Window::HasRoom() const {
  if (reserved_ >= capacity_) return false;
  // Over the byte limit one chunk at a time still passes: a single huge element must not hang.
  return byte_limit_ == 0 || ready_bytes_ < byte_limit_ || ready_chunks_ == 0;
}

bool Window::Reserve() {
  MutexLock lock(mutex_);
  if (!stopping_ && !finished_ && !HasRoom()) {
    Stopwatch stopwatch;
    ++workers_waiting_;
    while (!stopping_ && !finished_ && !HasRoom()) room_.Wait(mutex_);
    --workers_waiting_;
    StageStats::Add(stats_->full_wait_ns, stopwatch.Lap());
  }
  if (stopping_ || finished_) return false;
  ++reserved_;
  return true;
}

Window::Chunk* Window::Open() {
  MutexLock lock(mutex_);
  if (spare_.empty()) {
    chunks_.push_back(std::make_unique<Chunk>());
  } else {
    chunks_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  return chunks_.back().get();
}

void Window::Publish(Chunk* chunk) {
  MutexLock lock(mutex_);
  chunk->published = true;
  ready_bytes_ += chunk->bytes;
  ++ready_chunks_;
  StageStats::Add(stats_->buffered, static_cast<int64_t>(chunk->size));
  StageStats::Add(stats_->buffered_bytes, chunk->bytes);
  if (consumer_waits_ && (!ordered_ || chunks_.front().get() == chunk)) ready_.NotifyOne();
}

void Window::Finish() {
  MutexLock lock(mutex_);
  --reserved_;
  finished_ = true;
  room_.NotifyAll();
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
  MutexLock lock(mutex_);
  auto ready = FindReady();
  if (ready == chunks_.end()) {
    Stopwatch stopwatch;
    consumer_waits_ = true;
    Status status;
    while ((ready = FindReady()) == chunks_.end() && !(finished_ && chunks_.empty())) {
      status = stopping_ ? Cancelled("the iterator was closed") : WaitOnce(ready_, mutex_, token);
      if (!status.ok()) break;
    }
    consumer_waits_ = false;
    StageStats::Add(stats_->empty_wait_ns, stopwatch.Lap());
    FASTPIPE_RETURN_IF_ERROR(std::move(status));
    if (ready == chunks_.end()) return Status::EndOfSequence();
  }
  *chunk = std::move(*ready);
  chunks_.erase(ready);
  ready_bytes_ -= (*chunk)->bytes;
  --ready_chunks_;
  --reserved_;
  if (workers_waiting_ > 0) room_.NotifyOne();
  return Status::Ok();
}

void Window::Recycle(std::unique_ptr<Chunk> chunk) {
  StageStats::Add(stats_->delivered, static_cast<int64_t>(chunk->size));
  StageStats::Add(stats_->buffered, -static_cast<int64_t>(chunk->size));
  StageStats::Add(stats_->buffered_bytes, -chunk->bytes);
  chunk->size = 0;
  chunk->bytes = 0;
  chunk->checkpoint.reset();
  chunk->published = false;
  MutexLock lock(mutex_);
  spare_.push_back(std::move(chunk));
}

void Window::Stop() {
  MutexLock lock(mutex_);
  stopping_ = true;
  room_.NotifyAll();
  ready_.NotifyAll();
}

}  // namespace fastpipe
