// CsvReader: the records of a CSV file, RFC 4180.
//
// Contract: a record ends in "\n", "\r" or "\r\n" outside quotes, or at the end of the file; an
// empty line is a record with one empty field. Fields are slices of stream().buffer(). A malformed
// record is one error, and the next record begins at the next line: after the line in which the
// quoted field that spoils it begins, so that a stray quote does not swallow its neighbours.
// Thread rule: used by one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/limits.h"
#include "io/csv.h"
#include "io/input_stream.h"

namespace fastpipe {

class CsvReader {
 public:
  // `stream` stands at the beginning of the record after `records_before`. With `header` the first
  // record of the file is passed over. Of a record's fields the first `most_fields` are kept: a
  // line of nothing but delimiters would fill the memory.
  CsvReader(std::unique_ptr<InputStream> stream, int64_t records_before, const CsvFormat& format,
            bool header, size_t most_fields, int64_t max_record_bytes = Limits().record_bytes)
      : stream_(std::move(stream)),
        records_(records_before),
        format_(format),
        header_(header),
        most_fields_(most_fields),
        max_record_bytes_(static_cast<size_t>(max_record_bytes)) {}

  // The fields of the next record, valid until the next call or as long as the buffer is kept; end
  // of sequence at the end; or an error, which names record and offset.
  Status Next(std::vector<CsvField>* fields);
  // How many fields the record has that was given last, with those that were not kept.
  size_t field_count() const { return field_count_; }
  // Passes over up to `count` records and adds their number to `*skipped`; otherwise as Next.
  Status Skip(int64_t count, int64_t* skipped);

  const InputStream& stream() const { return *stream_; }
  // Where the next record begins, or the malformed one that an interrupted call has yet to pass.
  uint64_t offset() const { return malformed_.ok() ? stream_->offset() : record_offset_; }
  // Records given so far, malformed ones and those before included.
  int64_t number() const { return records_; }
  bool can_continue() const { return can_continue_; }
  // `cause` at the record that was given last.
  Status AtRecord(const Status& cause) const {
    return AtPlace(*stream_, "record", records_, cause, record_offset_);
  }

 private:
  struct Extent {
    size_t begin;
    size_t end;
    bool doubled_quotes;
  };
  enum class Ending { kField, kRecord };

  Status SkipHeader();
  Status Scan();
  Result<Ending> ScanField();
  Result<Ending> ScanQuoted();
  Result<Ending> EndOfField();
  Status TooLong(size_t begin);
  Status Malformed(const std::string& problem, size_t begin);
  Status PassLine();
  Status Spoil(Status malformed);
  Status PassMalformed();
  // `cause` at the record that comes next.
  Status AtNext(const Status& cause) const {
    return AtPlace(*stream_, "record", records_ + 1, cause, record_offset_);
  }
  void AddField(const Extent& extent);
  Result<bool> Has(size_t at);

  std::unique_ptr<InputStream> stream_;
  int64_t records_;
  uint64_t record_offset_ = 0;  // where the record that was given last begins
  CsvFormat format_;
  bool header_;
  size_t most_fields_;
  size_t max_record_bytes_;
  bool can_continue_ = true;
  Status malformed_;             // the error of the record whose line is being passed
  std::vector<Extent> extents_;  // the fields of the record being read, from its beginning
  size_t field_count_ = 0;       // of the record being read
  size_t at_ = 0;                // next byte to look at
};

}  // namespace fastpipe
