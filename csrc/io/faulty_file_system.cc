#include <algorithm>
#include <atomic>

#include "core/mutex.h"
#include "io/file_system.h"
#include "io/stalled_calls.h"

namespace fastpipe {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<int64_t> stalled_calls{0};

// What all files of one faulty file system share.
class Disk {
 public:
  explicit Disk(const Faults& faults) : faults_(faults) {}
  Faults faults() const {
    MutexLock lock(mutex_);
    return faults_;
  }
  void set_faults(const Faults& faults) {
    MutexLock lock(mutex_);
    faults_ = faults;
    changed_.NotifyAll();
  }

  Status Open(const std::string& path, CancelToken* cancel) {
    const Faults faults = this->faults();
    FASTPIPE_RETURN_IF_ERROR(Sleep(faults.open_delay, cancel));
    const int64_t number = ++opens_;
    HangWhile(&Faults::stall_open, number);
    return FailIf(number == faults.fail_open, StrCat("open ", number), path);
  }
  Status Read(const std::string& path, uint64_t offset, CancelToken* cancel) {
    const Faults faults = this->faults();
    FASTPIPE_RETURN_IF_ERROR(Sleep(faults.read_delay, cancel));
    const int64_t number = ++reads_;
    HangWhile(&Faults::stall_read, number);
    return FailIf(number == faults.fail_read, StrCat("read ", number), path, offset);
  }
  // Waits until `size` more bytes have come through.
  Status Transfer(size_t size, CancelToken* cancel) {
    const Faults faults = this->faults();
    if (faults.bytes_per_second <= 0) return Status::Ok();
    const std::chrono::nanoseconds duration(static_cast<int64_t>(
        1e9 * static_cast<double>(size) / static_cast<double>(faults.bytes_per_second)));
    Clock::time_point done;
    {
      MutexLock lock(mutex_);
      busy_until_ = std::max(busy_until_, Clock::now()) + duration;
      done = busy_until_;
    }
    return Sleep(done - Clock::now(), cancel);
  }

 private:
  // Like a disk that does not answer: nothing is heard here of cancellation and signals.
  void HangWhile(int64_t Faults::* stall, int64_t number) {
    MutexLock lock(mutex_);
    if (faults_.*stall != number) return;
    ++stalled_calls;
    while (faults_.*stall == number) changed_.Wait(mutex_);
    --stalled_calls;
  }
  static Status Sleep(std::chrono::nanoseconds duration, CancelToken* cancel) {
    return duration.count() > 0 ? cancel->SleepFor(duration) : Status::Ok();
  }
  static Status FailIf(bool fail, const std::string& what, const std::string& path,
                       uint64_t offset = 0) {
    if (!fail) return Status::Ok();
    return Status(Code::kUnavailable, StrCat("injected fault: ", what, " failed, at offset ",
                                             offset, " of '", path, "'"));
  }

  std::atomic<int64_t> opens_{0};
  std::atomic<int64_t> reads_{0};
  mutable Mutex mutex_;
  CondVar changed_;
  Faults faults_ GUARDED_BY(mutex_);
  Clock::time_point busy_until_ GUARDED_BY(mutex_);
};

class FaultyFile final : public File {
 public:
  FaultyFile(std::unique_ptr<File> base, std::shared_ptr<Disk> disk,
             std::shared_ptr<CancelToken> cancel)
      : base_(std::move(base)), disk_(std::move(disk)), cancel_(std::move(cancel)) {}

  Result<size_t> ReadAt(uint64_t offset, uint8_t* bytes, size_t size) override {
    FASTPIPE_RETURN_IF_ERROR(disk_->Read(path(), offset, cancel_.get()));
    const size_t max_read = disk_->faults().max_read;
    if (max_read > 0) size = std::min(size, max_read);
    auto read = base_->ReadAt(offset, bytes, size);
    if (read.ok()) FASTPIPE_RETURN_IF_ERROR(disk_->Transfer(read.value(), cancel_.get()));
    return read;
  }
  int64_t size() const override { return base_->size(); }
  int64_t opened_size() const override { return base_->opened_size(); }
  const std::string& path() const override { return base_->path(); }

 private:
  const std::unique_ptr<File> base_;
  const std::shared_ptr<Disk> disk_;
  const std::shared_ptr<CancelToken> cancel_;
};

class SlowFileSystem final : public FaultyFileSystem {
 public:
  SlowFileSystem(FileSystem* base, const Faults& faults)
      : base_(base), disk_(std::make_shared<Disk>(faults)) {}

  Result<std::unique_ptr<File>> Open(const std::string& path,
                                     std::shared_ptr<CancelToken> cancel) override {
    if (!cancel) cancel = CancelToken::Root();
    FASTPIPE_RETURN_IF_ERROR(disk_->Open(path, cancel.get()));
    FASTPIPE_ASSIGN(std::unique_ptr<File> file, base_->Open(path, cancel));
    return std::make_unique<FaultyFile>(std::move(file), disk_, std::move(cancel));
  }
  void SetFaults(const Faults& faults) override { disk_->set_faults(faults); }
  Result<std::vector<std::string>> Glob(const std::string& pattern) override {
    return base_->Glob(pattern);
  }

 private:
  FileSystem* const base_;
  const std::shared_ptr<Disk> disk_;
};

}  // namespace

int64_t StalledCalls() { return stalled_calls.load(); }

std::unique_ptr<FaultyFileSystem> NewFaultyFileSystem(FileSystem* base, const Faults& faults) {
  return std::make_unique<SlowFileSystem>(base, faults);
}

}  // namespace fastpipe
