// The readers of files: TFRecord, lines, records of fixed length, CSV; plain or compressed. What
// they give must not depend on the size of reads and buffers, nor on what was skipped before.

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "../memory_files.h"
#include "../reader_results.h"
#include "../target.h"
#include "io/crc32c.h"
#include "io/fixed_reader.h"
#include "io/line_reader.h"
#include "io/record_reader.h"

namespace fastpipe::fuzz {
namespace {

constexpr uint64_t kMaxRecordBytes = 1 << 20;
constexpr Compression kCompressions[] = {Compression::kNone, Compression::kGzip, Compression::kZlib,
                                         Compression::kZstd};

// How a file is read.
struct Reading {
  Compression compression = Compression::kNone;
  std::string_view bytes;
  size_t buffer_size = 4096;  // less than usual: memory of that size takes time to get
  size_t max_read = SIZE_MAX;

  std::unique_ptr<InputStream> Open() const {
    return std::make_unique<InputStream>(std::make_unique<MemoryFile>("file", bytes, max_read),
                                         compression, buffer_size);
  }
};

// Texts, and for each error "!" and its code.
template <typename Reader>
Results ReadAll(Reader* reader) {
  Results results;
  std::string text;
  while (results.size() < kMaxResults) {
    const Status status = NextText(reader, &text);
    if (status.end_of_sequence()) break;
    CheckError(status, {Code::kDataLoss, Code::kInvalidArgument, Code::kResourceExhausted});
    results.push_back(status.ok() ? text : ErrorText(status));
    if (!status.ok() && !reader->can_continue()) break;
  }
  return results;
}

// Results from number `count` on; nothing if they end before.
template <typename Reader>
Results SkipThenRead(Reader* reader, int64_t count) {
  for (int64_t skipped = 0; skipped < count;) {
    const Status status = reader->Skip(count - skipped, &skipped);
    Check(skipped <= count, "no more is skipped than was asked for");
    if (status.end_of_sequence()) return {};
    if (!status.ok() && !reader->can_continue()) return {};
    if (!status.ok()) ++skipped;
  }
  return ReadAll(reader);
}

std::string Joined(const Results& results) {
  std::string text;
  for (const std::string& result : results) text += StrCat("<", result, ">");
  return text;
}

// `open` makes the reader of a Reading. `errors_when_skipped`: Skip says what Next would say.
template <typename MakeReader>
void FuzzReader(Choices* choices, const Reading& whole, MakeReader make, bool errors_when_skipped) {
  auto first = make(whole);
  const Results results = ReadAll(&first);
  Reading pieces = whole;
  pieces.buffer_size = static_cast<size_t>(1 + choices->Below(64));
  pieces.max_read = static_cast<size_t>(1 + choices->Below(64));
  auto second = make(pieces);
  const Results again = ReadAll(&second);
  Check(results == again, StrCat("read in pieces, the results are the same: ", Joined(results),
                                 " or ", Joined(again)));
  if (results.size() >= kMaxResults || !errors_when_skipped) return;
  const auto count = static_cast<size_t>(choices->Below(8));
  auto third = make(pieces);
  const Results rest = SkipThenRead(&third, static_cast<int64_t>(count));
  const size_t start = std::min(count, results.size());
  const Results expected(results.begin() + static_cast<int64_t>(start), results.end());
  Check(rest == expected,
        StrCat("skipping ", count, " leaves the others: ", Joined(rest), " or ", Joined(expected)));
}

Reading ReadReading(Choices* choices) {
  Reading reading;
  reading.compression = kCompressions[choices->Below(4)];
  return reading;
}

// With the checksums of all records as they should be.
std::string Mended(std::string_view bytes) {
  std::string file(bytes);
  const auto seal = [&](size_t begin, size_t size) {
    const uint32_t checksum = MaskedCrc32c(std::string_view(file).substr(begin, size));
    std::memcpy(file.data() + begin + size, &checksum, sizeof(checksum));
  };
  for (size_t at = 0; file.size() >= at + 16;) {
    uint64_t size = 0;
    std::memcpy(&size, file.data() + at, sizeof(size));
    seal(at, sizeof(size));
    if (size > file.size() - at - 16) break;
    seal(at + 12, size);
    at += 16 + size;
  }
  return file;
}

void FuzzRecords(std::string_view bytes) {
  Choices choices(bytes);
  Reading reading = ReadReading(&choices);
  const bool mend = choices.Flag();
  Choices sizes(choices.Bytes(3));
  const std::string mended = mend ? Mended(choices.rest()) : std::string();
  reading.bytes = mend ? mended : choices.rest();
  // A record whose data are damaged is passed over without an error.
  const auto make = [](const Reading& how) { return RecordReader(how.Open(), 0, kMaxRecordBytes); };
  FuzzReader(&sizes, reading, make, mend && reading.compression == Compression::kNone);
}

void FuzzLines(std::string_view bytes) {
  Choices choices(bytes);
  Reading reading = ReadReading(&choices);
  Choices sizes(choices.Bytes(3));
  reading.bytes = choices.rest();
  FuzzReader(&sizes, reading, [](const Reading& how) { return LineReader(how.Open(), 0); }, true);
}

void FuzzFixed(std::string_view bytes) {
  Choices choices(bytes);
  Reading reading = ReadReading(&choices);
  FixedFormat format;
  format.record_bytes = static_cast<uint64_t>(1 + choices.Below(20));
  format.header_bytes = static_cast<uint64_t>(choices.Below(20));
  format.footer_bytes = static_cast<uint64_t>(choices.Below(20));
  Choices sizes(choices.Bytes(3));
  reading.bytes = choices.rest();
  auto opened = FixedReader::Open(reading.Open(), format, 0);
  CheckError(opened.status(), {Code::kDataLoss, Code::kInvalidArgument});
  if (!opened.ok()) return;
  const auto make = [&format](const Reading& how) {
    auto reader = FixedReader::Open(how.Open(), format, 0);
    Check(reader.ok(), "a file that could be opened can be opened again");
    return std::move(reader.value());
  };
  FuzzReader(&sizes, reading, make, true);
}

void FuzzCsv(std::string_view bytes) {
  Choices choices(bytes);
  Reading reading = ReadReading(&choices);
  CsvFormat format;
  format.delimiter = ",\t; "[choices.Below(4)];
  format.quotes = !choices.Flag();
  const bool header = choices.Flag();
  Choices sizes(choices.Bytes(3));
  reading.bytes = choices.rest();
  const auto make = [&](const Reading& how) {
    return CsvReader(how.Open(), 0, format, header, kMaxResults);
  };
  FuzzReader(&sizes, reading, make, true);
  std::vector<CsvField> fields;
  CheckError(SplitCsvRecord(reading.bytes, format, kMaxResults, &fields), {Code::kInvalidArgument});
  std::string scratch;
  for (const CsvField& field : fields) {
    Check(field.Text(&scratch).size() <= reading.bytes.size(), "a field is part of its record");
  }
}

FASTPIPE_FUZZ_TARGET("tf_record", FuzzRecords);
FASTPIPE_FUZZ_TARGET("lines", FuzzLines);
FASTPIPE_FUZZ_TARGET("fixed_length", FuzzFixed);
FASTPIPE_FUZZ_TARGET("csv", FuzzCsv);

}  // namespace
}  // namespace fastpipe::fuzz
