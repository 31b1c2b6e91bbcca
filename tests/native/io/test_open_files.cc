#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/file_system.h"
#include "io/open_files.h"
#include "runtime/threads.h"
#include "scratch.h"

namespace fastpipe {
namespace {

// RLIMIT_NOFILE as long as it lives.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t limit) {
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before_) == 0);
    const rlimit lower{limit, before_.rlim_max};
    REQUIRE(setrlimit(RLIMIT_NOFILE, &lower) == 0);
  }
  ~DescriptorLimit() { setrlimit(RLIMIT_NOFILE, &before_); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;

 private:
  rlimit before_;
};

// Takes descriptors, all there are or as many as that, as a program might.
std::vector<Descriptor> Take(size_t most = SIZE_MAX) {
  std::vector<Descriptor> taken;
  while (taken.size() < most) {
    Descriptor fd(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!fd.open()) break;
    taken.push_back(std::move(fd));
  }
  return taken;
}

std::string Name(int number) { return "file" + std::to_string(number); }
std::string Content(int number) { return "content of " + std::to_string(number); }

std::vector<std::string> WriteFiles(const ScratchDirectory& folder, int count) {
  std::vector<std::string> paths;
  for (int i = 0; i < count; ++i) paths.push_back(folder.Write(Name(i), Content(i)));
  return paths;
}

Result<std::unique_ptr<File>> Open(const std::string& path) {
  return PosixFileSystem()->Open(path, CancelToken::Root());
}

// Up to three bytes at `offset`, or the error.
std::string ReadThree(File* file, uint64_t offset) {
  uint8_t bytes[3];
  auto count = file->ReadAt(offset, bytes, sizeof(bytes));
  if (!count.ok()) return count.status().ToString();
  return std::string(reinterpret_cast<const char*>(bytes), count.value());
}

TEST_CASE("open files: more are open at once than there are descriptors, each at its place") {
  const ScratchDirectory folder;
  const std::vector<std::string> paths = WriteFiles(folder, 200);
  const DescriptorLimit limit(64);
  std::vector<std::unique_ptr<File>> files;
  for (const std::string& path : paths) {
    auto file = Open(path);
    REQUIRE_MESSAGE(file.ok(), file.status().ToString());
    files.push_back(std::move(file.value()));
  }
  for (uint64_t offset = 0; offset < 15; offset += 3) {
    for (int i = 0; i < 200; ++i) {
      CHECK(ReadThree(files[static_cast<size_t>(i)].get(), offset) == Content(i).substr(offset, 3));
    }
  }
  CHECK(OpenFiles::Get().held() <= 32);
}

TEST_CASE("open files: half of the limit is left to the program") {
  const ScratchDirectory folder;
  const std::vector<std::string> paths = WriteFiles(folder, 40);
  const DescriptorLimit limit(64);
  const size_t before = OpenFiles::Get().held();
  std::vector<std::unique_ptr<File>> files;
  for (const std::string& path : paths) files.push_back(std::move(Open(path).value()));
  CHECK(OpenFiles::Get().held() == 32);
  CHECK(Take().size() >= 16);
  files.clear();
  CHECK(OpenFiles::Get().held() == before);
}

TEST_CASE("open files: a program that takes nearly all leaves enough to go on") {
  const ScratchDirectory folder;
  const std::vector<std::string> paths = WriteFiles(folder, 20);
  const DescriptorLimit limit(64);
  std::vector<Descriptor> taken = Take();
  taken.pop_back();
  std::vector<std::unique_ptr<File>> files;
  for (const std::string& path : paths) files.push_back(std::move(Open(path).value()));
  for (size_t i = 0; i < 20; ++i) CHECK(ReadThree(files[i].get(), 0) == "con");
  CHECK(OpenFiles::Get().held() == 1);
}

TEST_CASE("open files: without any descriptor the error says so, and names file and limit") {
  const ScratchDirectory folder;
  const std::string path = folder.Write("file", "content");
  const DescriptorLimit limit(64);
  const std::vector<Descriptor> taken = Take();
  const Status status = std::move(Open(path).status());
  CHECK(status.code() == Code::kResourceExhausted);
  CHECK(status.message().find(path) != std::string::npos);
  CHECK(status.message().find("RLIMIT_NOFILE is 64") != std::string::npos);
}

TEST_CASE("open files: a closed file that has changed is an error that names it") {
  const ScratchDirectory folder;
  const std::vector<std::string> paths = WriteFiles(folder, 3);
  std::vector<std::unique_ptr<File>> files;
  for (const std::string& path : paths) files.push_back(std::move(Open(path).value()));
  {
    // One descriptor for all: the others are closed.
    const DescriptorLimit limit(64);
    const std::vector<Descriptor> taken = Take();
    for (auto& file : files) ReadThree(file.get(), 0);
    const auto another = Open(folder.Write("another", "x"));
  }
  folder.Write(Name(0), "something longer than it was");
  std::filesystem::remove(paths[1]);
  const DescriptorLimit limit(64);
  std::vector<Descriptor> taken = Take();
  taken.pop_back();
  std::vector<std::unique_ptr<File>> others;
  for (int i = 3; i < 6; ++i) {
    others.push_back(std::move(Open(folder.path() + "/" + Name(2)).value()));
  }
  const std::string changed = ReadThree(files[0].get(), 3);
  CHECK(changed.find(paths[0]) != std::string::npos);
  CHECK(changed.find("was changed or replaced") != std::string::npos);
  const std::string removed = ReadThree(files[1].get(), 3);
  CHECK(removed.find(paths[1]) != std::string::npos);
  CHECK(removed.find("cannot open again") != std::string::npos);
  CHECK(ReadThree(files[2].get(), 3) == "ten");
}

TEST_CASE("open files: many threads share few descriptors") {
  const ScratchDirectory folder;
  const std::vector<std::string> paths = WriteFiles(folder, 300);
  const DescriptorLimit limit(64);
  std::vector<Descriptor> taken = Take();
  taken.resize(taken.size() - 8);
  std::atomic<size_t> next{0};
  std::atomic<int> right{0};
  ThreadGroup threads("test", [&](int) {
    for (size_t i = next++; i < paths.size(); i = next++) {
      size_t size = 0;
      auto read = ReadWholeFile(PosixFileSystem(), paths[i], CancelToken::Root(), &size);
      if (read.ok() && size == Content(static_cast<int>(i)).size()) ++right;
    }
  });
  REQUIRE(threads.Resize(32).ok());
  threads.Join();
  CHECK(right == 300);
}

TEST_CASE("open files: who waits for a descriptor can be cancelled") {
  const ScratchDirectory folder;
  const std::string path = folder.Write("file", "content");
  const DescriptorLimit limit(64);
  const std::vector<Descriptor> taken = Take();
  const auto cancel = CancelToken::Root();
  cancel->Cancel();
  CHECK(PosixFileSystem()->Open(path, cancel).status().code() == Code::kCancelled);
}

TEST_CASE("open files: listing and writing find a descriptor as well") {
  const ScratchDirectory folder;
  const std::vector<std::string> paths = WriteFiles(folder, 4);
  std::vector<std::unique_ptr<File>> files;
  for (const std::string& path : paths) files.push_back(std::move(Open(path).value()));
  const DescriptorLimit limit(64);
  const std::vector<Descriptor> taken = Take();
  auto listed = PosixFileSystem()->Glob(folder.At("file*"));
  // No message here: the sanitizer needs a descriptor to look at the object that would hold it.
  REQUIRE(listed.ok());
  CHECK(listed.value().size() == 4);
  CHECK(ReadThree(files[0].get(), 0) == "con");
}

}  // namespace
}  // namespace fastpipe
