#include "io/open_files.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/fault_points.h"

namespace fastpipe {
namespace {

using Clock = std::chrono::steady_clock;

// A file that is being read comes free within this, unless its storage hangs.
constexpr std::chrono::seconds kPatience(10);
// Beyond half of the limit a file is opened only if none comes free within this.
constexpr std::chrono::seconds kPatienceWithinLimit(1);
// For descriptors that are on their way from one of our threads to another.
constexpr std::chrono::milliseconds kPatienceWithoutFiles(100);
constexpr std::chrono::milliseconds kLook(50);

rlim_t DescriptorLimit() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

size_t MostHeld() { return static_cast<size_t>(std::max<rlim_t>(DescriptorLimit() / 2, 1)); }

Status NoneLeft(int error, const std::string& what, const std::string& path, size_t held) {
  std::string reason;
  if (error == EMFILE) {
    reason = StrCat("all descriptors of the process are in use: RLIMIT_NOFILE is ",
                    DescriptorLimit(), ", and pipelines hold ", held,
                    "; raise it (ulimit -n, resource.setrlimit) or close files");
  } else {
    reason = StrCat("all descriptors of the system are in use (", std::strerror(error),
                    "): pipelines hold ", held, "; raise fs.file-max or close files");
  }
  return ResourceExhausted(StrCat(what, " '", path, "': ", reason));
}

bool SameFile(const struct stat& was, const struct stat& is) {
  return was.st_dev == is.st_dev && was.st_ino == is.st_ino && was.st_size == is.st_size &&
         was.st_mtim.tv_sec == is.st_mtim.tv_sec && was.st_mtim.tv_nsec == is.st_mtim.tv_nsec;
}

}  // namespace

int OpenToRead(const std::string& path) {
  if (FASTPIPE_FAULT(kOpen)) return -1;
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

// ---- one file ----

OpenFile::OpenFile(Descriptor fd, const struct stat& opened, std::string path)
    : path_(std::move(path)), opened_(opened), fd_(std::move(fd)) {
  OpenFiles::Get().Add(this);
  state_.store(State::kIdle);
}

OpenFile::~OpenFile() {
  // Closed behind the lock.
  const Descriptor closed = OpenFiles::Get().Remove(this);
}

Result<int> OpenFile::Borrow(CancelToken* cancel) {
  State expected = State::kIdle;
  // Otherwise it is closed, or just being closed.
  if (!state_.compare_exchange_strong(expected, State::kBorrowed)) {
    FASTPIPE_RETURN_IF_ERROR(Reopen(cancel));
  }
  used_.store(true, std::memory_order_relaxed);
  return fd_.get();
}

void OpenFile::Return() {
  state_.store(State::kIdle);
  if (OpenFiles::Get().waiting_.load() > 0) OpenFiles::Get().NotifyWaiting();
}

int64_t OpenFile::size() {
  State expected = State::kIdle;
  if (!state_.compare_exchange_strong(expected, State::kBorrowed)) return opened_.st_size;
  struct stat info;
  const bool known = fstat(fd_.get(), &info) == 0;
  Return();
  return known && info.st_size > 0 ? info.st_size : -1;
}

Status OpenFile::Reopen(CancelToken* cancel) {
  OpenFiles& files = OpenFiles::Get();
  // Until then it may be just being closed.
  files.NotifyWaiting();
  FASTPIPE_ASSIGN(Descriptor fd, files.Open([this] { return OpenToRead(path_); },
                                            "cannot open again", path_, cancel));
  struct stat info;
  if (FASTPIPE_FAULT(kStat) || fstat(fd.get(), &info) != 0) {
    return FromErrno(errno, "cannot open again", path_);
  }
  if (!SameFile(opened_, info)) {
    return DataLoss(StrCat("'", path_, "' was changed or replaced while it was read: it had ",
                           opened_.st_size, " bytes and has ", info.st_size,
                           ", or was written to. (It had been closed meanwhile, as the process is "
                           "short of descriptors)"));
  }
  fd_ = std::move(fd);
  state_.store(State::kBorrowed);
  files.Add(this);
  return Status::Ok();
}

// ---- all files ----

OpenFiles& OpenFiles::Get() {
  static OpenFiles* const files = std::make_unique<OpenFiles>().release();
  return *files;
}

Result<Descriptor> OpenFiles::Open(const std::function<int()>& open, const std::string& what,
                                   const std::string& path, CancelToken* cancel) {
  FASTPIPE_RETURN_IF_ERROR(Reserve(cancel));
  const Clock::time_point began = Clock::now();
  while (true) {
    errno = 0;
    const int opened = open();
    const int error = errno;
    if (opened >= 0) {
      Unreserve();
      return Descriptor(opened);
    }
    if (error == EINTR) continue;
    Status failure;
    if (error == EMFILE || error == ENFILE) {
      Result<bool> spared = Spare(began, cancel);
      if (spared.ok() && spared.value()) continue;
      failure = spared.ok() ? NoneLeft(error, what, path, held()) : std::move(spared.status());
    } else {
      failure = FromErrno(error, what, path);
    }
    Unreserve();
    return failure;
  }
}

size_t OpenFiles::held() {
  MutexLock lock(mutex_);
  return files_.size();
}

Status OpenFiles::Reserve(CancelToken* cancel) {
  const size_t most = MostHeld();
  Descriptor closed;  // behind the lock
  MutexLock lock(mutex_);
  if (files_.size() + reserved_ >= most) {
    const Clock::time_point deadline = Clock::now() + kPatienceWithinLimit;
    // Counted before the look, so that none comes free unnoticed after it.
    ++waiting_;
    Status status;
    while (status.ok() && files_.size() + reserved_ >= most && Clock::now() < deadline) {
      closed = CloseOne();
      if (closed.open()) break;
      status = WaitBriefly(cancel);
    }
    --waiting_;
    if (!status.ok()) return status;
  }
  ++reserved_;
  return Status::Ok();
}

Result<bool> OpenFiles::Spare(Clock::time_point began, CancelToken* cancel) {
  Descriptor closed;
  MutexLock lock(mutex_);
  ++waiting_;
  closed = CloseOne();
  Status status;
  if (!closed.open()) status = WaitBriefly(cancel);
  --waiting_;
  if (!status.ok()) return status;
  const Clock::duration patience =
      files_.empty() ? Clock::duration(kPatienceWithoutFiles) : Clock::duration(kPatience);
  return closed.open() || Clock::now() - began < patience;
}

Status OpenFiles::WaitBriefly(CancelToken* cancel) {
  changed_->WaitFor(mutex_, kLook);
  if (cancel != nullptr && cancel->cancelled()) return Cancelled("the iterator was closed");
  mutex_.Unlock();
  Status status = CheckInterrupt();
  mutex_.Lock();
  return status;
}

// One that nobody reads, and that was not read since the search came by it last.
Descriptor OpenFiles::CloseOne() {
  for (size_t tried = 0; tried < 2 * files_.size(); ++tried) {
    hand_ = hand_ + 1 < files_.size() ? hand_ + 1 : 0;
    OpenFile* file = files_[hand_];
    if (file->used_.exchange(false, std::memory_order_relaxed)) continue;
    OpenFile::State expected = OpenFile::State::kIdle;
    if (!file->state_.compare_exchange_strong(expected, OpenFile::State::kBorrowed)) continue;
    Descriptor fd = std::move(file->fd_);
    Unlist(file);
    file->state_.store(OpenFile::State::kClosed);
    return fd;
  }
  return Descriptor();
}

void OpenFiles::Add(OpenFile* file) {
  MutexLock lock(mutex_);
  file->index_ = files_.size();
  files_.push_back(file);
}

Descriptor OpenFiles::Remove(OpenFile* file) {
  MutexLock lock(mutex_);
  // Not those that are closed, nor those of a process that forked this one.
  if (file->index_ < files_.size() && files_[file->index_] == file) Unlist(file);
  if (waiting_.load() > 0) changed_->NotifyAll();
  return std::move(file->fd_);
}

void OpenFiles::Unlist(OpenFile* file) {
  files_.back()->index_ = file->index_;
  files_[file->index_] = files_.back();
  files_.pop_back();
}

void OpenFiles::Unreserve() {
  MutexLock lock(mutex_);
  if (reserved_ > 0) --reserved_;
  if (waiting_.load() > 0) changed_->NotifyAll();
}

void OpenFiles::NotifyWaiting() {
  MutexLock lock(mutex_);
  changed_->NotifyAll();
}

void OpenFiles::LockForFork() NO_THREAD_SAFETY_ANALYSIS { mutex_.Lock(); }

void OpenFiles::UnlockAfterFork(bool in_child) NO_THREAD_SAFETY_ANALYSIS {
  if (in_child) {
    files_.clear();
    reserved_ = 0;
    waiting_ = 0;
    static_cast<void>(changed_.release());
    changed_ = std::make_unique<CondVar>();
  }
  mutex_.Unlock();
}

}  // namespace fastpipe
