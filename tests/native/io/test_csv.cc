#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "io/csv.h"

namespace fastpipe {
namespace {

// The fields between bars, or the error.
std::string Split(std::string_view record, const CsvFormat& format = {}, size_t limit = SIZE_MAX) {
  std::vector<CsvField> fields;
  const Status status = SplitCsvRecord(record, format, limit, &fields);
  if (!status.ok()) return status.message();
  std::string scratch;
  std::string text = "|";
  for (const CsvField& field : fields) text.append(field.Text(&scratch)).append("|");
  return text;
}

TEST_CASE("csv: plain and empty fields") {
  CHECK(Split("") == "|");
  CHECK(Split("a") == "|a|");
  CHECK(Split("a,b c,") == "|a|b c||");
  CHECK(Split(",") == "|||");
  CHECK(Split("a;b,c", {.delimiter = ';'}) == "|a|b,c|");
}

TEST_CASE("csv: quoted fields") {
  CHECK(Split("\"a,b\",\"\"") == "|a,b||");
  CHECK(Split("\"say \"\"hi\"\"\"") == "|say \"hi\"|");
  CHECK(Split("\"two\nlines\",x") == "|two\nlines|x|");
  CHECK(Split("\"a\"\",\"\"b\"") == "|a\",\"b|");
  CHECK(Split("a\"b,\"c", {.quotes = false}) == "|a\"b|\"c|");
}

TEST_CASE("csv: line ends before a field are passed over") {
  CHECK(Split("\r\na,\nb") == "|a|b|");
  CHECK(Split("a,\n") == "|a|");
}

TEST_CASE("csv: a limit stops early, even before damage") {
  CHECK(Split("a,b,c\"", {}, 2) == "|a|b|");
  CHECK(Split("a,", {}, 1) == "|a|");
  CHECK(Split("a,", {}, 2) == "|a||");
}

TEST_CASE("csv: malformed fields are named") {
  CHECK(Split("x,a\"b") == "field 1 must be quoted to hold a quote or line end, got 'a\"b'");
  CHECK(Split("a\n") == "field 0 must be quoted to hold a quote or line end, got 'a\\x0a'");
  CHECK(Split("\"a\"b") == "field 0 must double the quotes inside quotes, got '\"a\"b'");
  CHECK(Split("\"a") == "field 0 must end with a quote as it began with one, got '\"a'");
  CHECK(Split("\"") == "field 0 must end with a quote as it began with one, got '\"'");
}

}  // namespace
}  // namespace fastpipe
