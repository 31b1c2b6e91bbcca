// ZlibStream: inflates a gzip file or a zlib stream piece by piece.
//
// Contract: the caller feeds compressed bytes and gives room for the result; whole members of a
// gzip file may follow each other, also with zero bytes between or after them. Bytes that cannot be
// inflated are DataLoss; the bytes before them are given first.
// Thread rule: used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "core/status.h"

struct z_stream_s;  // zlib's state

namespace fastpipe {

enum class ZlibFormat : uint8_t { kGzip, kZlib };

class ZlibStream {
 public:
  explicit ZlibStream(ZlibFormat format);
  ~ZlibStream();

  // Inflates from the front of `*input`, which is shortened by what was used, into `out`. Returns
  // how many bytes were written: fewer than `size` only if the input is used up, or an error comes
  // next. After an error only errors follow.
  Result<size_t> Inflate(std::string_view* input, uint8_t* out, size_t size);

  // True if all input so far consists of whole members: it may end here.
  bool complete() const { return complete_; }

 private:
  // One call of inflate(). Adds to `*written`; `*progress` is false if nothing could be done.
  Status Step(std::string_view* input, uint8_t* out, size_t size, size_t* written, bool* progress);
  Status Begin();

  const ZlibFormat format_;
  std::unique_ptr<z_stream_s> state_;  // null before the first byte
  bool complete_ = true;
  bool ended_ = false;  // between members
};

}  // namespace fastpipe
