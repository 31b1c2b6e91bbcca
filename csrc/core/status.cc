#include "core/status.h"

#include <cerrno>
#include <cstring>

namespace fastpipe {

const char* CodeName(Code code) {
  switch (code) {
    case Code::kOk:
      return "Ok";
    case Code::kEndOfSequence:
      return "EndOfSequence";
    case Code::kCancelled:
      return "Cancelled";
    case Code::kInvalidArgument:
      return "InvalidArgument";
    case Code::kNotFound:
      return "NotFound";
    case Code::kFailedPrecondition:
      return "FailedPrecondition";
    case Code::kDataLoss:
      return "DataLoss";
    case Code::kOutOfRange:
      return "OutOfRange";
    case Code::kUnimplemented:
      return "Unimplemented";
    case Code::kResourceExhausted:
      return "ResourceExhausted";
    case Code::kPermissionDenied:
      return "PermissionDenied";
    case Code::kUnavailable:
      return "Unavailable";
    case Code::kDeadlineExceeded:
      return "DeadlineExceeded";
    case Code::kInternal:
      return "Internal";
    case Code::kPythonError:
      return "PythonError";
  }
  return "Unknown";
}

Status::Status(Code code, std::string message) : code_(code), detail_(std::make_unique<Detail>()) {
  detail_->message = std::move(message);
}

Status::Status(const Status& other)
    : code_(other.code_),
      detail_(other.detail_ ? std::make_unique<Detail>(*other.detail_) : nullptr) {}

Status& Status::operator=(const Status& other) {
  if (this != &other) *this = Status(other);
  return *this;
}

Status Status::PythonError(std::string message, std::shared_ptr<void> payload) {
  Status status(Code::kPythonError, std::move(message));
  status.detail_->payload = std::move(payload);
  return status;
}

// Leaked on purpose: worker threads may read it while the process exits.
const Status::Detail& Status::NoDetail() {
  static const Detail* const none = std::make_unique<Detail>().release();
  return *none;
}

const std::string& Status::message() const {
  return detail_ ? detail_->message : NoDetail().message;
}

const std::vector<std::string>& Status::trail() const {
  return detail_ ? detail_->trail : NoDetail().trail;
}

const std::shared_ptr<void>& Status::payload() const {
  return detail_ ? detail_->payload : NoDetail().payload;
}

std::string Status::ToString() const {
  std::string text = message();
  for (const std::string& place : trail()) text += "\n  in " + place;
  return text;
}

Status& Status::AddTrail(std::string place) {
  if (error() && detail_) detail_->trail.push_back(std::move(place));
  return *this;
}

Status InvalidArgument(std::string message) {
  return Status(Code::kInvalidArgument, std::move(message));
}
Status NotFound(std::string message) { return Status(Code::kNotFound, std::move(message)); }
Status FailedPrecondition(std::string message) {
  return Status(Code::kFailedPrecondition, std::move(message));
}
Status DataLoss(std::string message) { return Status(Code::kDataLoss, std::move(message)); }
Status OutOfRange(std::string message) { return Status(Code::kOutOfRange, std::move(message)); }
Status Unimplemented(std::string message) {
  return Status(Code::kUnimplemented, std::move(message));
}
Status Internal(std::string message) { return Status(Code::kInternal, std::move(message)); }
Status Cancelled(std::string message) { return Status(Code::kCancelled, std::move(message)); }
Status ResourceExhausted(std::string message) {
  return Status(Code::kResourceExhausted, std::move(message));
}
Status DeadlineExceeded(std::string message) {
  return Status(Code::kDeadlineExceeded, std::move(message));
}

Status FromErrno(int error, const std::string& what, const std::string& path) {
  Code code = Code::kUnavailable;
  if (error == ENOENT || error == ENOTDIR) code = Code::kNotFound;
  if (error == EISDIR) code = Code::kFailedPrecondition;
  if (error == EACCES || error == EPERM) code = Code::kPermissionDenied;
  if (error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOSPC || error == EDQUOT ||
      error == EFBIG) {
    code = Code::kResourceExhausted;
  }
  return Status(code, StrCat(what, " '", path, "': ", std::strerror(error)));
}

}  // namespace fastpipe
