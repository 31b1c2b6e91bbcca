#include "codec/jpeg_encode.h"

#include <memory>
#include <string_view>

#include "codec/jpeg_encode_shim.h"

namespace fastpipe {
namespace {

// With its final zero.
constexpr std::string_view kXmpName("http://ns.adobe.com/xap/1.0/\0", 29);
constexpr int64_t kMaxSide = 65500;  // libjpeg's

struct FreeWriter {
  void operator()(fastpipe_jpeg_writer* writer) const { fastpipe_jpeg_writer_free(writer); }
};

}  // namespace

Result<std::string> EncodeJpeg(const uint8_t* pixels, int64_t height, int64_t width, int channels,
                               const JpegEncoding& encoding) {
  if (height <= 0 || width <= 0 || height > kMaxSide || width > kMaxSide) {
    return InvalidArgument(
        StrCat("a JPEG has from 1 to ", kMaxSide, " rows and columns, got ", height, " x ", width));
  }
  std::string xmp;
  if (!encoding.xmp_metadata.empty()) xmp = StrCat(kXmpName, encoding.xmp_metadata);
  fastpipe_jpeg_output output = {};
  output.width = static_cast<uint32_t>(width);
  output.height = static_cast<uint32_t>(height);
  output.channels = channels;
  output.quality = encoding.quality;
  output.progressive = encoding.progressive;
  output.optimize_size = encoding.optimize_size;
  output.chroma_downsampling = encoding.chroma_downsampling;
  output.density_unit = encoding.density_in_centimetres ? 2 : 1;
  output.x_density = encoding.x_density;
  output.y_density = encoding.y_density;
  if (!xmp.empty()) output.app1 = reinterpret_cast<const uint8_t*>(xmp.data());
  output.app1_size = xmp.size();
  const std::unique_ptr<fastpipe_jpeg_writer, FreeWriter> writer(fastpipe_jpeg_writer_new());
  if (writer == nullptr) return Status(Code::kResourceExhausted, "no memory for a JPEG encoder");
  if (!fastpipe_jpeg_write(writer.get(), &output, pixels)) {
    const std::string what =
        StrCat("cannot encode a JPEG: ", fastpipe_jpeg_writer_message(writer.get()));
    const bool memory = fastpipe_jpeg_writer_out_of_memory(writer.get());
    return memory ? Status(Code::kResourceExhausted, what) : InvalidArgument(what);
  }
  size_t size = 0;
  const uint8_t* data = fastpipe_jpeg_writer_data(writer.get(), &size);
  return std::string(reinterpret_cast<const char*>(data), size);
}

}  // namespace fastpipe
