#include "io/fixed_reader.h"

#include <algorithm>

namespace fastpipe {

Status FixedReader::CheckSize(uint64_t size) const {
  // Of a compressed file only what came out is known: it may be damaged. A plain one is as it is.
  const Code code = stream_->compressed() ? Code::kDataLoss : Code::kInvalidArgument;
  const uint64_t around = format_.header_bytes + format_.footer_bytes;
  if (size >= around && (size - around) % format_.record_bytes == 0) return Status::Ok();
  const std::string parts = StrCat("the header (", format_.header_bytes, " bytes) and the footer (",
                                   format_.footer_bytes, " bytes)");
  if (size < around) {
    return Status(
        code, StrCat("'", stream_->path(), "' has ", size, " bytes, fewer than ", parts, " take"));
  }
  return Status(code, StrCat("'", stream_->path(), "' has ", size, " bytes: without ", parts,
                             " that leaves ", size - around, " bytes, which is not a multiple of ",
                             "the record length (", format_.record_bytes, " bytes)"));
}

Result<FixedReader> FixedReader::Open(std::unique_ptr<InputStream> stream,
                                      const FixedFormat& format, int64_t first) {
  FixedReader reader;
  reader.stream_ = std::move(stream);
  reader.format_ = format;
  reader.records_ = first;
  const uint64_t start = reader.offset();
  if (const int64_t left = reader.stream_->BytesLeft(); left >= 0) {
    const uint64_t size = start + static_cast<uint64_t>(left);
    FASTPIPE_RETURN_IF_ERROR(reader.CheckSize(size));
    reader.end_ = static_cast<int64_t>(size - format.footer_bytes);
  }
  if (start > 0) return reader;
  uint64_t skipped = 0;
  FASTPIPE_RETURN_IF_ERROR(reader.stream_->Skip(format.header_bytes, &skipped));
  if (skipped == format.header_bytes) return reader;
  return reader.CheckSize(skipped);
}

Status FixedReader::Next(std::string_view* record) {
  if (AtKnownEnd()) return Status::EndOfSequence();
  // Without a known end a record is one only if the footer still fits behind it.
  const uint64_t footer = end_ >= 0 ? 0 : format_.footer_bytes;
  const uint64_t wanted = format_.record_bytes + footer;
  if (Status status = stream_->Fill(wanted); !status.ok()) {
    return AtPlace(*stream_, "record", records_, status);
  }
  const std::string_view window = stream_->window();
  if (window.size() >= wanted) {
    *record = window.substr(0, format_.record_bytes);
    stream_->Consume(format_.record_bytes);
    ++records_;
    return Status::Ok();
  }
  if (end_ < 0 && window.size() == footer) return Status::EndOfSequence();
  Status size = CheckSize(offset() + window.size());
  if (size.ok()) size = DataLoss("the file has shrunk while it was read");
  return AtPlace(*stream_, "record", records_, size);
}

Status FixedReader::Skip(int64_t count, int64_t* skipped) {
  if (end_ >= 0) {
    const uint64_t left = AtKnownEnd() ? 0 : static_cast<uint64_t>(end_) - offset();
    const int64_t whole = std::min(count, static_cast<int64_t>(left / format_.record_bytes));
    uint64_t passed = 0;
    FASTPIPE_RETURN_IF_ERROR(
        stream_->Skip(static_cast<uint64_t>(whole) * format_.record_bytes, &passed));
    records_ += whole;
    *skipped += whole;
    return whole == count ? Status::Ok() : Status::EndOfSequence();
  }
  std::string_view record;
  for (int64_t i = 0; i < count; ++i) {
    FASTPIPE_RETURN_IF_ERROR(Next(&record));
    ++*skipped;
  }
  return Status::Ok();
}

}  // namespace fastpipe
