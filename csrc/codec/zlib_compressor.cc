#include <zlib.h>

#include "codec/compressor.h"

namespace fastpipe {
namespace {

constexpr size_t kPiece = 16 * 1024;
constexpr size_t kMaxInput = size_t{1} << 30;  // zlib counts in 32 bits

int FlushCode(CompressorFlush flush) {
  if (flush == CompressorFlush::kNone) return Z_NO_FLUSH;
  return flush == CompressorFlush::kSync ? Z_SYNC_FLUSH : Z_FINISH;
}

class ZlibCompressor final : public Compressor {
 public:
  explicit ZlibCompressor(std::unique_ptr<z_stream> state) : state_(std::move(state)) {}
  ~ZlibCompressor() override { deflateEnd(state_.get()); }

  Status Compress(std::string_view input, CompressorFlush flush, std::string* out) override {
    do {
      const std::string_view piece = input.substr(0, kMaxInput);
      input.remove_prefix(piece.size());
      FASTPIPE_RETURN_IF_ERROR(Deflate(piece, input.empty() ? FlushCode(flush) : Z_NO_FLUSH, out));
    } while (!input.empty());
    if (flush == CompressorFlush::kFinish) deflateReset(state_.get());
    return Status::Ok();
  }

 private:
  Status Deflate(std::string_view piece, int flush, std::string* out) {
    state_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    state_->avail_in = static_cast<uInt>(piece.size());
    int result = Z_OK;
    do {
      const size_t filled = out->size();
      out->resize(filled + kPiece);
      state_->next_out = reinterpret_cast<Bytef*>(out->data() + filled);
      state_->avail_out = kPiece;
      result = deflate(state_.get(), flush);
      out->resize(filled + kPiece - state_->avail_out);
      if (result == Z_STREAM_ERROR) return Internal("deflate: the stream is inconsistent");
    } while (state_->avail_out == 0 || (flush == Z_FINISH && result != Z_STREAM_END));
    return Status::Ok();
  }

  const std::unique_ptr<z_stream> state_;
};

}  // namespace

Result<std::unique_ptr<Compressor>> MakeZlibCompressor(ZlibFormat format,
                                                       const ZlibSettings& settings) {
  auto state = std::make_unique<z_stream>();
  const int window_bits = settings.window_bits + (format == ZlibFormat::kGzip ? 16 : 0);
  const int result = deflateInit2(state.get(), settings.level, Z_DEFLATED, window_bits,
                                  settings.memory_level, settings.strategy);
  if (result == Z_STREAM_ERROR) {
    return InvalidArgument(StrCat("zlib takes no such settings: level ", settings.level,
                                  ", window bits ", settings.window_bits, ", memory level ",
                                  settings.memory_level, ", strategy ", settings.strategy));
  }
  if (result != Z_OK) return Status(Code::kResourceExhausted, "no memory to compress with");
  return std::make_unique<ZlibCompressor>(std::move(state));
}

}  // namespace fastpipe
