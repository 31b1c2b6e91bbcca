// LineReader: the lines of a text file.
//
// Contract: a line ends in "\n", "\r\n" or at the end of the file, none of which is part of it; a
// "\r" elsewhere is. Lines are slices of stream().buffer(). An error ends the file: what it cut off
// is not a line.
// Thread rule: used by one thread at a time.
#pragma once

#include <memory>
#include <string_view>

#include "core/limits.h"
#include "io/input_stream.h"

namespace fastpipe {

class LineReader {
 public:
  // `stream` stands at the beginning of the line after `lines_before`.
  LineReader(std::unique_ptr<InputStream> stream, int64_t lines_before,
             int64_t max_line_bytes = Limits().record_bytes)
      : stream_(std::move(stream)),
        lines_(lines_before),
        max_line_bytes_(static_cast<size_t>(max_line_bytes)) {}

  // The next line, valid until the next call or as long as the buffer is kept; end of sequence at
  // the end; or an error, which names line and offset.
  Status Next(std::string_view* line);
  // Passes over up to `count` lines and adds their number to `*skipped`; otherwise as Next.
  Status Skip(int64_t count, int64_t* skipped);

  const InputStream& stream() const { return *stream_; }
  uint64_t offset() const { return stream_->offset(); }
  // Lines given so far, those before included.
  int64_t number() const { return lines_; }
  // False if nothing can follow the error that was just returned.
  bool can_continue() const { return false; }

 private:
  std::unique_ptr<InputStream> stream_;
  int64_t lines_;
  const size_t max_line_bytes_;
};

}  // namespace fastpipe
