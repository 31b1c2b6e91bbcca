// Runs a decompressing stream over bytes that come in pieces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/status.h"

namespace fastpipe {

struct Inflated {
  std::string bytes;
  Status status;
  bool complete = false;
};

// Feeds `input` in pieces of `piece` bytes and takes the result in pieces of `room`, until it has
// more than `most` bytes.
template <typename Stream>
Inflated InflateInPieces(Stream* stream, std::string_view input, size_t piece, size_t room,
                         size_t most = SIZE_MAX) {
  Inflated result;
  std::string out(room, '\0');
  while (result.status.ok() && result.bytes.size() <= most) {
    std::string_view given = input.substr(0, piece);
    const size_t before = given.size();
    auto count = stream->Inflate(&given, reinterpret_cast<uint8_t*>(out.data()), room);
    input.remove_prefix(before - given.size());
    if (!count.ok()) {
      result.status = count.status();
    } else {
      result.bytes.append(out, 0, count.value());
      if (count.value() == 0 && input.empty()) break;
    }
  }
  result.complete = stream->complete();
  return result;
}

inline std::string Lines() {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "line " + std::to_string(i * i) + "\n";
  return text;
}

}  // namespace fastpipe
