#include "io/record_reader.h"

#include <algorithm>
#include <cstring>

#include "io/crc32c.h"

namespace fastpipe {
namespace {

constexpr size_t kHeader = 12;
constexpr size_t kFooter = 4;
// Beyond this no file goes, and sums of lengths and offsets stay far from overflow below it.
constexpr uint64_t kLargestLength = uint64_t{1} << 60;

template <typename T>
T Load(std::string_view bytes, uint64_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

bool LooksCompressed(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b") || bytes.starts_with("\x78\x9c") ||
         bytes.starts_with("\x28\xb5\x2f\xfd");
}

}  // namespace

Status RecordReader::Fail(const Status& cause) {
  return AtPlace(*stream_, "record", records_, cause);
}

Status RecordReader::Truncated(std::string_view what, uint64_t expected, uint64_t found) {
  broken_ = true;
  return Fail(DataLoss(StrCat("the file is truncated: ", what, " needs ", expected,
                              " bytes and only ", found, " follow")));
}

Status RecordReader::ReadHeader(uint64_t* length) {
  if (Status status = stream_->Fill(kHeader); !status.ok()) {
    broken_ = status.code() != Code::kCancelled;
    return Fail(status);
  }
  const std::string_view window = stream_->window();
  if (window.empty()) return Status::EndOfSequence();
  if (window.size() < kHeader) return Truncated("the header of a record", kHeader, window.size());
  *length = Load<uint64_t>(window, 0);
  const bool genuine = MaskedCrc32c(window.substr(0, 8)) == Load<uint32_t>(window, 8);
  if (genuine && *length <= kLargestLength) return Status::Ok();
  broken_ = true;
  std::string message = genuine ? StrCat("the record's length, ", *length, " bytes, is impossible")
                                : "the checksum of the record's length is wrong";
  if (stream_->offset() == 0) {
    message += LooksCompressed(window)
                   ? ": the file looks compressed, so compression_type should be given"
                   : ": is this a TFRecord file?";
  }
  return Fail(DataLoss(std::move(message)));
}

Status RecordReader::CheckLength(uint64_t length) {
  // The header, in the window, is among the bytes left, unless the file has shrunk.
  const int64_t left = stream_->BytesLeft();
  const uint64_t follow = left < 0 ? UINT64_MAX : static_cast<uint64_t>(left) - kHeader;
  if (left >= 0 && length + kFooter > follow) {
    return Truncated("the record", length + kFooter, follow);
  }
  if (length <= max_record_bytes_) return Status::Ok();
  owed_ = kHeader + length + kFooter;
  Status status = Fail(Status(
      Code::kResourceExhausted,
      StrCat("the record has ", length, " bytes, more than the limit of ", max_record_bytes_)));
  ++records_;
  return status;
}

// Skips what is left of a record that has been counted already.
Status RecordReader::Settle() {
  if (owed_ == 0) return Status::Ok();
  uint64_t skipped = 0;
  Status status = stream_->Skip(owed_, &skipped);
  owed_ -= skipped;
  if (status.code() == Code::kCancelled || owed_ == 0) return status;
  // A record is one result. This one had its own, so that its cut end is just the end.
  owed_ = 0;
  return Status::EndOfSequence();
}

Status RecordReader::Next(std::string_view* record) {
  FASTPIPE_RETURN_IF_ERROR(Settle());
  uint64_t length = 0;
  FASTPIPE_RETURN_IF_ERROR(ReadHeader(&length));
  if (length > max_record_bytes_ || stream_->window().size() < kHeader + length + kFooter) {
    FASTPIPE_RETURN_IF_ERROR(CheckLength(length));
    if (Status status = stream_->Fill(kHeader + length + kFooter); !status.ok()) {
      broken_ = status.code() != Code::kCancelled;
      return Fail(status);
    }
    const size_t follow = stream_->window().size() - kHeader;
    if (follow < length + kFooter) return Truncated("the record", length + kFooter, follow);
  }
  const std::string_view window = stream_->window();
  *record = window.substr(kHeader, length);
  Status status;
  if (MaskedCrc32c(*record) != Load<uint32_t>(window, kHeader + length)) {
    status =
        Fail(DataLoss(StrCat("the checksum of the record's data, ", length, " bytes, is wrong")));
  }
  stream_->Consume(kHeader + length + kFooter);
  ++records_;
  return status;
}

Status RecordReader::Skip(int64_t count, int64_t* skipped) {
  for (int64_t i = 0; i < count; ++i) {
    FASTPIPE_RETURN_IF_ERROR(Settle());
    uint64_t length = 0;
    FASTPIPE_RETURN_IF_ERROR(ReadHeader(&length));
    if (length > max_record_bytes_) FASTPIPE_RETURN_IF_ERROR(CheckLength(length));
    owed_ = kHeader + length + kFooter;
    ++records_;
    ++*skipped;
  }
  return Settle();
}

}  // namespace fastpipe
