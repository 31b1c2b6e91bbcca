#include "codec/zlib_stream.h"

#include <zlib.h>

#include <algorithm>

namespace fastpipe {
namespace {

// zlib counts in 32 bits.
uInt Clamp(size_t size) { return static_cast<uInt>(std::min<size_t>(size, size_t{1} << 30)); }

// windowBits of inflateInit2: the largest window, plus 16 for a gzip header.
int WindowBits(ZlibFormat format) {
  return format == ZlibFormat::kGzip ? MAX_WBITS + 16 : MAX_WBITS;
}

}  // namespace

ZlibStream::ZlibStream(ZlibFormat format) : format_(format) {}

ZlibStream::~ZlibStream() {
  if (state_) inflateEnd(state_.get());
}

Status ZlibStream::Begin() {
  if (state_) {
    inflateReset(state_.get());
    return Status::Ok();
  }
  auto state = std::make_unique<z_stream>();
  const int result = inflateInit2(state.get(), WindowBits(format_));
  if (result != Z_OK) return ResourceExhausted("no memory to inflate with");
  state_ = std::move(state);
  return Status::Ok();
}

Result<size_t> ZlibStream::Inflate(std::string_view* input, uint8_t* out, size_t size) {
  size_t written = 0;
  while (written < size) {
    bool progress = false;
    Status status = Step(input, out + written, size - written, &written, &progress);
    // zlib repeats its error, so what came before it can be given first.
    if (!status.ok() && written == 0) return status;
    if (!status.ok() || !progress) break;
  }
  return written;
}

Status ZlibStream::Step(std::string_view* input, uint8_t* out, size_t size, size_t* written,
                        bool* progress) {
  if (ended_ && format_ == ZlibFormat::kGzip) {
    input->remove_prefix(std::min(input->find_first_not_of('\0'), input->size()));
  }
  if (complete_ && input->empty()) return Status::Ok();
  if (ended_ && format_ == ZlibFormat::kZlib) {
    return DataLoss("there are more bytes after the end of the ZLIB stream");
  }
  if (complete_) {
    FASTPIPE_RETURN_IF_ERROR(Begin());
    complete_ = false;
    ended_ = false;
  }
  z_stream* state = state_.get();
  state->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input->data()));
  state->avail_in = Clamp(input->size());
  state->next_out = out;
  state->avail_out = Clamp(size);
  const uInt given = state->avail_in;
  const uInt room = state->avail_out;
  const int result = inflate(state, Z_NO_FLUSH);
  input->remove_prefix(given - state->avail_in);
  *written += room - state->avail_out;
  *progress = given != state->avail_in || room != state->avail_out || result == Z_STREAM_END;
  if (result == Z_STREAM_END) complete_ = ended_ = true;
  if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR) return Status::Ok();
  if (result == Z_MEM_ERROR) return ResourceExhausted("no memory to inflate with");
  if (result == Z_NEED_DICT) return DataLoss("the data needs a preset dictionary");
  return DataLoss(state->msg != nullptr ? state->msg : "the compressed data is corrupt");
}

}  // namespace fastpipe
