#include <doctest/doctest.h>

#include "../codec/deflate.h"
#include "read_all.h"
#include "scratch.h"

namespace fastpipe {
namespace {

Results ReadAll(const std::string& bytes, size_t buffer_size, bool header) {
  const ScratchDirectory scratch;
  auto file = PosixFileSystem()->Open(scratch.Write("f", bytes), nullptr);
  REQUIRE(file.ok());
  return ReadAll(CsvReader(
      std::make_unique<InputStream>(std::move(file.value()), Compression::kGzip, buffer_size), 0,
      {}, header, /*most_fields=*/100));
}

TEST_CASE("csv reader: damage behind a malformed record is an error of its own") {
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
  CHECK(ReadAll(cut, 300, true) == Results{"!InvalidArgument", "!DataLoss"});
}

}  // namespace
}  // namespace fastpipe
