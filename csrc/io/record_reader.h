// RecordReader: the records of a TFRecord file.
//
// Contract: a record is a little-endian u64 length, the masked CRC-32C of those 8 bytes, the data,
// and its masked CRC-32C. Records are slices of stream().buffer(). A wrong checksum of the data, or
// a record beyond the size limit, costs that record; a wrong checksum of the length, or a file that
// ends within a record, costs the rest of the file. Errors name record and offset.
// Thread rule: used by one thread at a time.
#pragma once

#include <memory>
#include <string_view>

#include "core/limits.h"
#include "io/input_stream.h"

namespace fastpipe {

class RecordReader {
 public:
  // `stream` stands at the beginning of record `first`, counted from 0.
  RecordReader(std::unique_ptr<InputStream> stream, int64_t first,
               int64_t max_record_bytes = Limits().record_bytes)
      : stream_(std::move(stream)),
        records_(first),
        max_record_bytes_(static_cast<uint64_t>(max_record_bytes)) {}

  // The next record, valid until the next call or as long as the buffer is kept; end of sequence at
  // the end; or an error.
  Status Next(std::string_view* record);
  // Passes over up to `count` records and adds their number to `*skipped`; otherwise as Next. Does
  // not look at the data: a record that Next could not give is passed over like any other.
  Status Skip(int64_t count, int64_t* skipped);

  const InputStream& stream() const { return *stream_; }
  // Where the next record begins.
  uint64_t offset() const { return stream_->offset() + owed_; }
  // Records passed so far, good or bad.
  int64_t number() const { return records_; }
  // False if nothing can follow the error that was just returned.
  bool can_continue() const { return !broken_; }

 private:
  // Checks the header at the front of the window, without consuming it.
  Status ReadHeader(uint64_t* length);
  Status CheckLength(uint64_t length);
  Status Truncated(std::string_view what, uint64_t expected, uint64_t found);
  Status Settle();
  Status Fail(const Status& cause);

  std::unique_ptr<InputStream> stream_;
  int64_t records_;
  const uint64_t max_record_bytes_;
  uint64_t owed_ = 0;  // bytes of a passed record that have yet to be skipped
  bool broken_ = false;
};

}  // namespace fastpipe
