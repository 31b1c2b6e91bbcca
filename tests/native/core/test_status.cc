#include <doctest/doctest.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "core/status.h"

namespace fastpipe {
namespace {

Result<int> Parse(const std::string& text) {
  if (text.empty()) return InvalidArgument("empty text");
  return static_cast<int>(text.size());
}

Status Check(bool good) { return good ? Status::Ok() : DataLoss("bad"); }

Result<int> SumOfLengths(const std::string& first, const std::string& second) {
  FASTPIPE_ASSIGN(const int a, Parse(first));
  FASTPIPE_ASSIGN(const int b, Parse(second));
  FASTPIPE_RETURN_IF_ERROR(Check(a != b));
  return a + b;
}

TEST_CASE("status: OK and end of sequence are no errors") {
  CHECK(Status().ok());
  CHECK_FALSE(Status().error());
  const Status end = Status::EndOfSequence();
  CHECK_FALSE(end.ok());
  CHECK_FALSE(end.error());
  CHECK(end.end_of_sequence());
  CHECK(end.message().empty());
  CHECK(end.trail().empty());
}

TEST_CASE("status: an error carries its code and message") {
  const Status status = NotFound("no such file");
  CHECK(status.error());
  CHECK(status.code() == Code::kNotFound);
  CHECK(std::string(CodeName(status.code())) == "NotFound");
  CHECK(status.message() == "no such file");
}

TEST_CASE("status: the trail is printed innermost first") {
  Status status = DataLoss("truncated");
  status.AddTrail("decode_jpeg").AddTrail("map (train.py:12), element 7");
  CHECK(status.ToString() == "truncated\n  in decode_jpeg\n  in map (train.py:12), element 7");
}

TEST_CASE("status: OK and end of sequence take no trail") {
  CHECK(Status().AddTrail("map").trail().empty());
  CHECK(Status::EndOfSequence().AddTrail("map").trail().empty());
}

TEST_CASE("status: a copy is independent of its original") {
  Status original = Internal("broken");
  Status copy = original;
  copy.AddTrail("batch");
  CHECK(original.trail().empty());
  original = copy;
  CHECK(original.trail().size() == 1);
}

TEST_CASE("status: moving from an error leaves OK") {
  Status original = Internal("broken");
  const Status moved = std::move(original);
  CHECK(moved.message() == "broken");
  CHECK(original.ok());  // NOLINT: what a moved-from Status is, is part of the contract
}

TEST_CASE("status: a Python error keeps its exception alive") {
  auto exception = std::make_shared<int>(7);
  const std::weak_ptr<int> watch = exception;
  {
    Status status = Status::PythonError("ValueError: 7", std::move(exception));
    const Status copy = status;
    status = Status();
    CHECK(copy.code() == Code::kPythonError);
    CHECK(copy.payload() == watch.lock());
  }
  CHECK(watch.expired());
}

TEST_CASE("status: errno becomes the code that a user can act on") {
  CHECK(FromErrno(ENOENT, "cannot open", "/a").code() == Code::kNotFound);
  CHECK(FromErrno(EISDIR, "cannot open", "/a").code() == Code::kFailedPrecondition);
  CHECK(FromErrno(EACCES, "cannot open", "/a").code() == Code::kPermissionDenied);
  CHECK(FromErrno(EMFILE, "cannot open", "/a").code() == Code::kResourceExhausted);
  const Status status = FromErrno(EIO, "cannot read", "/a");
  CHECK(status.code() == Code::kUnavailable);
  CHECK(status.message().find("cannot read '/a': ") == 0);
}

TEST_CASE("result: holds a value or the reason why not") {
  Result<int> good = Parse("four");
  REQUIRE(good.ok());
  CHECK(good.value() == 4);
  Result<int> bad = Parse("");
  REQUIRE_FALSE(bad.ok());
  CHECK(bad.status().code() == Code::kInvalidArgument);
}

TEST_CASE("result: the macros return the first error") {
  CHECK(SumOfLengths("ab", "c").value() == 3);
  CHECK(SumOfLengths("", "c").status().message() == "empty text");
  CHECK(SumOfLengths("a", "b").status().code() == Code::kDataLoss);
}

TEST_CASE("StrCat joins text, characters, numbers and truth values") {
  CHECK(StrCat("got ", 3, " of ", std::string("five"), ' ', true) == "got 3 of five true");
}

}  // namespace
}  // namespace fastpipe
