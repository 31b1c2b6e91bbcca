// Reads files to their end, whatever befalls: for tests of readers.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "../../fuzz/reader_results.h"
#include "io/crc32c.h"

namespace fastpipe {

using fuzz::ErrorText;
using fuzz::NextText;
using fuzz::Results;

// The results of a reader, of which an interrupted call is made again.
template <typename Reader>
Results ReadAll(Reader reader) {
  Results results;
  std::string text;
  for (;;) {
    const Status status = NextText(&reader, &text);
    if (status.end_of_sequence()) return results;
    if (status.code() == Code::kCancelled) continue;
    results.push_back(status.ok() ? text : ErrorText(status));
    if (!status.ok() && !reader.can_continue()) return results;
    REQUIRE(results.size() < 1000);  // an error that comes again and again
  }
}

// Those that follow the first `count`.
template <typename Reader>
Results SkipThenRead(Reader reader, int64_t count) {
  for (int64_t skipped = 0; skipped < count;) {
    const Status status = reader.Skip(count - skipped, &skipped);
    if (status.end_of_sequence()) return {};
    if (status.code() == Code::kCancelled) continue;
    if (status.ok()) CHECK(skipped == count);
    if (status.ok()) continue;
    ++skipped;
    if (!reader.can_continue()) return {};
  }
  return ReadAll(std::move(reader));
}

template <typename T>
std::string Raw(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

// A record of a TFRecord file.
inline std::string Framed(const std::string& data) {
  const std::string length = Raw<uint64_t>(data.size());
  return length + Raw(MaskedCrc32c(length)) + data + Raw(MaskedCrc32c(data));
}

}  // namespace fastpipe
