// OpenFiles: how many files this process reads at once, whatever the pipelines hold.
//
// Contract: files are read by position, so that one which nobody reads at the moment can give its
// descriptor back and be opened again when it is needed. Files that are held open together fill at
// most half of RLIMIT_NOFILE, and less if the program itself needs the rest: then the one that was
// not read for longest is closed first. Where all are being read, who opens waits for one of them.
// A descriptor is only ever held by a call that returns it, so nobody waits for himself.
// Thread rule: any thread. No lock is held while a file is opened, read or closed.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/cancel.h"
#include "core/mutex.h"
#include "core/status.h"
#include "io/descriptor.h"

namespace fastpipe {

// open(2) for reading; waits for nobody at the other end of a pipe.
int OpenToRead(const std::string& path);

// A regular file that is read by position, and may be closed and opened again in between.
// Thread rule: used by one thread at a time.
class OpenFile {
 public:
  // Takes charge of a descriptor that OpenFiles::Open gave.
  OpenFile(Descriptor fd, const struct stat& opened, std::string path);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  // The descriptor, which stays open until Return. Opens the file again if need be; DataLoss if it
  // is not the file that it was.
  Result<int> Borrow(CancelToken* cancel);
  void Return();
  // The size as of now; that when it was opened while it is closed.
  int64_t size();
  const std::string& path() const { return path_; }

 private:
  friend class OpenFiles;
  enum class State { kIdle, kBorrowed, kClosed };
  Status Reopen(CancelToken* cancel);

  const std::string path_;
  const struct stat opened_;
  std::atomic<State> state_{State::kBorrowed};
  std::atomic<bool> used_{true};  // since the last look for one to close
  // Changed by whoever took state_ out of kIdle.
  Descriptor fd_;
  size_t index_ = 0;  // in OpenFiles::files_, while it is open
};

class OpenFiles {
 public:
  static OpenFiles& Get();

  // What `open` returns, a descriptor, closing others and waiting for it as far as need be;
  // otherwise its errno as the error "`what` `path`: ...". `cancel` may be null.
  Result<Descriptor> Open(const std::function<int()>& open, const std::string& what,
                          const std::string& path, CancelToken* cancel);
  // Files that are open at present.
  size_t held();
  // Around a fork. The files of the parent are no business of the child.
  void LockForFork();
  void UnlockAfterFork(bool in_child);

 private:
  friend class OpenFile;
  Status Reserve(CancelToken* cancel);
  // Waits for a descriptor after `open` found none. False if there is no point in waiting longer.
  Result<bool> Spare(std::chrono::steady_clock::time_point began, CancelToken* cancel);
  Status WaitBriefly(CancelToken* cancel) REQUIRES(mutex_);
  Descriptor CloseOne() REQUIRES(mutex_);
  void Add(OpenFile* file);
  Descriptor Remove(OpenFile* file);
  void Unlist(OpenFile* file) REQUIRES(mutex_);
  void Unreserve();
  // Something changed that one who waits for a descriptor may want to see.
  void NotifyWaiting();

  Mutex mutex_;
  std::unique_ptr<CondVar> changed_ = std::make_unique<CondVar>();
  std::vector<OpenFile*> files_ GUARDED_BY(mutex_);
  size_t reserved_ GUARDED_BY(mutex_) = 0;  // for files that are being opened
  size_t hand_ GUARDED_BY(mutex_) = 0;      // where the search for one to close goes on
  std::atomic<int> waiting_{0};             // changed under the lock
};

}  // namespace fastpipe
