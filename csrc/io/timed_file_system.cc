#include "io/timed_file_system.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/guard.h"
#include "core/mutex.h"
#include "runtime/threads.h"

namespace fastpipe {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook(50);  // for cancellation and signals
// A call's bytes are copied once more, and stay behind with a call that hangs.
constexpr size_t kMostAtOnce = size_t{1} << 20;

std::atomic<int64_t> hung_calls{0};

// A call to storage. What it works on and writes to is in `work`, which lives as long as it.
struct Call {
  std::function<Status()> work;
  // Guarded by the mutex of the threads it runs on.
  enum class State { kWaiting, kRunning, kDone } state = State::kWaiting;
  bool hung = false;  // nobody waits for it
  Clock::time_point began{};
  Status status;
  CondVar changed;
};

// The threads that make calls.
class CallThreads {
 public:
  CallThreads(std::chrono::nanoseconds timeout, std::shared_ptr<CancelToken> cancel,
              const void* owner)
      : timeout_(timeout),
        threads_(
            "fp-storage", [this](int) { Work(); }, owner),
        waker_(std::move(cancel), [this] { Stop(); }) {}
  ~CallThreads() { Stop(); }

  // Makes the call and waits for it. `what` says what it does, for errors: "reading 'a' at offset
  // 0". After Cancelled it may be awaited again.
  Status Run(const std::shared_ptr<Call>& call, const std::string& what, CancelToken* cancel) {
    {
      MutexLock lock(mutex_);
      queue_.push_back(call);
      // The threads that hang are not among those that will take it.
      if (static_cast<int64_t>(queue_.size()) > idle_ && hung_ < kMostHung && !stopping_) {
        FASTPIPE_RETURN_IF_ERROR(threads_.Resize(threads_.size() + 1));
      }
      work_.NotifyOne();
    }
    return Await(call.get(), what, cancel);
  }

  Status Await(Call* call, const std::string& what, CancelToken* cancel) {
    MutexLock lock(mutex_);
    SetHung(call, false);
    while (call->state != Call::State::kDone) {
      Status status = StateOf(*call, what, cancel);
      if (!status.ok()) {
        SetHung(call, call->state == Call::State::kRunning);
        if (status.code() != Code::kCancelled) Forget(call);
        return status;
      }
      call->changed.WaitFor(mutex_, look_);
      mutex_.Unlock();
      status = CheckInterrupt();
      mutex_.Lock();
      if (!status.ok() && call->state != Call::State::kDone) {
        SetHung(call, call->state == Call::State::kRunning);
        return status;
      }
    }
    return Status(call->status);
  }

 private:
  // OK as long as the call is worth waiting for.
  Status StateOf(const Call& call, const std::string& what, CancelToken* cancel) REQUIRES(mutex_) {
    if (stopping_ || (cancel != nullptr && cancel->cancelled())) {
      return Cancelled("the iterator was closed");
    }
    if (call.state == Call::State::kRunning && Clock::now() - call.began >= timeout_) {
      char seconds[32];
      std::snprintf(seconds, sizeof(seconds), "%g", static_cast<double>(timeout_.count()) / 1e9);
      return DeadlineExceeded(
          StrCat(what, " took longer than Options.read_timeout = ", seconds, " seconds"));
    }
    if (call.state == Call::State::kWaiting && hung_ >= threads_.size()) {
      return DeadlineExceeded(StrCat(what, " was given up: ", hung_,
                                     " calls to storage hang, which is all there may be"));
    }
    return Status::Ok();
  }

  void SetHung(Call* call, bool hung) REQUIRES(mutex_) {
    if (std::exchange(call->hung, hung) == hung) return;
    hung_ += hung ? 1 : -1;
    hung_calls += hung ? 1 : -1;
  }
  // Takes a call that has not begun out of the queue.
  void Forget(Call* call) REQUIRES(mutex_) {
    std::erase_if(queue_, [call](const auto& each) { return each.get() == call; });
  }

  void Work() {
    MutexLock lock(mutex_);
    while (true) {
      ++idle_;
      while (queue_.empty() && !stopping_) work_.Wait(mutex_);
      --idle_;
      if (stopping_) return;
      const std::shared_ptr<Call> call = std::move(queue_.front());
      queue_.pop_front();
      call->state = Call::State::kRunning;
      call->began = Clock::now();
      mutex_.Unlock();
      Status status = Guarded([&] { return call->work(); });
      // Drops files and cancel tokens, which nobody does under a lock.
      call->work = nullptr;
      mutex_.Lock();
      call->state = Call::State::kDone;
      call->status = std::move(status);
      SetHung(call.get(), false);
      call->changed.NotifyAll();
    }
  }

  void Stop() {
    MutexLock lock(mutex_);
    stopping_ = true;
    work_.NotifyAll();
  }

  const std::chrono::nanoseconds timeout_;
  const std::chrono::nanoseconds look_ =
      std::clamp<std::chrono::nanoseconds>(timeout_, std::chrono::milliseconds(1), kLook);
  Mutex mutex_;
  CondVar work_;  // threads wait here
  std::deque<std::shared_ptr<Call>> queue_ GUARDED_BY(mutex_);
  int64_t idle_ GUARDED_BY(mutex_) = 0;
  int64_t hung_ GUARDED_BY(mutex_) = 0;
  bool stopping_ GUARDED_BY(mutex_) = false;
  ThreadGroup threads_;  // after everything they use
  const CancelToken::Waker waker_;
};

class TimedFile final : public File {
 public:
  TimedFile(std::shared_ptr<File> base, std::shared_ptr<CallThreads> threads,
            std::shared_ptr<CancelToken> cancel)
      : base_(std::move(base)),
        threads_(std::move(threads)),
        cancel_(std::move(cancel)),
        size_(base_->opened_size()) {}

  Result<size_t> ReadAt(uint64_t offset, uint8_t* bytes, size_t size) override {
    // One that hangs is still reading: nothing else may use the file.
    FASTPIPE_RETURN_IF_ERROR(Status(failure_));
    while (true) {
      const std::string what = StrCat("reading '", path(), "' at offset ", offset);
      Status status;
      if (reading_) {
        status = threads_->Await(reading_->call.get(), what, cancel_.get());
      } else {
        reading_ = Begin(offset, std::min(size, kMostAtOnce));
        status = threads_->Run(reading_->call, what, cancel_.get());
      }
      // A wait that was cancelled loses nothing: the next one goes on with the same call.
      if (status.code() == Code::kCancelled) return status;
      const std::shared_ptr<Reading> read = std::move(reading_);
      if (status.code() == Code::kDeadlineExceeded) failure_ = status;
      if (!status.ok()) return status;
      size_ = read->file_size;
      if (read->offset != offset) continue;
      const size_t count = std::min(read->count, size);
      std::memcpy(bytes, read->buffer->data(), count);
      return count;
    }
  }
  // As of the latest call.
  int64_t size() const override { return size_; }
  int64_t opened_size() const override { return base_->opened_size(); }
  const std::string& path() const override { return base_->path(); }

 private:
  struct Reading {
    std::shared_ptr<Call> call = std::make_shared<Call>();
    uint64_t offset = 0;
    BufferRef buffer;
    size_t count = 0;
    int64_t file_size = -1;
  };

  std::shared_ptr<Reading> Begin(uint64_t offset, size_t size) {
    auto reading = std::make_shared<Reading>();
    reading->offset = offset;
    reading->buffer = BufferPool::Get().Allocate(size);
    // The thread keeps what it uses, and the file that it reads, for itself.
    struct Work {
      std::shared_ptr<File> file;
      BufferRef buffer;
      std::weak_ptr<Reading> reading;
      uint64_t offset;
      size_t size;
    };
    reading->call->work = [work = Work{base_, reading->buffer, reading, offset, size}]() -> Status {
      FASTPIPE_ASSIGN(const size_t count,
                      work.file->ReadAt(work.offset, work.buffer->data(), work.size));
      const int64_t file_size = work.file->size();
      if (const auto result = work.reading.lock()) {
        result->count = count;
        result->file_size = file_size;
      }
      return Status::Ok();
    };
    return reading;
  }

  const std::shared_ptr<File> base_;
  const std::shared_ptr<CallThreads> threads_;
  const std::shared_ptr<CancelToken> cancel_;
  int64_t size_;
  std::shared_ptr<Reading> reading_;  // that has not been waited for to its end
  Status failure_;
};

class TimedFileSystem final : public FileSystem {
 public:
  TimedFileSystem(FileSystem* base, std::chrono::nanoseconds timeout,
                  std::shared_ptr<CancelToken> cancel, const void* owner)
      : base_(base), threads_(std::make_shared<CallThreads>(timeout, std::move(cancel), owner)) {}

  Result<std::unique_ptr<File>> Open(const std::string& path,
                                     std::shared_ptr<CancelToken> cancel) override {
    auto opened = std::make_shared<std::unique_ptr<File>>();
    auto call = std::make_shared<Call>();
    call->work = [base = base_, path, cancel, opened]() -> Status {
      FASTPIPE_ASSIGN(*opened, base->Open(path, cancel));
      return Status::Ok();
    };
    FASTPIPE_RETURN_IF_ERROR(threads_->Run(call, StrCat("opening '", path, "'"), cancel.get()));
    return std::make_unique<TimedFile>(std::shared_ptr<File>(std::move(*opened)), threads_,
                                       std::move(cancel));
  }

  Result<std::vector<std::string>> Glob(const std::string& pattern) override {
    auto found = std::make_shared<std::vector<std::string>>();
    auto call = std::make_shared<Call>();
    call->work = [base = base_, pattern, found]() -> Status {
      FASTPIPE_ASSIGN(*found, base->Glob(pattern));
      return Status::Ok();
    };
    FASTPIPE_RETURN_IF_ERROR(
        threads_->Run(call, StrCat("listing '", pattern, "'"), /*cancel=*/nullptr));
    return std::move(*found);
  }

 private:
  FileSystem* const base_;
  const std::shared_ptr<CallThreads> threads_;
};

}  // namespace

std::unique_ptr<FileSystem> NewTimedFileSystem(FileSystem* base, std::chrono::nanoseconds timeout,
                                               std::shared_ptr<CancelToken> cancel,
                                               const void* owner) {
  return std::make_unique<TimedFileSystem>(base, timeout, std::move(cancel), owner);
}

int64_t HungStorageCalls() { return hung_calls.load(); }

}  // namespace fastpipe
