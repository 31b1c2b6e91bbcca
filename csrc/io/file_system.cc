#include "io/file_system.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace fastpipe {
namespace {

constexpr size_t kFirstGuess = 64 * 1024;

// What comes from a pipe or a device of unknown size may have no end.
constexpr size_t kMaxUnknown = size_t{1} << 30;

// A file beyond this would be the end of the process, not of the read.
size_t HalfOfMemory() {
  static const size_t limit =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) / 2 * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return limit;
}

Status TooLarge(const std::string& path, size_t limit) {
  return Status(Code::kResourceExhausted,
                StrCat("'", path, "' is too large to be read as one string: it has more than ",
                       limit, " bytes"));
}

}  // namespace

Result<BufferRef> ReadWholeFile(FileSystem* file_system, const std::string& path,
                                std::shared_ptr<CancelToken> cancel, size_t* size) {
  FASTPIPE_ASSIGN(const std::unique_ptr<File> file, file_system->Open(path, std::move(cancel)));
  // With a known size the content is what the file held when it was opened: a file that grows
  // meanwhile is not followed.
  const int64_t known = file->opened_size();
  const size_t end = known > 0 ? static_cast<size_t>(known) : SIZE_MAX;
  if (known > 0 && end > HalfOfMemory()) return TooLarge(path, HalfOfMemory());
  BufferRef buffer = BufferPool::Get().Allocate(known > 0 ? end : kFirstGuess);
  size_t filled = 0;
  while (filled < end) {
    if (filled == buffer->capacity()) {
      if (filled >= kMaxUnknown) return TooLarge(path, kMaxUnknown);
      BufferRef larger = BufferPool::Get().Allocate(2 * filled);
      std::memcpy(larger->data(), buffer->data(), filled);
      buffer = std::move(larger);
    }
    FASTPIPE_ASSIGN(const size_t count, file->ReadAt(filled, buffer->data() + filled,
                                                     std::min(buffer->capacity(), end) - filled));
    if (count == 0) break;
    filled += count;
  }
  *size = filled;
  if (known > 0 || filled > buffer->capacity() / 2) return buffer;
  // Who keeps the content of many small files of unknown size shall not keep many guesses.
  BufferRef fitting = BufferPool::Get().Allocate(filled);
  std::memcpy(fitting->data(), buffer->data(), filled);
  return fitting;
}

}  // namespace fastpipe
