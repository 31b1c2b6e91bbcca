#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../codec/deflate.h"
#include "io/input_stream.h"
#include "scratch.h"

namespace fastpipe {
namespace {

std::string Sample(size_t size) {
  std::string bytes;
  for (size_t i = 0; bytes.size() < size; ++i) bytes += std::to_string(i * i) + ",";
  bytes.resize(size);
  return bytes;
}

struct Source {
  std::unique_ptr<InputStream> Open(Compression compression, size_t buffer_size,
                                    FileSystem* file_system = PosixFileSystem()) {
    auto file = file_system->Open(path, nullptr);
    REQUIRE(file.ok());
    return std::make_unique<InputStream>(std::move(file.value()), compression, buffer_size);
  }
  void Write(const std::string& bytes, Compression compression) {
    if (compression == Compression::kNone) path = directory.Write("file", bytes);
    if (compression == Compression::kGzip) path = directory.Write("file", Gzipped(bytes));
    if (compression == Compression::kZlib) {
      path = directory.Write("file", Deflated(bytes, ZlibFormat::kZlib));
    }
  }
  ScratchDirectory directory;
  std::string path;
};

constexpr Compression kAll[] = {Compression::kNone, Compression::kGzip, Compression::kZlib};

TEST_CASE("input stream: names of compressions") {
  CHECK(ParseCompression("").value() == Compression::kNone);
  CHECK(ParseCompression("GZIP").value() == Compression::kGzip);
  CHECK(ParseCompression("ZLIB").value() == Compression::kZlib);
  CHECK(ParseCompression("gzip").status().code() == Code::kInvalidArgument);
  CHECK(ParseCompression("LZMA").status().message().find("'LZMA'") != std::string::npos);
}

TEST_CASE_FIXTURE(Source, "input stream: slices stay what they were while the stream goes on") {
  const std::string bytes = Sample(20000);
  auto short_reads = NewFaultyFileSystem(PosixFileSystem(), {.max_read = 100});
  for (Compression compression : kAll) {
    Write(bytes, compression);
    for (size_t buffer_size : {size_t{1}, size_t{300}, size_t{100000}}) {
      for (FileSystem* file_system :
           {PosixFileSystem(), static_cast<FileSystem*>(short_reads.get())}) {
        auto stream = Open(compression, buffer_size, file_system);
        std::vector<std::pair<BufferRef, std::string_view>> slices;
        for (size_t size = 1;; size = size % 1500 + 97) {
          REQUIRE(stream->Fill(size).ok());
          const size_t taken = std::min(size, stream->window().size());
          if (taken == 0) break;
          slices.emplace_back(stream->buffer(), stream->window().substr(0, taken));
          stream->Consume(taken);
        }
        std::string all;
        for (const auto& [buffer, slice] : slices) all += slice;
        CHECK(all == bytes);
        CHECK(stream->offset() == bytes.size());
      }
    }
  }
}

TEST_CASE_FIXTURE(Source, "input stream: a wish for more than there is costs no memory") {
  for (Compression compression : kAll) {
    Write(Sample(1000), compression);
    auto stream = Open(compression, 256);
    const int64_t before = BufferPool::Get().live_bytes();
    REQUIRE(stream->Fill(size_t{1} << 50).ok());
    CHECK(stream->window() == Sample(1000));
    CHECK(BufferPool::Get().live_bytes() - before < 100000);
  }
}

TEST_CASE_FIXTURE(Source, "input stream: seeking and skipping lead to the same bytes") {
  const std::string bytes = Sample(5000);
  for (Compression compression : kAll) {
    Write(bytes, compression);
    auto stream = Open(compression, 512);
    for (size_t target : {size_t{0}, size_t{700}, size_t{701}, size_t{4999}, size_t{100},
                          size_t{5000}, size_t{2500}}) {
      REQUIRE(stream->Seek(target).ok());
      CHECK(stream->offset() == target);
      REQUIRE(stream->Fill(10).ok());
      CHECK(stream->window().substr(0, 10) == bytes.substr(target, 10));
      uint64_t skipped = 0;
      REQUIRE(stream->Skip(1200, &skipped).ok());
      CHECK(skipped == std::min<size_t>(1200, bytes.size() - target));
      CHECK(stream->offset() == target + skipped);
    }
    CHECK(Open(compression, 512)->Seek(5001).code() == Code::kDataLoss);
  }
}

TEST_CASE_FIXTURE(Source, "input stream: bytes left are known of plain files only") {
  Write(Sample(100), Compression::kNone);
  auto stream = Open(Compression::kNone, 16);
  CHECK(stream->BytesLeft() == 100);
  REQUIRE(stream->Fill(30).ok());
  CHECK(stream->BytesLeft() == 100);
  stream->Consume(30);
  CHECK(stream->BytesLeft() == 70);
  Write(Sample(100), Compression::kGzip);
  CHECK(Open(Compression::kGzip, 16)->BytesLeft() == -1);
}

TEST_CASE_FIXTURE(Source, "input stream: an error comes after the bytes before it, and stays") {
  path = directory.Write("file", Gzipped(Sample(3000)).substr(0, 500));
  auto stream = Open(Compression::kGzip, 256);
  const Status status = stream->Fill(3000);
  CHECK(status.code() == Code::kDataLoss);
  CHECK(status.message().find(path) != std::string::npos);
  CHECK(status.message().find("truncated") != std::string::npos);
  const std::string_view before = stream->window();
  CHECK(before.size() > 100);
  CHECK(before == Sample(before.size()));
  CHECK(stream->Fill(before.size()).ok());
  CHECK(stream->Fill(before.size() + 1).code() == Code::kDataLoss);
}

TEST_CASE_FIXTURE(Source, "input stream: a failed read is reported") {
  Write(Sample(1000), Compression::kNone);
  auto faulty = NewFaultyFileSystem(PosixFileSystem(), {.max_read = 300, .fail_read = 3});
  auto stream = Open(Compression::kNone, 1000, faulty.get());
  CHECK(stream->Fill(1000).code() == Code::kUnavailable);
  CHECK(stream->window() == Sample(600));
}

}  // namespace
}  // namespace fastpipe
