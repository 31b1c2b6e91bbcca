// LineReader, RecordReader and FixedReader: framing, truncation at every byte, and skipping.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../codec/deflate.h"
#include "io/fixed_reader.h"
#include "io/line_reader.h"
#include "io/record_reader.h"
#include "read_all.h"
#include "scratch.h"

namespace fastpipe {
namespace {

std::unique_ptr<InputStream> Open(const std::string& path, Compression compression,
                                  size_t buffer_size = 300) {
  auto file = PosixFileSystem()->Open(path, nullptr);
  REQUIRE(file.ok());
  return std::make_unique<InputStream>(std::move(file.value()), compression, buffer_size);
}

LineReader Lines(const std::string& path, Compression compression = Compression::kNone) {
  return LineReader(Open(path, compression), 0);
}
RecordReader Records(const std::string& path, Compression compression = Compression::kNone) {
  return RecordReader(Open(path, compression), 0);
}

TEST_CASE("lines: what ends a line, and what does not") {
  ScratchDirectory directory;
  auto lines = [&](std::string_view text) { return ReadAll(Lines(directory.Write("f", text))); };
  CHECK(lines("") == Results{});
  CHECK(lines("\n") == Results{""});
  CHECK(lines("a\n\nb") == Results{"a", "", "b"});
  CHECK(lines("a\r\nb\r\n\r\n") == Results{"a", "b", ""});
  CHECK(lines("a\rb\n\rc\r\r\nd\r") == Results{"a\rb", "\rc\r", "d\r"});
  CHECK(lines("\xef\xbb\xbfx\n") == Results{"\xef\xbb\xbfx"});
  CHECK(lines(std::string_view("a\0b\n", 4)) == Results{std::string("a\0b", 3)});
  const std::string longer(10000, 'x');
  CHECK(lines(longer + "\n" + longer) == Results{longer, longer});
}

TEST_CASE("lines: a truncated file gives its whole lines and one error") {
  ScratchDirectory directory;
  const std::string packed = Gzipped("first\nsecond\nthird\n");
  for (size_t size = 1; size < packed.size(); ++size) {
    const std::string path = directory.Write("f", packed.substr(0, size));
    const Results results = ReadAll(Lines(path, Compression::kGzip));
    REQUIRE(!results.empty());
    CHECK(results.back() == "!DataLoss");
    const Results whole{"first", "second", "third"};
    for (size_t i = 0; i + 1 < results.size(); ++i) CHECK(results[i] == whole[i]);
    for (int64_t count = 0; count <= 5; ++count) {
      const size_t start = std::min(static_cast<size_t>(count), results.size());
      CHECK(SkipThenRead(Lines(path, Compression::kGzip), count) ==
            Results(results.begin() + static_cast<long>(start), results.end()));
    }
  }
}

TEST_CASE("lines: errors name file, line and offset") {
  ScratchDirectory directory;
  const std::string path = directory.Write("f", Gzipped("one\n") + Gzipped("two\n").substr(0, 11));
  LineReader reader = Lines(path, Compression::kGzip);
  std::string_view line;
  REQUIRE(reader.Next(&line).ok());
  const std::string message = reader.Next(&line).message();
  CHECK(message.starts_with(StrCat("line 2 of '", path, "' (offset ")));
}

TEST_CASE("records: any sizes, also larger than the buffer") {
  ScratchDirectory directory;
  Results expected;
  std::string bytes;
  for (size_t size : {size_t{0}, size_t{1}, size_t{16}, size_t{17}, size_t{5000}, size_t{0}}) {
    expected.push_back(std::string(size, static_cast<char>('a' + expected.size())));
    bytes += Framed(expected.back());
  }
  CHECK(ReadAll(Records(directory.Write("f", bytes))) == expected);
  CHECK(ReadAll(Records(directory.Write("f", Gzipped(bytes)), Compression::kGzip)) == expected);
  CHECK(ReadAll(Records(directory.Write("f", ""))) == Results{});
}

TEST_CASE("records: cut at any byte, the whole ones come and then one error") {
  ScratchDirectory directory;
  const std::string bytes = Framed("first record") + Framed("") + Framed("third");
  const std::vector<size_t> ends{0, 28, 44, 65};
  REQUIRE(bytes.size() == 65);
  for (Compression compression : {Compression::kNone, Compression::kGzip}) {
    for (size_t size = 0; size <= bytes.size(); ++size) {
      const std::string cut = bytes.substr(0, size);
      const std::string path =
          directory.Write("f", compression == Compression::kNone ? cut : Gzipped(cut));
      const Results results = ReadAll(Records(path, compression));
      size_t whole = 0;
      while (whole + 1 < ends.size() && ends[whole + 1] <= size) ++whole;
      REQUIRE(results.size() == whole + (ends[whole] == size ? 0 : 1));
      if (ends[whole] != size) CHECK(results.back() == "!DataLoss");
      for (int64_t count = 0; count <= 5; ++count) {
        const size_t start = std::min(static_cast<size_t>(count), results.size());
        CHECK(SkipThenRead(Records(path, compression), count) ==
              Results(results.begin() + static_cast<long>(start), results.end()));
      }
    }
  }
}

TEST_CASE("records: bad data costs one record, a bad length the rest of the file") {
  ScratchDirectory directory;
  const std::string good = Framed("first record") + Framed("second") + Framed("third");
  std::string bytes = good;
  bytes[14] ^= 1;
  const std::string path = directory.Write("f", bytes);
  CHECK(ReadAll(Records(path)) == Results{"!DataLoss", "second", "third"});
  CHECK(SkipThenRead(Records(path), 1) == Results{"second", "third"});
  bytes = good;
  bytes[28 + 2] ^= 1;
  CHECK(ReadAll(Records(directory.Write("f", bytes))) == Results{"first record", "!DataLoss"});
}

TEST_CASE("records: messages name file, record and offset, and what may be wrong") {
  ScratchDirectory directory;
  const std::string path = directory.Write("f", Framed("first") + "damaged and long");
  RecordReader reader = Records(path);
  std::string_view record;
  REQUIRE(reader.Next(&record).ok());
  CHECK(reader.Next(&record).message().starts_with(StrCat("record 1 of '", path, "' (offset 21)")));
  const std::string packed = directory.Write("g", Gzipped(Framed("first")));
  CHECK(Records(packed).Next(&record).message().find("compression_type") != std::string::npos);
}

TEST_CASE("records: beyond the size limit costs one record") {
  ScratchDirectory directory;
  const std::string bytes = Framed("first record") + Framed("second") + Framed("third");
  for (Compression compression : {Compression::kNone, Compression::kGzip}) {
    const std::string path =
        directory.Write("f", compression == Compression::kNone ? bytes : Gzipped(bytes));
    auto reader = [&] { return RecordReader(Open(path, compression, 16), 0, 10); };
    CHECK(ReadAll(reader()) == Results{"!ResourceExhausted", "second", "third"});
    CHECK(SkipThenRead(reader(), 1) == Results{"second", "third"});
  }
}

TEST_CASE("records: a length that no file can have is refused, whatever its checksum") {
  ScratchDirectory directory;
  const std::string length = Raw<uint64_t>(UINT64_MAX - 3);
  const std::string bytes = length + Raw(MaskedCrc32c(length)) + "data";
  CHECK(ReadAll(Records(directory.Write("f", bytes))) == Results{"!DataLoss"});
  CHECK(ReadAll(Records(directory.Write("f", Gzipped(bytes)), Compression::kGzip)) ==
        Results{"!DataLoss"});
}

TEST_CASE("fixed records: header, footer and sizes") {
  ScratchDirectory directory;
  const FixedFormat format{.record_bytes = 5, .header_bytes = 2, .footer_bytes = 3};
  const std::string letters = "abcdefghijklmnop";
  for (Compression compression : {Compression::kNone, Compression::kGzip}) {
    const bool plain = compression == Compression::kNone;
    for (size_t size = 0; size <= letters.size(); ++size) {
      const std::string bytes = letters.substr(0, size);
      const std::string path = directory.Write("f", plain ? bytes : Gzipped(bytes));
      auto reader = FixedReader::Open(Open(path, compression), format, 0);
      const bool good = size >= 5 && size % 5 == 0;
      if (!reader.ok()) {
        CHECK_FALSE(good);
        CHECK(reader.status().code() == (plain ? Code::kInvalidArgument : Code::kDataLoss));
        CHECK(reader.status().message().find(path) != std::string::npos);
        continue;
      }
      Results expected;
      for (size_t i = 0; size >= 10 + 5 * i; ++i) expected.push_back(letters.substr(2 + 5 * i, 5));
      if (!good) expected.push_back("!DataLoss");
      CHECK(ReadAll(std::move(reader.value())) == expected);
    }
  }
}

TEST_CASE("fixed records: skipping is exact") {
  ScratchDirectory directory;
  const FixedFormat format{.record_bytes = 2, .header_bytes = 1, .footer_bytes = 1};
  const Results all{"bc", "de", "fg", "hi"};
  for (Compression compression : {Compression::kNone, Compression::kZlib}) {
    const std::string bytes = "abcdefghij";
    const std::string path = directory.Write(
        "f", compression == Compression::kNone ? bytes : Deflated(bytes, ZlibFormat::kZlib));
    for (int64_t count = 0; count <= 6; ++count) {
      auto reader = FixedReader::Open(Open(path, compression), format, 0);
      REQUIRE(reader.ok());
      CHECK(SkipThenRead(std::move(reader.value()), count) ==
            Results(all.begin() + std::min<int64_t>(count, 4), all.end()));
    }
  }
}

}  // namespace
}  // namespace fastpipe
