#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/mutex.h"
#include "io/timed_file_system.h"
#include "runtime/threads.h"

namespace fastpipe {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

// Storage that holds "0123456789" under every name. What hangs does so until it is released.
class Storage final : public FileSystem {
 public:
  Result<std::unique_ptr<File>> Open(const std::string& path,
                                     std::shared_ptr<CancelToken>) override {
    HangIf(path.find("open") != std::string::npos);
    if (path == "missing") return NotFound("there is no 'missing'");
    return std::make_unique<Content>(this, path);
  }
  Result<std::vector<std::string>> Glob(const std::string& pattern) override {
    HangIf(pattern.find("list") != std::string::npos);
    return std::vector<std::string>{"a", "b"};
  }
  void Release() {
    MutexLock lock(mutex_);
    released_ = true;
    changed_.NotifyAll();
  }
  void AwaitHanging(int count) {
    MutexLock lock(mutex_);
    while (hanging_ < count) changed_.Wait(mutex_);
  }

 private:
  class Content final : public File {
   public:
    Content(Storage* storage, std::string path) : storage_(storage), path_(std::move(path)) {}
    Result<size_t> ReadAt(uint64_t offset, uint8_t* bytes, size_t size) override {
      if (path_ == "bad") return DataLoss("'bad' cannot be read");
      storage_->HangIf(path_.find("read") != std::string::npos && offset == 4);
      const std::string_view all = "0123456789";
      const std::string_view part =
          all.substr(std::min<size_t>(offset, 10), std::min<size_t>(size, 4));
      std::memcpy(bytes, part.data(), part.size());
      return part.size();
    }
    int64_t size() const override { return 10; }
    int64_t opened_size() const override { return 10; }
    const std::string& path() const override { return path_; }

   private:
    Storage* const storage_;
    const std::string path_;
  };

  void HangIf(bool hang) {
    MutexLock lock(mutex_);
    if (!hang) return;
    ++hanging_;
    changed_.NotifyAll();
    while (!released_) changed_.Wait(mutex_);
    --hanging_;
  }

  Mutex mutex_;
  CondVar changed_;
  bool released_ GUARDED_BY(mutex_) = false;
  int hanging_ GUARDED_BY(mutex_) = 0;
};

// A timed file system over that storage, which lets go what hangs in the end.
class Timed {
 public:
  explicit Timed(std::chrono::nanoseconds timeout)
      : files_(NewTimedFileSystem(&storage_, timeout, cancel_, this)) {}
  ~Timed() {
    cancel_->Cancel();
    storage_.Release();
    CHECK(ThreadBudget::Get().AwaitNone(this, minutes(1)));
    files_.reset();
    CHECK(HungStorageCalls() == 0);
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

  FileSystem* operator->() { return files_.get(); }
  Storage& storage() { return storage_; }
  std::shared_ptr<CancelToken> cancel() { return cancel_; }
  std::string Read(const std::string& path) {
    auto file = files_->Open(path, cancel_);
    if (!file.ok()) return file.status().ToString();
    std::string text;
    while (true) {
      uint8_t bytes[100];
      auto count = file.value()->ReadAt(text.size(), bytes, sizeof(bytes));
      if (!count.ok()) return count.status().ToString();
      if (count.value() == 0) return text;
      text.append(reinterpret_cast<const char*>(bytes), count.value());
    }
  }

 private:
  Storage storage_;
  const std::shared_ptr<CancelToken> cancel_ = CancelToken::Root();
  std::unique_ptr<FileSystem> files_;
};

TEST_CASE("timed storage: what answers in time is what it was") {
  Timed timed{minutes(1)};
  CHECK(timed.Read("a") == "0123456789");
  CHECK(timed.Read("missing") == "there is no 'missing'");
  CHECK(timed.Read("bad") == "'bad' cannot be read");
  CHECK(timed->Glob("*").value() == std::vector<std::string>{"a", "b"});
  const auto file = std::move(timed->Open("a", timed.cancel()).value());
  CHECK(file->size() == 10);
  CHECK(file->opened_size() == 10);
}

TEST_CASE("timed storage: a read that hangs names file, offset and time, and others go on") {
  Timed timed{milliseconds(20)};
  CHECK(timed.Read("read") ==
        "reading 'read' at offset 4 took longer than Options.read_timeout = 0.02 seconds");
  CHECK(HungStorageCalls() == 1);
  CHECK(timed.Read("a") == "0123456789");
}

TEST_CASE("timed storage: an open or a listing that hangs is left behind alike") {
  Timed timed{milliseconds(20)};
  CHECK(timed.Read("open") ==
        "opening 'open' took longer than Options.read_timeout = 0.02 seconds");
  CHECK(timed->Glob("list*").status().code() == Code::kDeadlineExceeded);
  CHECK(HungStorageCalls() == 2);
}

TEST_CASE("timed storage: a file that hung says so again, and nobody else uses it") {
  Timed timed{milliseconds(20)};
  const auto file = std::move(timed->Open("read", timed.cancel()).value());
  uint8_t bytes[4];
  CHECK(file->ReadAt(4, bytes, 4).status().code() == Code::kDeadlineExceeded);
  timed.storage().Release();
  CHECK(file->ReadAt(0, bytes, 4).status().code() == Code::kDeadlineExceeded);
}

TEST_CASE("timed storage: calls that hang are bounded, and after them all fail at once") {
  Timed timed{milliseconds(1)};
  for (int64_t i = 0; i < kMostHung; ++i) {
    REQUIRE(timed->Open("open", timed.cancel()).status().code() == Code::kDeadlineExceeded);
  }
  CHECK(HungStorageCalls() == kMostHung);
  const int threads = ThreadBudget::Get().running();
  const Status refused = std::move(timed->Open("open", timed.cancel()).status());
  CHECK(refused.message().find("calls to storage hang") != std::string::npos);
  CHECK(HungStorageCalls() == kMostHung);
  CHECK(ThreadBudget::Get().running() == threads);
}

TEST_CASE("timed storage: closing ends the wait for a call") {
  Timed timed{minutes(10)};
  Code code = Code::kOk;
  ThreadGroup reader("reader",
                     [&](int) { code = timed->Open("open", timed.cancel()).status().code(); });
  REQUIRE(reader.Resize(1).ok());
  timed.storage().AwaitHanging(1);
  timed.cancel()->Cancel();
  reader.Join();
  CHECK(code == Code::kCancelled);
}

TEST_CASE("timed storage: a wait that a signal ended loses nothing") {
  Timed timed{minutes(10)};
  const auto file = std::move(timed->Open("read", timed.cancel()).value());
  uint8_t bytes[4] = {};
  const InterruptHook before = SwapThreadInterruptHook([] { return true; });
  CHECK(file->ReadAt(4, bytes, 4).status().code() == Code::kCancelled);
  SwapThreadInterruptHook(before);
  CHECK(HungStorageCalls() == 1);
  timed.storage().Release();
  const auto count = file->ReadAt(4, bytes, 4);
  REQUIRE(count.ok());
  CHECK(std::string(reinterpret_cast<const char*>(bytes), count.value()) == "4567");
}

}  // namespace
}  // namespace fastpipe
