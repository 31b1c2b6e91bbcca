#include <zstd.h>

#include "codec/compressor.h"

namespace fastpipe {
namespace {

struct FreeState {
  void operator()(ZSTD_CCtx* state) const { ZSTD_freeCCtx(state); }
};
using State = std::unique_ptr<ZSTD_CCtx, FreeState>;

ZSTD_EndDirective Directive(CompressorFlush flush) {
  if (flush == CompressorFlush::kNone) return ZSTD_e_continue;
  return flush == CompressorFlush::kSync ? ZSTD_e_flush : ZSTD_e_end;
}

class ZstdCompressor final : public Compressor {
 public:
  explicit ZstdCompressor(State state) : state_(std::move(state)) {}

  Status Compress(std::string_view input, CompressorFlush flush, std::string* out) override {
    ZSTD_inBuffer from = {input.data(), input.size(), 0};
    for (;;) {
      const size_t filled = out->size();
      const size_t piece = ZSTD_CStreamOutSize();
      out->resize(filled + piece);
      ZSTD_outBuffer to = {out->data() + filled, piece, 0};
      const size_t left = ZSTD_compressStream2(state_.get(), &to, &from, Directive(flush));
      out->resize(filled + to.pos);
      if (ZSTD_isError(left)) return Internal(ZSTD_getErrorName(left));
      // While it goes on, `left` only says how much it holds back.
      const bool taken = from.pos == from.size;
      if (taken && (flush == CompressorFlush::kNone || left == 0)) return Status::Ok();
    }
  }

 private:
  const State state_;
};

}  // namespace

Result<std::unique_ptr<Compressor>> MakeZstdCompressor(int level) {
  if (level < ZSTD_minCLevel() || level > ZSTD_maxCLevel()) {
    return InvalidArgument(StrCat("Zstandard has levels ", ZSTD_minCLevel(), " to ",
                                  ZSTD_maxCLevel(), ", got ", level));
  }
  State state(ZSTD_createCCtx());
  if (!state) return Status(Code::kResourceExhausted, "no memory to compress with");
  ZSTD_CCtx_setParameter(state.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(state.get(), ZSTD_c_checksumFlag, 1);
  return std::make_unique<ZstdCompressor>(std::move(state));
}

}  // namespace fastpipe
