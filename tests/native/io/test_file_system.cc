#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string>

#include "io/file_system.h"
#include "scratch.h"

namespace fastpipe {
namespace {

using std::chrono::milliseconds;

// The content, or the error.
Result<std::string> Read(FileSystem* file_system, const std::string& path,
                         std::shared_ptr<CancelToken> cancel = nullptr) {
  size_t size = 0;
  FASTPIPE_ASSIGN(BufferRef buffer, ReadWholeFile(file_system, path, std::move(cancel), &size));
  return std::string(reinterpret_cast<const char*>(buffer->data()), size);
}

std::string Bytes(size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(i * 7 + i / 256));
  return bytes;
}

size_t OpenDescriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

// A pipe that holds `bytes`, as a path. The writing end is closed unless `open`.
class Pipe {
 public:
  explicit Pipe(std::string_view bytes, bool open = false) {
    REQUIRE(pipe(ends_) == 0);
    REQUIRE(write(ends_[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    if (!open) close(std::exchange(ends_[1], -1));
  }
  ~Pipe() {
    close(ends_[0]);
    if (ends_[1] >= 0) close(ends_[1]);
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(ends_[0]); }

 private:
  int ends_[2];
};

TEST_CASE("posix: files of any size are read whole") {
  ScratchDirectory directory;
  for (size_t size : {size_t{0}, size_t{1}, size_t{255}, size_t{4096}, size_t{3000001}}) {
    const std::string path = directory.Write("file", Bytes(size));
    CHECK(Read(PosixFileSystem(), path).value() == Bytes(size));
  }
}

TEST_CASE("posix: files of unknown size are read whole") {
  const std::string status = Read(PosixFileSystem(), "/proc/self/status").value();
  CHECK(status.starts_with("Name:"));
  CHECK(Read(PosixFileSystem(), Pipe(Bytes(5000)).path()).value() == Bytes(5000));
}

TEST_CASE("posix: a file that grows has the size of now and that of its opening") {
  ScratchDirectory directory;
  const std::string path = directory.Write("file", Bytes(10));
  auto file = PosixFileSystem()->Open(path, nullptr);
  REQUIRE(file.ok());
  directory.Write("file", Bytes(30));
  CHECK(file.value()->size() == 30);
  CHECK(file.value()->opened_size() == 10);
}

TEST_CASE("posix: a pipe is read forwards only") {
  Pipe pipe(Bytes(100));
  auto file = PosixFileSystem()->Open(pipe.path(), nullptr);
  REQUIRE(file.ok());
  uint8_t bytes[10];
  CHECK(file.value()->size() == -1);
  CHECK(file.value()->opened_size() == -1);
  CHECK(file.value()->ReadAt(20, bytes, 10).value() == 10);
  CHECK(std::memcmp(bytes, Bytes(100).data() + 20, 10) == 0);
  CHECK(file.value()->ReadAt(5, bytes, 10).status().code() == Code::kFailedPrecondition);
  CHECK(file.value()->ReadAt(200, bytes, 10).value() == 0);
}

TEST_CASE("posix: waiting on a pipe ends when cancelled") {
  Pipe pipe("abc", true);
  auto cancel = CancelToken::Root();
  auto file = PosixFileSystem()->Open(pipe.path(), cancel);
  REQUIRE(file.ok());
  cancel->Cancel();
  uint8_t bytes[10];
  CHECK(file.value()->ReadAt(0, bytes, 10).status().code() == Code::kCancelled);
}

TEST_CASE("posix: errors name the path and have the right code") {
  ScratchDirectory directory;
  const size_t before = OpenDescriptors();
  const Status missing = Read(PosixFileSystem(), directory.At("missing")).status();
  CHECK(missing.code() == Code::kNotFound);
  CHECK(missing.message().find(directory.At("missing")) != std::string::npos);
  CHECK(Read(PosixFileSystem(), directory.path()).status().code() == Code::kFailedPrecondition);
  CHECK(Read(PosixFileSystem(), "").status().code() == Code::kNotFound);
  CHECK(Read(PosixFileSystem(), std::string("/dev/nu\0ll", 10)).status().code() ==
        Code::kInvalidArgument);
  CHECK(OpenDescriptors() == before);
}

TEST_CASE("faulty: short reads change nothing") {
  ScratchDirectory directory;
  const std::string path = directory.Write("file", Bytes(1000));
  auto faulty = NewFaultyFileSystem(PosixFileSystem(), {.max_read = 7});
  CHECK(Read(faulty.get(), path).value() == Bytes(1000));
  CHECK(Read(faulty.get(), "/proc/self/status").value().starts_with("Name:"));
}

TEST_CASE("faulty: the k-th open and the k-th read fail, and only those") {
  ScratchDirectory directory;
  const std::string path = directory.Write("file", Bytes(10));
  auto opens = NewFaultyFileSystem(PosixFileSystem(), {.fail_open = 2});
  auto reads = NewFaultyFileSystem(PosixFileSystem(), {.fail_read = 2});
  for (FileSystem* file_system : {opens.get(), reads.get()}) {
    CHECK(Read(file_system, path).ok());
    const Status second = Read(file_system, path).status();
    CHECK(second.code() == Code::kUnavailable);
    CHECK(second.message().find(path) != std::string::npos);
    CHECK(Read(file_system, path).ok());
  }
}

TEST_CASE("faulty: delays and bandwidth take their time") {
  ScratchDirectory directory;
  const std::string path = directory.Write("file", Bytes(10000));
  auto faulty = NewFaultyFileSystem(
      PosixFileSystem(),
      {.open_delay = milliseconds(10), .read_delay = milliseconds(5), .bytes_per_second = 500000});
  const auto start = std::chrono::steady_clock::now();
  CHECK(Read(faulty.get(), path).value() == Bytes(10000));
  CHECK(std::chrono::steady_clock::now() - start >= milliseconds(10 + 5 + 20));
}

TEST_CASE("faulty: a cancelled delay ends at once") {
  ScratchDirectory directory;
  auto faulty = NewFaultyFileSystem(PosixFileSystem(), {.open_delay = std::chrono::hours(1)});
  auto cancel = CancelToken::Root();
  cancel->Cancel();
  CHECK(Read(faulty.get(), directory.Write("file", ""), cancel).status().code() ==
        Code::kCancelled);
}

}  // namespace
}  // namespace fastpipe
