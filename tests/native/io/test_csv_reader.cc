#include <doctest/doctest.h>

#include "../codec/deflate.h"
#include "io/csv_reader.h"
#include "scratch.h"

namespace fastpipe {
namespace {

// What a file gives until its end: fields, and for each error "!" and its code.
std::vector<std::string> ReadAll(const std::string& bytes, size_t buffer_size, bool header) {
  const ScratchDirectory scratch;
  auto file = PosixFileSystem()->Open(scratch.Write("f", bytes), nullptr);
  REQUIRE(file.ok());
  CsvReader reader(
      std::make_unique<InputStream>(std::move(file.value()), Compression::kGzip, buffer_size), 0,
      {}, header, /*most_fields=*/100);
  std::vector<std::string> results;
  std::vector<CsvField> fields;
  std::string text;
  while (results.size() < 20) {
    const Status status = reader.Next(&fields);
    if (status.end_of_sequence()) break;
    results.push_back(status.ok() ? "" : StrCat("!", CodeName(status.code())));
    if (!status.ok() && !reader.can_continue()) break;
    for (const CsvField& field : fields) {
      if (status.ok()) results.back() += StrCat("[", field.Text(&text), "]");
    }
  }
  return results;
}

TEST_CASE("csv reader: damage behind a malformed record is an error of its own") {
  using Results = std::vector<std::string>;
  const std::string packed = Gzipped("a,b\nc,d\"e,no line end");
  const std::string cut = packed.substr(0, packed.size() - 4);
  for (size_t buffer_size : {size_t{1}, size_t{300}}) {
    CHECK(ReadAll(packed, buffer_size, false) == Results{"[a][b]", "!InvalidArgument"});
    CHECK(ReadAll(cut, buffer_size, false) == Results{"[a][b]", "!InvalidArgument", "!DataLoss"});
  }
}

TEST_CASE("csv reader: damage behind a malformed header is an error of its own") {
  const std::string packed = Gzipped("a,b\"c,no line end");
  const std::string cut = packed.substr(0, packed.size() - 4);
  CHECK(ReadAll(cut, 300, true) == std::vector<std::string>{"!InvalidArgument", "!DataLoss"});
}

}  // namespace
}  // namespace fastpipe
