#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/fault_points.h"
#include "io/descriptor.h"
#include "io/file_system.h"
#include "io/glob.h"

namespace fastpipe {
namespace {

// Linux reads at most 2 GiB at once; less keeps a cancelled read short.
constexpr size_t kMaxRead = size_t{64} << 20;
// Below this the kernel's default read-ahead covers the file, and advice costs a system call.
constexpr int64_t kAdviseFrom = 1 << 20;
constexpr int kPollMilliseconds = 50;

class PosixFile : public File {
 public:
  PosixFile(Descriptor fd, int64_t opened_size, std::string path,
            std::shared_ptr<CancelToken> cancel)
      : fd_(std::move(fd)),
        opened_size_(opened_size),
        path_(std::move(path)),
        cancel_(std::move(cancel)) {}

  Result<size_t> ReadAt(uint64_t offset, uint8_t* bytes, size_t size) override {
    for (;;) {
      FASTPIPE_RETURN_IF_ERROR(CheckCancelled());
      const ssize_t count = FASTPIPE_FAULT(kRead) ? -1
                                                  : pread(fd(), bytes, std::min(size, kMaxRead),
                                                          static_cast<off_t>(offset));
      if (count >= 0) return static_cast<size_t>(count);
      if (errno != EINTR) return ReadError(errno, offset);
    }
  }
  int64_t size() const override {
    struct stat info;
    return !FASTPIPE_FAULT(kStat) && fstat(fd(), &info) == 0 ? SizeOf(info) : -1;
  }
  int64_t opened_size() const override { return opened_size_; }
  // As size() says it.
  static int64_t SizeOf(const struct stat& info) {
    return S_ISREG(info.st_mode) && info.st_size > 0 ? info.st_size : -1;
  }
  const std::string& path() const override { return path_; }

 protected:
  int fd() const { return fd_.get(); }
  Status CheckCancelled() const {
    if (cancel_ && cancel_->cancelled()) return Cancelled("the iterator was closed");
    return Status::Ok();
  }
  Status ReadError(int error, uint64_t offset) const {
    return FromErrno(error, StrCat("cannot read at offset ", offset, " of"), path_);
  }

 private:
  const Descriptor fd_;
  const int64_t opened_size_;
  const std::string path_;
  const std::shared_ptr<CancelToken> cancel_;
};

// A pipe or a terminal: bytes come when they come, and only once. The descriptor does not block, so
// that a wait can be cancelled.
class PosixPipe final : public PosixFile {
 public:
  using PosixFile::PosixFile;

  Result<size_t> ReadAt(uint64_t offset, uint8_t* bytes, size_t size) override {
    if (offset < position_) {
      return FailedPrecondition(StrCat("'", path(), "' cannot be read again from offset ", offset,
                                       ": it is a pipe and stands at ", position_));
    }
    while (position_ < offset) {
      uint8_t dropped[4096];
      FASTPIPE_ASSIGN(const size_t count,
                      ReadNext(dropped, std::min<uint64_t>(sizeof(dropped), offset - position_)));
      if (count == 0) return size_t{0};
    }
    return ReadNext(bytes, size);
  }
  int64_t size() const override { return -1; }

 private:
  Result<size_t> ReadNext(uint8_t* bytes, size_t size) {
    for (;;) {
      FASTPIPE_RETURN_IF_ERROR(CheckCancelled());
      FASTPIPE_RETURN_IF_ERROR(CheckInterrupt());
      pollfd wanted{fd(), POLLIN, 0};
      // Before the first writer has come, read() would report the end of the pipe; poll() waits.
      if (poll(&wanted, 1, kPollMilliseconds) == 0) continue;
      const ssize_t count =
          FASTPIPE_FAULT(kRead) ? -1 : read(fd(), bytes, std::min(size, kMaxRead));
      if (count >= 0) {
        position_ += static_cast<uint64_t>(count);
        return static_cast<size_t>(count);
      }
      if (errno != EINTR && errno != EAGAIN) return ReadError(errno, position_);
    }
  }

  uint64_t position_ = 0;
};

class Posix final : public FileSystem {
 public:
  Result<std::unique_ptr<File>> Open(const std::string& path,
                                     std::shared_ptr<CancelToken> cancel) override {
    if (path.find('\0') != std::string::npos) {
      return InvalidArgument(StrCat("cannot open '", path, "': the path contains a NUL byte"));
    }
    int opened;
    do {
      opened = FASTPIPE_FAULT(kOpen)
                   ? -1
                   : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    } while (opened < 0 && errno == EINTR);
    if (opened < 0) return FromErrno(errno, "cannot open", path);
    Descriptor fd(opened);
    struct stat info;
    if (FASTPIPE_FAULT(kStat) || fstat(fd.get(), &info) != 0) {
      return FromErrno(errno, "cannot open", path);
    }
    if (S_ISDIR(info.st_mode)) return FromErrno(EISDIR, "cannot open", path);
    const int64_t size = PosixFile::SizeOf(info);
    if (S_ISREG(info.st_mode)) {
      if (info.st_size >= kAdviseFrom) posix_fadvise(fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
    } else if (lseek(fd.get(), 0, SEEK_CUR) < 0) {
      return std::make_unique<PosixPipe>(std::move(fd), size, path, std::move(cancel));
    }
    return std::make_unique<PosixFile>(std::move(fd), size, path, std::move(cancel));
  }
  Result<std::vector<std::string>> Glob(const std::string& pattern) override {
    return GlobPaths(pattern);
  }
};

}  // namespace

FileSystem* PosixFileSystem() {
  static Posix file_system;  // without state, so nothing is left to destroy
  return &file_system;
}

}  // namespace fastpipe
