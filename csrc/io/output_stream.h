// OutputStream: bytes on their way into one file, compressed if need be.
//
// Contract: Append gathers; Flush brings all that was appended so far into the file, in such a form
// that it can be read; Close ends the file. After an error of the file only errors follow. Dropping
// a stream that was not closed leaves the file incomplete.
// Thread rule: used by one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "codec/compressor.h"
#include "io/input_stream.h"
#include "io/output_file.h"

namespace fastpipe {

class OutputStream {
 public:
  OutputStream(std::unique_ptr<OutputFile> file, std::unique_ptr<Compressor> compressor)
      : file_(std::move(file)), compressor_(std::move(compressor)) {}
  // Makes the file, or empties it. Of `settings` Zstandard takes the level only, -1 being 3.
  static Result<std::unique_ptr<OutputStream>> Create(const std::string& path,
                                                      Compression compression,
                                                      const ZlibSettings& settings = {});

  Status Append(std::string_view bytes);
  Status Flush();
  Status Close();

  const std::string& path() const { return file_->path(); }

 private:
  Status Compress(CompressorFlush flush);
  Status WritePending();

  const std::unique_ptr<OutputFile> file_;
  const std::unique_ptr<Compressor> compressor_;  // null: not compressed
  std::string gathered_;                          // to be compressed
  std::string pending_;                           // to be written
  Status failure_;
  bool closed_ = false;
};

}  // namespace fastpipe
