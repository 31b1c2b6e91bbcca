#include <doctest/doctest.h>

#include <string>

#include "io/crc32c.h"

namespace fastpipe {
namespace {

TEST_CASE("crc32c: the vectors of RFC 3720") {
  std::string ascending;
  std::string descending;
  for (int i = 0; i < 32; ++i) {
    ascending.push_back(static_cast<char>(i));
    descending.push_back(static_cast<char>(31 - i));
  }
  for (auto variant : {Crc32c, internal::Crc32cPortable}) {
    CHECK(variant("") == 0);
    CHECK(variant("123456789") == 0xe3069283);
    CHECK(variant(std::string(32, '\0')) == 0x8a9136aa);
    CHECK(variant(std::string(32, '\xff')) == 0x62a8ab43);
    CHECK(variant(ascending) == 0x46dd794e);
    CHECK(variant(descending) == 0x113fdb5c);
  }
}

TEST_CASE("crc32c: the variants agree at every length and alignment") {
  if (!internal::HasSse42()) return;
  std::string bytes;
  for (int i = 0; i < 400; ++i) bytes.push_back(static_cast<char>(i * 131 + i / 7));
  const std::string_view all = bytes;
  for (size_t start = 0; start < 16; ++start) {
    for (size_t size = 0; start + size <= all.size(); ++size) {
      const std::string_view part = all.substr(start, size);
      REQUIRE(internal::Crc32cSse42(part) == internal::Crc32cPortable(part));
    }
  }
}

TEST_CASE("crc32c: masked as in TFRecord files") {
  // The header of a record of 8 bytes, as TensorFlow writes it.
  CHECK(MaskedCrc32c(std::string_view("\x08\0\0\0\0\0\0\0", 8)) == 0x0f2486ff);
  CHECK(MaskedCrc32c("") == 0xa282ead8);
}

}  // namespace
}  // namespace fastpipe
