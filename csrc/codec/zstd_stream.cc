#include "codec/zstd_stream.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>

namespace fastpipe {
namespace {

constexpr int kMaxWindowBits = 27;

Status ErrorOf(size_t result) {
  if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) {
    return ResourceExhausted("no memory to decompress with");
  }
  return DataLoss(ZSTD_getErrorName(result));
}

}  // namespace

void ZstdStream::Free::operator()(ZSTD_DCtx_s* state) const { ZSTD_freeDCtx(state); }

ZstdStream::ZstdStream() = default;
ZstdStream::~ZstdStream() = default;

Result<size_t> ZstdStream::Inflate(std::string_view* input, uint8_t* out, size_t size) {
  size_t written = 0;
  while (written < size && failure_.ok()) {
    bool progress = false;
    failure_ = Step(input, out + written, size - written, &written, &progress);
    if (failure_.ok() && !progress) break;
  }
  // What came before an error is given first.
  if (!failure_.ok() && written == 0) return failure_;
  return written;
}

Status ZstdStream::Step(std::string_view* input, uint8_t* out, size_t size, size_t* written,
                        bool* progress) {
  if (complete_ && input->empty()) return Status::Ok();
  if (state_ == nullptr) {
    state_.reset(ZSTD_createDCtx());
    if (state_ == nullptr) return ResourceExhausted("no memory to decompress with");
    ZSTD_DCtx_setParameter(state_.get(), ZSTD_d_windowLogMax, kMaxWindowBits);
  }
  // With an error zstd gives nothing of what the same call has decompressed. An error comes with
  // the last byte of a header, a block or a checksum, so a call of its own takes that one: what is
  // given before an error does not depend on the pieces in which the input came.
  const size_t most = full_ ? 0 : std::max<size_t>(wanted_, 2) - 1;
  ZSTD_inBuffer from = {input->data(), std::min(input->size(), most), 0};
  ZSTD_outBuffer to = {out, size, 0};
  const size_t result = ZSTD_decompressStream(state_.get(), &to, &from);
  input->remove_prefix(from.pos);
  *written += to.pos;
  *progress = from.pos > 0 || to.pos > 0 || full_;
  if (ZSTD_isError(result)) return ErrorOf(result);
  full_ = to.pos == size;
  complete_ = result == 0;
  wanted_ = complete_ ? kFrameStart : result;
  return Status::Ok();
}

}  // namespace fastpipe
