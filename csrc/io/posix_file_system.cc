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
#include "io/open_files.h"

namespace fastpipe {
namespace {

// Linux reads at most 2 GiB at once; less keeps a cancelled read short.
constexpr size_t kMaxRead = size_t{64} << 20;
// Below this the kernel's default read-ahead covers the file, and advice costs a system call.
constexpr int64_t kAdviseFrom = 1 << 20;
constexpr int kPollMilliseconds = 50;

int64_t SizeOf(const struct stat& info) {
  return S_ISREG(info.st_mode) && info.st_size > 0 ? info.st_size : -1;
}

Status CheckCancelled(const std::shared_ptr<CancelToken>& cancel) {
  if (cancel && cancel->cancelled()) return Cancelled("the iterator was closed");
  return Status::Ok();
}

Status ReadError(int error, uint64_t offset, const std::string& path) {
  return FromErrno(error, StrCat("cannot read at offset ", offset, " of"), path);
}

Result<size_t> ReadByPosition(int fd, uint64_t offset, uint8_t* bytes, size_t size,
                              const std::string& path, const std::shared_ptr<CancelToken>& cancel) {
  for (;;) {
    FASTPIPE_RETURN_IF_ERROR(CheckCancelled(cancel));
    const ssize_t count = FASTPIPE_FAULT(kRead) ? -1
                                                : pread(fd, bytes, std::min(size, kMaxRead),
                                                        static_cast<off_t>(offset));
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) return ReadError(errno, offset, path);
  }
}

// A regular file that is not empty: it keeps no descriptor from those that need one.
class RegularFile final : public File {
 public:
  RegularFile(Descriptor fd, const struct stat& info, std::string path,
              std::shared_ptr<CancelToken> cancel)
      : opened_size_(SizeOf(info)),
        file_(std::move(fd), info, std::move(path)),
        cancel_(std::move(cancel)) {}

  Result<size_t> ReadAt(uint64_t offset, uint8_t* bytes, size_t size) override {
    FASTPIPE_ASSIGN(const int fd, file_.Borrow(cancel_.get()));
    auto count = ReadByPosition(fd, offset, bytes, size, path(), cancel_);
    file_.Return();
    return count;
  }
  int64_t size() const override { return file_.size(); }
  int64_t opened_size() const override { return opened_size_; }
  const std::string& path() const override { return file_.path(); }

 private:
  const int64_t opened_size_;
  mutable OpenFile file_;
  const std::shared_ptr<CancelToken> cancel_;
};

// Any other file that can be read by position: an empty one, a device, a file of /proc.
class PosixFile : public File {
 public:
  PosixFile(Descriptor fd, int64_t opened_size, std::string path,
            std::shared_ptr<CancelToken> cancel)
      : cancel_(std::move(cancel)),
        fd_(std::move(fd)),
        opened_size_(opened_size),
        path_(std::move(path)) {}

  Result<size_t> ReadAt(uint64_t offset, uint8_t* bytes, size_t size) override {
    return ReadByPosition(fd(), offset, bytes, size, path_, cancel_);
  }
  int64_t size() const override {
    struct stat info;
    return !FASTPIPE_FAULT(kStat) && fstat(fd(), &info) == 0 ? SizeOf(info) : -1;
  }
  int64_t opened_size() const override { return opened_size_; }
  const std::string& path() const override { return path_; }

 protected:
  int fd() const { return fd_.get(); }
  const std::shared_ptr<CancelToken> cancel_;

 private:
  const Descriptor fd_;
  const int64_t opened_size_;
  const std::string path_;
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
      FASTPIPE_RETURN_IF_ERROR(CheckCancelled(cancel_));
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
      if (errno != EINTR && errno != EAGAIN) return ReadError(errno, position_, path());
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
    FASTPIPE_ASSIGN(Descriptor fd, OpenFiles::Get().Open([&] { return OpenToRead(path); },
                                                         "cannot open", path, cancel.get()));
    struct stat info;
    if (FASTPIPE_FAULT(kStat) || fstat(fd.get(), &info) != 0) {
      return FromErrno(errno, "cannot open", path);
    }
    if (S_ISDIR(info.st_mode)) return FromErrno(EISDIR, "cannot open", path);
    const int64_t size = SizeOf(info);
    if (size > 0) {
      if (size >= kAdviseFrom) posix_fadvise(fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
      return std::make_unique<RegularFile>(std::move(fd), info, path, std::move(cancel));
    }
    if (!S_ISREG(info.st_mode) && lseek(fd.get(), 0, SEEK_CUR) < 0) {
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
