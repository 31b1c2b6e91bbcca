// ZstdStream: decompresses Zstandard frames piece by piece.
//
// Contract: as ZlibStream (codec/zlib_stream.h): the caller feeds compressed bytes and gives room
// for the result; whole frames may follow each other, and skippable ones are skipped. Bytes that
// cannot be decompressed are DataLoss; the bytes before them are given first. A frame that asks for
// a window of more than 128 MiB is refused before memory for it is taken.
// Thread rule: used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/status.h"

struct ZSTD_DCtx_s;  // zstd's state

namespace fastpipe {

class ZstdStream {
 public:
  ZstdStream();
  ~ZstdStream();

  // Decompresses from the front of `*input`, which is shortened by what was used, into `out`.
  // Returns how many bytes were written: fewer than `size` only if the input is used up, or an
  // error comes next. After an error only errors follow.
  Result<size_t> Inflate(std::string_view* input, uint8_t* out, size_t size);

  // True if all input so far consists of whole frames: it may end here.
  bool complete() const { return complete_; }

 private:
  static constexpr size_t kFrameStart = 5;  // how many bytes zstd wants of a frame first

  struct Free {
    void operator()(ZSTD_DCtx_s* state) const;
  };
  // One call of zstd. Adds to `*written`; `*progress` is false if nothing could be done.
  Status Step(std::string_view* input, uint8_t* out, size_t size, size_t* written, bool* progress);
  // What the next call of zstd takes, of gathered_ if that holds any; empty if it has yet to come.
  std::string_view NextUnit(std::string_view* input);

  std::unique_ptr<ZSTD_DCtx_s, Free> state_;  // null before the first byte
  bool complete_ = true;
  // zstd filled the room it had: there may be more of what it has decompressed.
  bool full_ = false;
  size_t wanted_ = kFrameStart;  // bytes that zstd waits for: up to the end of a header or block
  std::string gathered_;         // the beginning of those, of input that is used up
  Status failure_;
};

}  // namespace fastpipe
