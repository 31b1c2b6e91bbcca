// Status: the one return value that says OK, end of sequence, or an error.
//
// Contract: errors are values inside csrc/ and become Python exceptions in one function at the door
// (fastpipe/_core.pyx). OK and end-of-sequence cost no allocation. A Status is a plain value: one
// thread at a time, copy or move it to hand it over.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fastpipe {

enum class Code : uint8_t {
  kOk = 0,
  kEndOfSequence,
  kCancelled,           // the iterator was closed, or the thread interrupted by a signal
  kInvalidArgument,     // the caller's value is wrong
  kNotFound,            // no such file
  kFailedPrecondition,  // a directory in place of a file, a closed iterator, ...
  kDataLoss,            // corrupt or truncated data
  kOutOfRange,
  kUnimplemented,
  kResourceExhausted,  // descriptors, memory, limits
  kPermissionDenied,
  kUnavailable,       // I/O failed for another reason
  kDeadlineExceeded,  // storage did not answer in time
  kInternal,          // a bug in fastpipe
  kPythonError,       // a Python callable raised; payload() carries the exception
};

// "InvalidArgument", "DataLoss", ... for messages and tests.
const char* CodeName(Code code);

class [[nodiscard]] Status {
 public:
  Status() = default;  // OK
  Status(Code code, std::string message);
  Status(const Status& other);
  Status& operator=(const Status& other);
  Status(Status&& other) noexcept : code_(other.code_), detail_(std::move(other.detail_)) {
    other.code_ = Code::kOk;
  }
  Status& operator=(Status&& other) noexcept {
    code_ = other.code_;
    detail_ = std::move(other.detail_);
    other.code_ = Code::kOk;
    return *this;
  }

  static Status Ok() { return Status(); }
  static Status EndOfSequence() { return Status(Code::kEndOfSequence); }
  // ResourceExhausted without a message: takes no memory.
  static Status OutOfMemory() { return Status(Code::kResourceExhausted); }
  // An exception raised by a Python callable; `payload` owns it and is opaque to native code.
  static Status PythonError(std::string message, std::shared_ptr<void> payload);

  bool ok() const { return code_ == Code::kOk; }
  bool end_of_sequence() const { return code_ == Code::kEndOfSequence; }
  // Neither OK nor end of sequence.
  bool error() const { return code_ > Code::kEndOfSequence; }
  Code code() const { return code_; }

  // What went wrong, without the trail. Empty for OK and end of sequence.
  const std::string& message() const;
  // Where it went wrong, innermost first: "decode_jpeg", "map (train.py:12), element 7", ...
  const std::vector<std::string>& trail() const;
  // The message followed by the trail, one place a line: what a user reads.
  std::string ToString() const;
  const std::shared_ptr<void>& payload() const;

  // Appends one place to the trail. Does nothing unless error().
  Status& AddTrail(std::string place);
  // True once the op in which the error arose has put itself on the trail: ops further down the
  // stream only pass it on.
  bool located() const { return detail_ && detail_->located; }
  void set_located() {
    if (detail_) detail_->located = true;
  }

 private:
  struct Detail {
    std::string message;
    std::vector<std::string> trail;
    std::shared_ptr<void> payload;
    bool located = false;
  };
  explicit Status(Code code) : code_(code) {}
  static const Detail& NoDetail();

  Code code_ = Code::kOk;
  std::unique_ptr<Detail> detail_;
};

Status InvalidArgument(std::string message);
Status NotFound(std::string message);
Status FailedPrecondition(std::string message);
Status DataLoss(std::string message);
Status OutOfRange(std::string message);
Status Unimplemented(std::string message);
Status Internal(std::string message);
Status Cancelled(std::string message);
Status ResourceExhausted(std::string message);
Status DeadlineExceeded(std::string message);
// The Status of a failed system call on `path`: ENOENT -> NotFound, EISDIR -> FailedPrecondition,
// ...
Status FromErrno(int error, const std::string& what, const std::string& path);

// A value or the Status that explains why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(Status status) : status_(std::move(status)) {}  // NOLINT: implicit on purpose
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U&&, T> &&
                                                    !std::is_same_v<std::decay_t<U>, Status> &&
                                                    !std::is_same_v<std::decay_t<U>, Result>>>
  Result(U&& value) : value_(std::forward<U>(value)) {}  // NOLINT: implicit on purpose
  bool ok() const { return status_.ok(); }
  Status& status() { return status_; }
  // REQUIRES: ok()
  T& value() { return value_; }
  const T& value() const { return value_; }

 private:
  Status status_;
  T value_{};
};

// Joins its arguments as text: StrCat("got ", 3, " of ", name).
namespace internal {
template <typename T>
void AppendPiece(std::string* out, const T& piece) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    out->append(std::string_view(piece));
  } else if constexpr (std::is_same_v<T, char>) {
    out->push_back(piece);
  } else if constexpr (std::is_same_v<T, bool>) {
    out->append(piece ? "true" : "false");
  } else {
    out->append(std::to_string(piece));
  }
}
}  // namespace internal

template <typename... Pieces>
std::string StrCat(const Pieces&... pieces) {
  std::string out;
  (internal::AppendPiece(&out, pieces), ...);
  return out;
}

#define FASTPIPE_RETURN_IF_ERROR(expression)        \
  do {                                              \
    ::fastpipe::Status status_or_ok = (expression); \
    if (!status_or_ok.ok()) return status_or_ok;    \
  } while (false)

#define FASTPIPE_CONCAT_INNER(a, b) a##b
#define FASTPIPE_CONCAT(a, b) FASTPIPE_CONCAT_INNER(a, b)
// FASTPIPE_ASSIGN(auto value, Parse(text)): declares or assigns `value`, or returns the error.
#define FASTPIPE_ASSIGN(target, expression) \
  FASTPIPE_ASSIGN_INNER(FASTPIPE_CONCAT(result_, __LINE__), target, expression)
#define FASTPIPE_ASSIGN_INNER(result, target, expression) \
  auto result = (expression);                             \
  if (!result.ok()) return std::move(result.status());    \
  target = std::move(result.value())

}  // namespace fastpipe
