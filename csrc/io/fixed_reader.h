// FixedReader: records of equal length between a header and a footer.
//
// Contract: the size of a plain file is checked when it is opened, that of a compressed one when
// its end is reached, after its whole records. Records are slices of stream().buffer(). Any error
// ends the file and names it; errors of a record also name record and offset. Thread rule: used by
// one thread at a time.
#pragma once

#include <memory>
#include <string_view>

#include "io/input_stream.h"

namespace fastpipe {

struct FixedFormat {
  uint64_t record_bytes = 1;
  uint64_t header_bytes = 0;
  uint64_t footer_bytes = 0;
};

class FixedReader {
 public:
  FixedReader() = default;

  // `stream` stands at the beginning of the file, or of record `first`. An error if the file
  // cannot consist of header, whole records and footer: InvalidArgument, DataLoss if compressed.
  static Result<FixedReader> Open(std::unique_ptr<InputStream> stream, const FixedFormat& format,
                                  int64_t first);

  // As in LineReader.
  Status Next(std::string_view* record);
  Status Skip(int64_t count, int64_t* skipped);

  const InputStream& stream() const { return *stream_; }
  uint64_t offset() const { return stream_->offset(); }
  int64_t number() const { return records_; }
  bool can_continue() const { return false; }

 private:
  Status CheckSize(uint64_t size) const;
  bool AtKnownEnd() const { return end_ >= 0 && offset() >= static_cast<uint64_t>(end_); }

  std::unique_ptr<InputStream> stream_;
  FixedFormat format_;
  int64_t records_ = 0;
  int64_t end_ = -1;  // where the footer begins, if that is known
};

}  // namespace fastpipe
