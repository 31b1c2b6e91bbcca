// OutputFile: a file that is being written from its beginning to its end.
//
// Contract: Create makes the file, or empties it. Errors name the path. Dropping an OutputFile
// closes it and looks at nothing.
// Thread rule: used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/status.h"
#include "io/descriptor.h"

namespace fastpipe {

class OutputFile {
 public:
  OutputFile(Descriptor fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
  static Result<std::unique_ptr<OutputFile>> Create(const std::string& path);

  Status Append(std::string_view bytes);
  // Returns once the bytes are on the disk.
  Status Sync();
  Status Close();

  // Bytes written so far.
  uint64_t offset() const { return offset_; }
  const std::string& path() const { return path_; }

 private:
  Descriptor fd_;
  const std::string path_;
  uint64_t offset_ = 0;
};

}  // namespace fastpipe
