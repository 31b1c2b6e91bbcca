// FileSystem: how native code reaches files; everything impure about storage is behind it.
//
// Contract: PosixFileSystem() is the real one; NewFaultyFileSystem() wraps another with delays,
// short reads and errors, for tests and the slow-storage benchmark. Paths are bytes, as the user
// gave them. Errors name the path and, where there is one, the offset. Thread rule: a FileSystem
// may be used by many threads; a File by one at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "core/cancel.h"
#include "core/status.h"

namespace fastpipe {

// One open file, read by position.
class File {
 public:
  virtual ~File() = default;
  // Reads up to `size` bytes at `offset` into `bytes` and returns how many. 0 means the end of the
  // file; fewer than `size` does not. A pipe can only be read forwards.
  virtual Result<size_t> ReadAt(uint64_t offset, uint8_t* bytes, size_t size) = 0;
  // Size in bytes as of now, or -1 if it cannot be known: a pipe, a file of /proc. An empty file
  // may be one of those, so 0 is never returned.
  virtual int64_t size() const = 0;
  // What size() was when the file was opened: it costs no system call.
  virtual int64_t opened_size() const = 0;
  virtual const std::string& path() const = 0;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // NotFound, FailedPrecondition for a directory, PermissionDenied, ... `cancel` ends waits that
  // the file system itself makes; may be null.
  virtual Result<std::unique_ptr<File>> Open(const std::string& path,
                                             std::shared_ptr<CancelToken> cancel) = 0;
  // The paths that match a glob pattern, sorted by bytes: see io/glob.h. No match is an empty list,
  // not an error.
  virtual Result<std::vector<std::string>> Glob(const std::string& pattern) = 0;
};

FileSystem* PosixFileSystem();

// What goes wrong, and how slowly: every delay is slept through the cancel token of the Open. The
// bandwidth is that of one disk, shared by all files.
struct Faults {
  std::chrono::nanoseconds open_delay{0};
  std::chrono::nanoseconds read_delay{0};  // per ReadAt
  int64_t bytes_per_second = 0;            // 0: unlimited
  size_t max_read = 0;                     // short reads of at most this many bytes; 0: none
  int64_t fail_open = 0;  // the k-th Open fails (1-based, over the whole file system)
  int64_t fail_read = 0;  // the k-th ReadAt fails
  // The k-th Open or ReadAt hangs, whatever is cancelled, until SetFaults says otherwise.
  int64_t stall_open = 0;
  int64_t stall_read = 0;
};
class FaultyFileSystem : public FileSystem {
 public:
  // From now on, for files that are open too.
  virtual void SetFaults(const Faults& faults) = 0;
};
// `base` must outlive the result.
std::unique_ptr<FaultyFileSystem> NewFaultyFileSystem(FileSystem* base, const Faults& faults);

// The whole file in one buffer. `*size` gets its length. ResourceExhausted beyond half of the
// memory or, if the size is not known beforehand, beyond 1 GiB.
Result<BufferRef> ReadWholeFile(FileSystem* file_system, const std::string& path,
                                std::shared_ptr<CancelToken> cancel, size_t* size);

}  // namespace fastpipe
