#include "codec/zstd_stream.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>

namespace fastpipe {
namespace {

constexpr int kMaxWindowBits = 27;
constexpr size_t kBlockHeader = 3;
constexpr size_t kLargestUnit = ZSTD_BLOCKSIZE_MAX;

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
  const size_t given = input->size();
  const std::string_view unit = full_ ? std::string_view() : NextUnit(input);
  if (unit.empty() && !full_) {
    *progress = input->size() < given;
    return Status::Ok();
  }
  ZSTD_inBuffer from = {unit.data(), unit.size(), 0};
  ZSTD_outBuffer to = {out, size, 0};
  const size_t result = ZSTD_decompressStream(state_.get(), &to, &from);
  if (gathered_.empty()) {
    input->remove_prefix(from.pos);
  } else {
    gathered_.erase(0, from.pos);
  }
  *written += to.pos;
  *progress = from.pos > 0 || to.pos > 0 || full_;
  if (ZSTD_isError(result)) return ErrorOf(result);
  full_ = to.pos == size;
  complete_ = result == 0 && gathered_.empty();
  wanted_ = result == 0 ? kFrameStart : result;
  return Status::Ok();
}

// With an error zstd gives nothing of what the same call has decompressed, so what is given before
// an error depends on the calls. They are the same in whatever pieces the input comes. zstd waits
// for a block and the header that follows it: one call takes the block, which has come whole though
// the header may not yet, and others the header, the last of them the byte that shows an error.
std::string_view ZstdStream::NextUnit(std::string_view* input) {
  size_t size = wanted_ > kBlockHeader ? wanted_ - kBlockHeader : std::max<size_t>(wanted_, 2) - 1;
  // Of what is skipped zstd waits for all that is left, in which there is no error.
  if (size > kLargestUnit) size = std::clamp<size_t>(input->size(), 1, size);
  if (gathered_.empty() && input->size() >= size) return input->substr(0, size);
  const size_t taken = std::min(size - std::min(size, gathered_.size()), input->size());
  gathered_.append(*input, 0, taken);
  input->remove_prefix(taken);
  complete_ = complete_ && gathered_.empty();
  return gathered_.size() < size ? std::string_view() : std::string_view(gathered_).substr(0, size);
}

}  // namespace fastpipe
