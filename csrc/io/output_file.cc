#include "io/output_file.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "io/open_files.h"

namespace fastpipe {
namespace {

constexpr size_t kMaxWrite = size_t{64} << 20;

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::Create(const std::string& path) {
  if (path.find('\0') != std::string::npos) {
    return InvalidArgument(StrCat("cannot write '", path, "': the path contains a NUL byte"));
  }
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY;
  FASTPIPE_ASSIGN(Descriptor fd,
                  OpenFiles::Get().Open([&] { return open(path.c_str(), kFlags, 0666); },
                                        "cannot write", path, /*cancel=*/nullptr));
  return std::make_unique<OutputFile>(std::move(fd), path);
}

Status OutputFile::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd_.get(), bytes.data(), std::min(bytes.size(), kMaxWrite));
    if (count < 0) {
      if (errno == EINTR) continue;
      return FromErrno(errno, StrCat("cannot write at offset ", offset_, " of"), path_);
    }
    offset_ += static_cast<uint64_t>(count);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return Status::Ok();
}

Status OutputFile::Sync() {
  // What cannot be synchronised, a pipe or a device, has nothing to lose.
  if (fdatasync(fd_.get()) == 0 || errno == EINVAL || errno == EROFS) return Status::Ok();
  return FromErrno(errno, "cannot write to the disk what is in", path_);
}

Status OutputFile::Close() {
  if (!fd_.open() || close(fd_.Release()) == 0 || errno == EINTR) return Status::Ok();
  return FromErrno(errno, "cannot close", path_);
}

}  // namespace fastpipe
