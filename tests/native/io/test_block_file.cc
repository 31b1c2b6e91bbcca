#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "io/block_file.h"
#include "io/block_format.h"
#include "scratch.h"

namespace fastpipe {
namespace {

std::vector<std::string> Records(size_t count) {
  std::vector<std::string> records;
  for (size_t i = 0; i < count; ++i) {
    records.push_back(std::string(i * 37 % 3000, static_cast<char>('a' + i % 26)));
  }
  return records;
}

void Write(const std::string& path, const std::vector<std::string>& records,
           Compression compression) {
  auto writer = BlockWriter::Create(path, compression);
  REQUIRE(writer.ok());
  for (const std::string& record : records) REQUIRE(writer.value()->Append(record).ok());
  REQUIRE(writer.value()->Finish().ok());
}

Result<std::unique_ptr<BlockReader>> OpenReader(const std::string& path) {
  auto file = PosixFileSystem()->Open(path, nullptr);
  REQUIRE(file.ok());
  return BlockReader::Open(std::move(file.value()));
}

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr Compression kAll[] = {Compression::kNone, Compression::kGzip, Compression::kZlib,
                                Compression::kZstd};

TEST_CASE("block file: every record is found in any order") {
  const ScratchDirectory scratch;
  const auto records = Records(500);
  for (Compression compression : kAll) {
    Write(scratch.At("a"), records, compression);
    auto reader = OpenReader(scratch.At("a"));
    REQUIRE(reader.ok());
    CHECK(reader.value()->damage().ok());
    REQUIRE(reader.value()->records() == 500);
    BlockReader::Record record;
    for (int64_t step : {1, 7, 331}) {
      for (int64_t i = 0; i < 500; ++i) {
        const int64_t number = i * step % 500;
        REQUIRE(reader.value()->Read(number, &record).ok());
        CHECK(record.bytes == records[static_cast<size_t>(number)]);
        const size_t alignment = record.bytes.size() < 1024 ? 8 : 64;
        CHECK(reinterpret_cast<uintptr_t>(record.bytes.data()) % alignment == 0);
      }
    }
  }
}

TEST_CASE("block file: empty files and empty records") {
  const ScratchDirectory scratch;
  for (Compression compression : kAll) {
    Write(scratch.At("none"), {}, compression);
    Write(scratch.At("empty"), {"", "", ""}, compression);
    auto none = OpenReader(scratch.At("none"));
    REQUIRE(none.ok());
    CHECK(none.value()->records() == 0);
    CHECK(none.value()->damage().ok());
    auto empty = OpenReader(scratch.At("empty"));
    REQUIRE(empty.ok());
    CHECK(empty.value()->records() == 3);
    BlockReader::Record record;
    REQUIRE(empty.value()->Read(2, &record).ok());
    CHECK(record.bytes.empty());
  }
}

TEST_CASE("block file: a cut file gives the records before the cut") {
  const ScratchDirectory scratch;
  const auto records = Records(300);
  for (Compression compression : kAll) {
    Write(scratch.At("whole"), records, compression);
    const std::string content = Content(scratch.At("whole"));
    for (size_t size = 64; size < content.size(); size += 997) {
      const std::string path = scratch.Write("cut", content.substr(0, size));
      auto reader = OpenReader(path);
      REQUIRE(reader.ok());
      CHECK(reader.value()->damage().code() == Code::kDataLoss);
      bool failed = false;
      BlockReader::Record record;
      for (int64_t i = 0; i < reader.value()->records(); ++i) {
        const Status status = reader.value()->Read(i, &record);
        failed = failed || !status.ok();
        if (status.ok()) {
          CHECK(!failed);
          CHECK(record.bytes == records[static_cast<size_t>(i)]);
        }
      }
    }
  }
}

TEST_CASE("block file: no changed byte gives a wrong record") {
  const ScratchDirectory scratch;
  const auto records = Records(40);
  for (Compression compression : kAll) {
    Write(scratch.At("whole"), records, compression);
    std::string content = Content(scratch.At("whole"));
    for (size_t place = 0; place < content.size(); place += 3) {
      content[place] ^= 16;
      auto reader = OpenReader(scratch.Write("bad", content));
      content[place] ^= 16;
      if (!reader.ok()) continue;
      BlockReader::Record record;
      for (int64_t i = 0; i < reader.value()->records(); ++i) {
        const Status status = reader.value()->Read(i, &record);
        if (status.ok()) CHECK(record.bytes == records[static_cast<size_t>(i)]);
        if (!status.ok()) CHECK(status.message().find("offset") != std::string::npos);
      }
    }
  }
}

// A file of an empty record and of one at `begin` of its block, with all checksums as they should
// be.
std::string FileWithRecordAt(uint32_t begin, const std::string& record) {
  using namespace block_format;  // NOLINT
  std::string file(kFileMagic);
  Put<uint32_t>(kVersion, &file);
  Put<uint32_t>(0, &file);
  Seal(kFileHeader, &file);
  std::string directory;
  for (const uint32_t number : {0U, 0U, MaskedCrc32c("")}) Put<uint32_t>(number, &directory);
  Put<uint32_t>(begin, &directory);
  Put<uint32_t>(static_cast<uint32_t>(record.size()), &directory);
  Put<uint32_t>(MaskedCrc32c(record), &directory);
  const uint64_t size = begin + record.size();
  std::string block;
  Put<uint32_t>(kBlockMagic, &block);
  Put<uint32_t>(2, &block);
  Put<uint64_t>(size, &block);
  Put<uint64_t>(size, &block);
  Put<uint32_t>(MaskedCrc32c(directory), &block);
  Seal(kBlockHeader, &block);
  block += directory;
  block.resize(AlignUp(block.size(), kAlignment));
  return file + block + std::string(begin, '.') + record;
}

TEST_CASE("block file: a record that is not aligned is data loss") {
  const ScratchDirectory scratch;
  for (const auto& [begin, size] :
       {std::pair<uint32_t, size_t>(8, 20), std::pair<uint32_t, size_t>(64, 2000),
        std::pair<uint32_t, size_t>(4, 20), std::pair<uint32_t, size_t>(8, 2000)}) {
    auto reader = OpenReader(scratch.Write("one", FileWithRecordAt(begin, std::string(size, 'x'))));
    REQUIRE(reader.ok());
    REQUIRE(reader.value()->records() == 2);
    BlockReader::Record record;
    const Status status = reader.value()->Read(1, &record);
    CHECK(status.ok() == (begin % (size < 1024 ? 8 : 64) == 0));
    if (!status.ok()) CHECK(status.code() == Code::kDataLoss);
  }
}

template <typename T>
void Set(std::string* bytes, size_t at, T value) {
  std::memcpy(bytes->data() + at, &value, sizeof(value));
}

// Writes the checksum of bytes [begin, end) to `at`.
void SetChecksum(std::string* file, size_t at, size_t begin, size_t end) {
  Set(file, at, MaskedCrc32c(std::string_view(*file).substr(begin, end - begin)));
}

// A file of one block, and where its parts are.
struct Forged {
  std::string bytes;
  size_t block = block_format::kFileHeader;
  size_t directory = block_format::kFileHeader + block_format::kBlockHeader;
  size_t trailer = bytes.size() - block_format::kTrailer;
  size_t index = static_cast<size_t>(
      block_format::Load<uint64_t>(reinterpret_cast<const uint8_t*>(bytes.data()) + trailer));

  // With all checksums as they should be.
  std::string Sealed(size_t records) const {
    std::string file = bytes;
    SetChecksum(&file, block + 24, directory, directory + records * block_format::kEntry);
    SetChecksum(&file, directory - 4, block, directory - 4);
    SetChecksum(&file, trailer + 24, index, trailer);
    const size_t seal = file.size() - block_format::kEndMagic.size() - 4;
    SetChecksum(&file, seal, trailer, seal);
    return file;
  }
};

TEST_CASE("block file: numbers that cannot be are data loss though all checksums are right") {
  const ScratchDirectory scratch;
  const auto forge = [&scratch](Compression compression, auto edit) {
    Write(scratch.At("whole"), Records(3), compression);
    Forged file = {Content(scratch.At("whole"))};
    edit(&file);
    return OpenReader(scratch.Write("forged", file.Sealed(3)));
  };
  const auto check = [&forge](Compression compression, int64_t number, const char* expected,
                              auto edit) {
    auto reader = forge(compression, edit);
    REQUIRE(reader.ok());
    BlockReader::Record record;
    const Status status = reader.value()->Read(number, &record);
    CHECK(status.code() == Code::kDataLoss);
    CHECK_MESSAGE(status.message().find(expected) != std::string::npos, status.ToString());
  };
  const auto plain = Compression::kNone;
  check(plain, 0, "its index lacks record 0",
        [](Forged* file) { Set<uint64_t>(&file->bytes, file->index + 8, 1); });
  check(plain, 0, "the index is wrong",
        [](Forged* file) { Set<uint64_t>(&file->bytes, file->index, uint64_t{1} << 40); });
  check(plain, 7, "it lacks records that the index has",
        [](Forged* file) { Set<uint64_t>(&file->bytes, file->trailer + 16, 9); });
  check(plain, 0, "it is cut",
        [](Forged* file) { Set<uint32_t>(&file->bytes, file->block + 4, 1 << 20); });
  check(plain, 1, "record 1 lies outside", [](Forged* file) {
    Set<uint32_t>(&file->bytes, file->directory + block_format::kEntry, 1 << 20);
  });
  for (Compression compression : {Compression::kGzip, Compression::kZstd}) {
    check(compression, 0, "its size is impossible",
          [](Forged* file) { Set<uint64_t>(&file->bytes, file->block + 8, uint64_t{1} << 62); });
  }
  // What the trailer says of an index that is not there does not count: the blocks do.
  auto reader = forge(
      plain, [](Forged* file) { Set<uint64_t>(&file->bytes, file->trailer, file->index + 1); });
  REQUIRE(reader.ok());
  CHECK(reader.value()->damage().code() == Code::kDataLoss);
  BlockReader::Record record;
  REQUIRE(reader.value()->Read(2, &record).ok());
  CHECK(record.bytes == Records(3)[2]);
}

TEST_CASE("block file: another version of the format is refused as such") {
  const ScratchDirectory scratch;
  for (const auto& [version, compression] : {std::pair<uint32_t, uint32_t>(2, 0), {1, 9}}) {
    std::string header(block_format::kFileMagic);
    block_format::Put(version, &header);
    block_format::Put(compression, &header);
    block_format::Seal(block_format::kFileHeader, &header);
    CHECK(OpenReader(scratch.Write("other", header)).status().code() == Code::kFailedPrecondition);
    CHECK(OpenReader(scratch.Write("cut", header.substr(0, 40))).status().code() ==
          Code::kDataLoss);
  }
}

TEST_CASE("block file: other files are told apart") {
  const ScratchDirectory scratch;
  for (std::string_view content :
       {"", "FPBLOCK", "something else, longer than a header of 64 byte"}) {
    auto reader = OpenReader(scratch.Write("other", content));
    CHECK(reader.status().code() == Code::kDataLoss);
    CHECK(reader.status().message().find("other") != std::string::npos);
  }
}

}  // namespace
}  // namespace fastpipe
