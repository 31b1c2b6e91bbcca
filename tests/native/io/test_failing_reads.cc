// Readers over a file whose k-th read fails, is interrupted, or finds less than there was.

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "../../fuzz/memory_files.h"
#include "../codec/deflate.h"
#include "io/block_file.h"
#include "io/fixed_reader.h"
#include "io/line_reader.h"
#include "io/record_reader.h"
#include "read_all.h"
#include "scratch.h"

namespace fastpipe {
namespace {

// What befalls the read of number `read`, from 1.
struct Trouble {
  int64_t read = 0;
  Status status = {};  // OK: from there on the file has ended, whatever its size was
  size_t size = 3;     // of each read at most
  bool stays = false;  // as do all reads after it
};

class TroubledFile final : public File {
 public:
  TroubledFile(std::string_view bytes, const Trouble& trouble)
      : file_("file", bytes, trouble.size), trouble_(trouble) {}

  Result<size_t> ReadAt(uint64_t offset, uint8_t* bytes, size_t size) override {
    ++reads_;
    const bool strikes =
        trouble_.stays || trouble_.status.ok() ? reads_ >= trouble_.read : reads_ == trouble_.read;
    if (trouble_.read == 0 || !strikes) return file_.ReadAt(offset, bytes, size);
    if (trouble_.status.ok()) return size_t{0};
    return trouble_.status;
  }
  int64_t size() const override { return file_.size(); }
  int64_t opened_size() const override { return file_.opened_size(); }
  const std::string& path() const override { return file_.path(); }

 private:
  fuzz::MemoryFile file_;
  const Trouble trouble_;
  int64_t reads_ = 0;
};

std::unique_ptr<InputStream> Open(std::string_view bytes, Compression compression,
                                  const Trouble& trouble) {
  return std::make_unique<InputStream>(std::make_unique<TroubledFile>(bytes, trouble), compression,
                                       /*buffer_size=*/5);
}

template <typename Reader>
Results Read(Reader reader, bool skip) {
  return SkipThenRead(std::move(reader), skip ? 2 : 0);
}

// A kind of reader, and a file for it.
struct Kind {
  std::string bytes;
  std::function<Results(std::unique_ptr<InputStream>, bool skip)> read;
};

Results ReadFixed(std::unique_ptr<InputStream> stream, bool skip) {
  const FixedFormat format{.record_bytes = 4, .header_bytes = 3, .footer_bytes = 2};
  auto opened = FixedReader::Open(std::move(stream), format, 0);
  if (!opened.ok()) return {ErrorText(opened.status())};
  return Read(std::move(opened.value()), skip);
}

std::vector<Kind> Kinds() {
  const auto lines = [](std::unique_ptr<InputStream> stream, bool skip) {
    return Read(LineReader(std::move(stream), 0), skip);
  };
  const auto records = [](std::unique_ptr<InputStream> stream, bool skip) {
    return Read(RecordReader(std::move(stream), 0), skip);
  };
  const auto csv = [](bool header) {
    return [header](std::unique_ptr<InputStream> stream, bool skip) {
      return Read(CsvReader(std::move(stream), 0, {}, header, /*most_fields=*/10), skip);
    };
  };
  return {{"one\r\ntwo and more\n\nfour\nno end", lines},
          {Framed("one") + Framed("") + Framed("three and more") + Framed("four"), records},
          {"one,\"tw\"\"o\"\r\nthree,\"fo\nur\"\r\n\rfive,x\n\"six\",,", csv(false)},
          {"a,\"b\"\r\nthree,\"fo\nur\"\nfi\"ve,x\n\"six\" ,\nseven,", csv(true)},
          {"head1 2 3 4 5 ft", ReadFixed}};
}

// True of all before the first error but the last, which may be a part of what it was.
bool BeginsLike(const Results& results, const Results& whole) {
  for (size_t i = 0; i + 1 < results.size() && !results[i + 1].starts_with('!'); ++i) {
    if (i >= whole.size() || results[i] != whole[i]) return results[i].starts_with('!');
  }
  return true;
}

template <typename Check>
void ForEachFile(Check check) {
  for (const Kind& kind : Kinds()) {
    for (Compression compression : {Compression::kNone, Compression::kGzip}) {
      const std::string bytes =
          compression == Compression::kNone ? kind.bytes : Gzipped(kind.bytes);
      for (bool skip : {false, true}) {
        check(bytes, [&](const Trouble& trouble) {
          return kind.read(Open(bytes, compression, trouble), skip);
        });
      }
    }
  }
}

TEST_CASE("failing reads: an interrupted call is made again, and nothing is lost or double") {
  ForEachFile([](const std::string& bytes, const auto& read) {
    const Results whole = read({});
    REQUIRE(!whole.empty());
    for (int64_t number = 1; number < static_cast<int64_t>(bytes.size()); ++number) {
      CAPTURE(number);
      const Results results = read({.read = number, .status = Cancelled("by a test")});
      // The size of a file of records is looked at when it is opened: that call is no Next.
      const bool opening = results == Results{"!Cancelled"};
      CHECK((results == whole || opening));
    }
  });
}

TEST_CASE("failing reads: after an interrupted call another CSV reader goes on where it says") {
  const std::string bytes = "a,\"b\"\r\nfi\"ve,x and more\rsix,7\n\"no end\n8";
  const auto make = [&](uint64_t offset, int64_t number, const Trouble& trouble) {
    auto stream = Open(bytes, Compression::kNone, trouble);
    REQUIRE(stream->Seek(offset).ok());
    return CsvReader(std::move(stream), number, {}, /*header=*/true, /*most_fields=*/10);
  };
  const Results whole = ReadAll(make(0, 0, {}));
  CHECK(whole.size() == 4);
  for (int64_t number = 1; number < static_cast<int64_t>(bytes.size()); ++number) {
    CAPTURE(number);
    CsvReader reader = make(0, 0, {.read = number, .status = Cancelled("by a test")});
    Results results;
    std::string text;
    for (Status status; !status.end_of_sequence() && status.code() != Code::kCancelled;) {
      status = NextText(&reader, &text);
      if (status.ok()) results.push_back(text);
      if (status.code() == Code::kInvalidArgument) results.push_back(ErrorText(status));
    }
    const Results rest = ReadAll(make(reader.offset(), reader.number(), {}));
    results.insert(results.end(), rest.begin(), rest.end());
    CHECK(results == whole);
  }
}

TEST_CASE("failing reads: what was whole before comes, then the error of storage") {
  ForEachFile([](const std::string& bytes, const auto& read) {
    const Results whole = read({});
    for (int64_t number = 1; number < static_cast<int64_t>(bytes.size()); ++number) {
      for (bool stays : {false, true}) {
        CAPTURE(number);
        const Trouble trouble{
            .read = number, .status = Status(Code::kUnavailable, "by a test"), .stays = stays};
        const Results results = read(trouble);
        CHECK(BeginsLike(results, whole));
        if (results != whole && !results.empty()) CHECK(results.back() == "!Unavailable");
      }
    }
  });
}

TEST_CASE("failing reads: a file that shrinks gives what is left, or an error") {
  ForEachFile([](const std::string& bytes, const auto& read) {
    const Results whole = read({});
    for (int64_t number = 1; number < static_cast<int64_t>(bytes.size()); ++number) {
      CAPTURE(number);
      CHECK(BeginsLike(read({.read = number}), whole));
    }
  });
}

TEST_CASE("failing reads: records of blocks are right, or an error that names the file") {
  const ScratchDirectory scratch;
  auto writer = BlockWriter::Create(scratch.At("blocks"), Compression::kGzip);
  REQUIRE(writer.ok());
  for (int i = 0; i < 9; ++i) REQUIRE(writer.value()->Append(std::string(20000, 'a' + i)).ok());
  REQUIRE(writer.value()->Finish().ok());
  size_t size = 0;
  const auto content = ReadWholeFile(PosixFileSystem(), scratch.At("blocks"), nullptr, &size);
  REQUIRE(content.ok());
  const std::string_view bytes(reinterpret_cast<const char*>(content.value()->data()), size);
  for (const Status& status :
       {Status::Ok(), Cancelled("by a test"), Status(Code::kUnavailable, "by a test")}) {
    for (int64_t number = 1; number <= 40; ++number) {
      CAPTURE(number);
      const Trouble trouble{.read = number, .status = status, .size = 100};
      auto opened = BlockReader::Open(std::make_unique<TroubledFile>(bytes, trouble));
      // What is missing shows as damage of the file, or as the error itself.
      const Code expected = status.ok() ? Code::kDataLoss : status.code();
      const auto fits = [&](Code code) { return code == Code::kDataLoss || code == expected; };
      if (!opened.ok()) {
        CHECK(fits(opened.status().code()));
        continue;
      }
      BlockReader& reader = *opened.value();
      for (int64_t record = 0; record < reader.records(); ++record) {
        BlockReader::Record found;
        const Status read = reader.Read(record, &found);
        if (read.ok()) {
          CHECK(found.bytes == std::string(20000, static_cast<char>('a' + record)));
        } else {
          CHECK(fits(read.code()));
          if (read.code() == Code::kDataLoss)
            CHECK(read.message().find("'file'") != std::string::npos);
        }
      }
    }
  }
}

TEST_CASE("failing reads: what is longer than the limit is an error, and the next may follow") {
  const std::string text = "short\n" + std::string(100, 'x') + "\nend\n";
  for (size_t size : {size_t{3}, size_t{1000}}) {
    const Trouble none{.size = size};
    CHECK(ReadAll(LineReader(Open(text, Compression::kNone, none), 0, /*max_line_bytes=*/20)) ==
          Results{"short", "!ResourceExhausted"});
    for (const char* quote : {"", "\""}) {
      const std::string table = StrCat("a\n", quote, std::string(100, 'x'), quote, "\nb\n");
      const Results results = ReadAll(CsvReader(Open(table, Compression::kNone, none), 0, {}, false,
                                                10, /*max_record_bytes=*/20));
      CHECK(results == Results{"[a]", "!InvalidArgument", "[b]"});
    }
    const std::string records = Framed("one") + Framed(std::string(100, 'x')) + Framed("three");
    CHECK(ReadAll(RecordReader(Open(records, Compression::kNone, none), 0,
                               /*max_record_bytes=*/20)) ==
          Results{"one", "!ResourceExhausted", "three"});
  }
}

TEST_CASE("failing reads: more than compressed bytes may stand for is refused") {
  const size_t size = size_t{Limits::kFreeBytes} + (size_t{1} << 20);
  const std::string packed = Gzipped(std::string(size, 'x'));
  for (int64_t ratio : {int64_t{2}, int64_t{100000}}) {
    Limits limits;
    limits.decompression_ratio = ratio;
    InputStream stream(std::make_unique<TroubledFile>(packed, Trouble{.size = 9999}),
                       Compression::kGzip, size_t{1} << 16, limits);
    Status status = stream.Fill(1);
    while (status.ok() && !stream.window().empty()) {
      stream.Consume(stream.window().size());
      status = stream.Fill(1);
    }
    CHECK(status.code() == (ratio == 2 ? Code::kResourceExhausted : Code::kOk));
    CHECK((stream.offset() == size) == (ratio > 2));
  }
}

}  // namespace
}  // namespace fastpipe
