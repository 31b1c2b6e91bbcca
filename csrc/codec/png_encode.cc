#include "codec/png_encode.h"

#include <memory>

#include "codec/png_encode_shim.h"

namespace fastpipe {
namespace {

// libpng works on rows of int bytes.
constexpr int64_t kMaxRowBytes = INT32_MAX / 2;

struct FreeWriter {
  void operator()(fastpipe_png_writer* writer) const { fastpipe_png_writer_free(writer); }
};

}  // namespace

Result<std::string> EncodePng(const uint8_t* pixels, int64_t height, int64_t width,
                              const PngEncoding& encoding) {
  const int64_t pixel_bytes = int64_t{encoding.channels} * (encoding.bits / 8);
  if (height <= 0 || width <= 0 || height > INT32_MAX || width > kMaxRowBytes / pixel_bytes) {
    return InvalidArgument(StrCat("a PNG cannot have ", height, " x ", width, " pixels"));
  }
  const fastpipe_png_output output = {static_cast<uint32_t>(width), static_cast<uint32_t>(height),
                                      encoding.channels, encoding.bits, encoding.compression};
  const std::unique_ptr<fastpipe_png_writer, FreeWriter> writer(fastpipe_png_writer_new());
  if (writer == nullptr) return Status(Code::kResourceExhausted, "no memory for a PNG encoder");
  if (!fastpipe_png_write(writer.get(), &output, pixels)) {
    const std::string what =
        StrCat("cannot encode a PNG: ", fastpipe_png_writer_message(writer.get()));
    const bool memory = fastpipe_png_writer_out_of_memory(writer.get());
    return memory ? Status(Code::kResourceExhausted, what) : InvalidArgument(what);
  }
  size_t size = 0;
  const uint8_t* data = fastpipe_png_writer_data(writer.get(), &size);
  return std::string(reinterpret_cast<const char*>(data), size);
}

}  // namespace fastpipe
