#include "codec/png.h"

#include <algorithm>
#include <string>
#include <utility>

#include "codec/png_shim.h"

namespace fastpipe {

namespace {

constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", 8);
constexpr size_t kHeaderBytes = 33;  // the signature and the IHDR chunk
// What deflate can make of a byte at most, with some margin.
constexpr int64_t kMaxInflation = 1100;

struct RawHeader {
  int64_t width, height;
  int bits_per_pixel;
};

int64_t ReadBigEndian(std::string_view bytes, size_t offset) {
  int64_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes[offset + i]);
  return value;
}

// REQUIRES: bytes.size() >= kHeaderBytes. Values are as in the bytes, not checked.
RawHeader ReadRawHeader(std::string_view bytes) {
  constexpr int kChannels[8] = {1, 0, 3, 1, 2, 0, 4, 0};  // by colour type
  const int channels = kChannels[bytes[25] & 7];
  return {ReadBigEndian(bytes, 16), ReadBigEndian(bytes, 20),
          std::min(int{static_cast<uint8_t>(bytes[24])}, 16) * channels};
}

}  // namespace

void PngDecoder::Free::operator()(fastpipe_png* png) const { fastpipe_png_free(png); }

PngDecoder::PngDecoder() = default;
PngDecoder::~PngDecoder() = default;

Status PngDecoder::Failure(std::string_view what) const {
  std::string message = StrCat("cannot decode PNG of ", bytes_.size(), " bytes: ", what);
  if (png_ != nullptr && fastpipe_png_out_of_memory(png_.get())) {
    return ResourceExhausted(std::move(message));
  }
  return InvalidArgument(std::move(message));
}

Status PngDecoder::CheckLimits(int64_t max_pixels) const {
  if (bytes_.substr(0, kSignature.size()) != kSignature.substr(0, bytes_.size())) {
    return Failure("it does not start with the PNG signature");
  }
  if (bytes_.size() < kHeaderBytes) return Failure("the data end too early, within the header");
  if (bytes_.substr(12, 4) != "IHDR") return Failure("the first chunk is not IHDR");
  const RawHeader header = ReadRawHeader(bytes_);
  const std::string size = StrCat(header.width, " x ", header.height, " pixels");
  if (header.width > 0 && header.height > max_pixels / header.width) {
    return Failure(StrCat(size, " are more than the limit of ", max_pixels));
  }
  // A few bytes can announce a huge image; deflate bounds what they can really hold.
  const int64_t raw_bytes = header.width * header.height * header.bits_per_pixel / 8;
  if (raw_bytes / kMaxInflation > static_cast<int64_t>(bytes_.size())) {
    return Failure(StrCat("the data end too early for ", size));
  }
  return Status::Ok();
}

Status PngDecoder::Open(std::string_view bytes, int64_t max_pixels) {
  Reset();
  bytes_ = bytes;
  return CheckLimits(max_pixels);
}

Status PngDecoder::ReadHeader(fastpipe_png_header* header) {
  png_.reset(fastpipe_png_new(reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size()));
  if (png_ == nullptr) return ResourceExhausted("no memory for a PNG decoder");
  if (!fastpipe_png_read_header(png_.get(), header)) {
    return Failure(fastpipe_png_message(png_.get()));
  }
  return Status::Ok();
}

Status PngDecoder::Start(std::string_view bytes, const PngOptions& options, PngInfo* output_info) {
  if (options.channels < 0 || options.channels > 4) {
    return InvalidArgument(StrCat("channels must be from 0 to 4, not ", options.channels));
  }
  if (options.bits != 8 && options.bits != 16) {
    return InvalidArgument(StrCat("bits must be 8 or 16, not ", options.bits));
  }
  FASTPIPE_RETURN_IF_ERROR(Open(bytes, options.max_pixels));
  if (options.bits == 8 && !options.libpng_only && plain_.Start(bytes, options.channels)) {
    *output_info = PngInfo{plain_.width(), plain_.height(), plain_.channels(), 1};
    return Status::Ok();
  }
  fastpipe_png_header header = {};
  FASTPIPE_RETURN_IF_ERROR(ReadHeader(&header));
  const int channels = options.channels != 0 ? options.channels : header.channels;
  if (!fastpipe_png_configure(png_.get(), channels, options.bits)) {
    return Failure(fastpipe_png_message(png_.get()));
  }
  *output_info = PngInfo{header.width, header.height, channels, options.bits / 8};
  return Status::Ok();
}

Status PngDecoder::ReadInto(uint8_t* pixels, int64_t row_stride) {
  if (plain_.started()) {
    plain_.ReadInto(pixels, row_stride);
    return Status::Ok();
  }
  Status status;
  if (!fastpipe_png_read(png_.get(), pixels, row_stride)) {
    status = Failure(fastpipe_png_message(png_.get()));
  }
  Reset();
  return status;
}

void PngDecoder::Reset() {
  plain_.Reset();
  png_.reset();
}

Result<PngInfo> ReadPngInfo(std::string_view bytes) {
  PngDecoder decoder;
  fastpipe_png_header header = {};
  // Nothing of the image's size is allocated here; the limit only keeps products within int64.
  FASTPIPE_RETURN_IF_ERROR(decoder.Open(bytes, INT64_MAX / 64));
  FASTPIPE_RETURN_IF_ERROR(decoder.ReadHeader(&header));
  return PngInfo{header.width, header.height, header.channels, header.bit_depth == 16 ? 2 : 1};
}

}  // namespace fastpipe
