#include "io/csv_reader.h"

#include <utility>

#include "io/text.h"

namespace fastpipe {
namespace {

// Of a malformed record, what the message shows.
constexpr size_t kShownBytes = 200;

bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }

}  // namespace

// True if the window holds byte `at`; false at the end of the file.
Result<bool> CsvReader::Has(size_t at) {
  if (at < stream_->window().size()) return true;
  FASTPIPE_RETURN_IF_ERROR(stream_->Fill(at + 1));
  return at < stream_->window().size();
}

void CsvReader::AddField(const Extent& extent) {
  if (field_count_++ < most_fields_) extents_.push_back(extent);
}

// Behind a field at at_: a delimiter, a line end or the end of the file, which are passed.
Result<CsvReader::Ending> CsvReader::EndOfField() {
  FASTPIPE_ASSIGN(const bool more, Has(at_));
  if (!more) return Ending::kRecord;
  const char c = stream_->window()[at_++];
  if (!IsLineEnd(c)) return Ending::kField;
  if (c == '\r') {
    FASTPIPE_ASSIGN(const bool next, Has(at_));
    if (next && stream_->window()[at_] == '\n') ++at_;
  }
  return Ending::kRecord;
}

Result<CsvReader::Ending> CsvReader::ScanField() {
  const size_t begin = at_;
  FASTPIPE_ASSIGN(bool more, Has(at_));
  if (more && format_.quotes && stream_->window()[at_] == '"') return ScanQuoted();
  while (more) {
    const std::string_view window = stream_->window();
    for (; at_ < window.size(); ++at_) {
      const char c = window[at_];
      if (c == format_.delimiter || IsLineEnd(c)) break;
      if (c == '"' && format_.quotes) return Malformed("must be quoted to hold a quote", begin);
    }
    if (at_ > max_record_bytes_) return TooLong(begin);
    if (at_ < window.size()) break;
    FASTPIPE_ASSIGN(more, Has(at_));
  }
  AddField({begin, at_, false});
  return EndOfField();
}

Result<CsvReader::Ending> CsvReader::ScanQuoted() {
  const size_t begin = ++at_;
  bool doubled_quotes = false;
  for (;;) {
    const size_t quote = stream_->window().find('"', at_);
    const bool found = quote != std::string_view::npos;
    at_ = found ? quote + 1 : stream_->window().size();
    if (at_ > max_record_bytes_) return TooLong(begin);
    FASTPIPE_ASSIGN(const bool more, Has(at_));
    if (!found && more) continue;
    if (!found) return Malformed("must end with a quote as it began with one", begin);
    const char next = more ? stream_->window()[at_] : '\n';
    if (next == format_.delimiter || IsLineEnd(next)) {
      AddField({begin, quote, doubled_quotes});
      return EndOfField();
    }
    if (next != '"') return Malformed("must double the quotes inside quotes", begin);
    doubled_quotes = true;
    ++at_;
  }
}

Status CsvReader::TooLong(size_t begin) {
  return Malformed(StrCat("makes the record longer than the limit of ", max_record_bytes_,
                          " bytes (is a quote missing?)"),
                   begin);
}

// Notes that the field from `begin` spoils the record.
Status CsvReader::Malformed(const std::string& problem, size_t begin) {
  const std::string_view shown = stream_->window().substr(begin, kShownBytes);
  Status status = InvalidArgument(StrCat("field ", field_count_, " ", problem, ", got ",
                                         Quoted(shown.substr(0, shown.find_first_of("\r\n")))));
  at_ = begin;
  return status;
}

// Consumes what is left of the line at the front of the window.
Status CsvReader::PassLine() {
  for (;;) {
    const std::string_view window = stream_->window();
    const size_t end = window.find_first_of("\r\n");
    if (end != std::string_view::npos) {
      at_ = end;
      Result<Ending> ending = EndOfField();
      if (ending.status().code() != Code::kCancelled) stream_->Consume(at_);
      return std::move(ending.status());
    }
    stream_->Consume(window.size());
    FASTPIPE_ASSIGN(const bool more, Has(0));
    if (!more) return Status::Ok();
  }
}

// The record is `malformed`, from the field at at_ on.
Status CsvReader::Spoil(Status malformed) {
  malformed_ = std::move(malformed);
  stream_->Consume(at_);
  return PassMalformed();
}

// The error of the malformed record comes once its line has been passed, so that the call can be
// interrupted and made again. Damage behind it is an error of its own, which comes next.
Status CsvReader::PassMalformed() {
  Status status = PassLine();
  if (status.code() == Code::kCancelled) return status;
  records_ += header_ ? 0 : 1;
  header_ = false;
  return std::exchange(malformed_, Status::Ok());
}

// Finds the fields of the record at the front of the window, and its end.
Status CsvReader::Scan() {
  extents_.clear();
  field_count_ = 0;
  at_ = 0;
  FASTPIPE_ASSIGN(const bool more, Has(0));
  if (!more) return Status::EndOfSequence();
  for (;;) {
    FASTPIPE_ASSIGN(const Ending ending, ScanField());
    if (ending == Ending::kRecord) return Status::Ok();
  }
}

Status CsvReader::SkipHeader() {
  record_offset_ = stream_->offset();
  Status status = record_offset_ == 0 ? Scan() : Status::Ok();
  if (status.code() == Code::kCancelled) return status;
  if (status.code() == Code::kInvalidArgument) {
    return Spoil(AtNext(InvalidArgument("the header is malformed: " + status.message())));
  }
  header_ = false;
  if (status.ok()) {
    if (record_offset_ == 0) stream_->Consume(at_);
    return status;
  }
  can_continue_ = false;
  if (!status.end_of_sequence()) return AtNext(status);
  return AtNext(InvalidArgument("the file must have a header, got no bytes"));
}

Status CsvReader::Next(std::vector<CsvField>* fields) {
  if (!malformed_.ok()) return PassMalformed();
  if (header_) FASTPIPE_RETURN_IF_ERROR(SkipHeader());
  record_offset_ = stream_->offset();
  Status status = Scan();
  if (status.end_of_sequence() || status.code() == Code::kCancelled) return status;
  if (status.code() == Code::kInvalidArgument) return Spoil(AtNext(status));
  ++records_;
  if (!status.ok()) {
    can_continue_ = false;
    return AtRecord(status);
  }
  const std::string_view window = stream_->window();
  fields->clear();
  for (const Extent& extent : extents_) {
    fields->emplace_back(window.substr(extent.begin, extent.end - extent.begin),
                         extent.doubled_quotes);
  }
  stream_->Consume(at_);
  return Status::Ok();
}

Status CsvReader::Skip(int64_t count, int64_t* skipped) {
  std::vector<CsvField> fields;
  for (int64_t i = 0; i < count; ++i) {
    FASTPIPE_RETURN_IF_ERROR(Next(&fields));
    ++*skipped;
  }
  return Status::Ok();
}

}  // namespace fastpipe
