// MemoryFileSystem: files that are strings.
//
// Contract: as io/file_system.h. A read gives at most `max_read` bytes, so that readers meet the
// short reads that disks make seldom. Thread rule: filled by one thread, then read by any.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/file_system.h"

namespace fastpipe::fuzz {

class MemoryFile final : public File {
 public:
  // `bytes` outlives it.
  MemoryFile(std::string path, std::string_view bytes, size_t max_read = SIZE_MAX)
      : path_(std::move(path)), bytes_(bytes), max_read_(max_read) {}

  Result<size_t> ReadAt(uint64_t offset, uint8_t* bytes, size_t size) override {
    if (offset >= bytes_.size()) return size_t{0};
    const std::string_view found = bytes_.substr(offset, std::min(size, max_read_));
    std::memcpy(bytes, found.data(), found.size());
    return found.size();
  }
  int64_t size() const override {
    return bytes_.empty() ? -1 : static_cast<int64_t>(bytes_.size());
  }
  int64_t opened_size() const override { return size(); }
  const std::string& path() const override { return path_; }

 private:
  const std::string path_;
  const std::string_view bytes_;
  const size_t max_read_;
};

class MemoryFileSystem final : public FileSystem {
 public:
  void Write(const std::string& path, std::string_view bytes) { files_[path] = bytes; }

  Result<std::unique_ptr<File>> Open(const std::string& path,
                                     std::shared_ptr<CancelToken>) override {
    const auto found = files_.find(path);
    if (found == files_.end()) return NotFound(StrCat("'", path, "' does not exist"));
    return std::unique_ptr<File>(std::make_unique<MemoryFile>(path, found->second));
  }
  Result<std::vector<std::string>> Glob(const std::string& pattern) override {
    return Unimplemented(StrCat("there is nothing to find by '", pattern, "'"));
  }

 private:
  std::map<std::string, std::string> files_;
};

}  // namespace fastpipe::fuzz
