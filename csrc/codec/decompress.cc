#include "codec/decompress.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "codec/zlib_stream.h"
#include "codec/zstd_stream.h"

namespace fastpipe {
namespace {

constexpr size_t kUsualRatio = 4;  // a guess at the size of the result
constexpr size_t kLeastCapacity = 256;

Status TooLarge(size_t max_size) {
  return Status(Code::kResourceExhausted,
                StrCat("more than the limit of ", max_size, " bytes come out"));
}

// The size that the first frame of `bytes` announces, or 0.
uint64_t AnnouncedSize(std::string_view bytes) {
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  return size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR ? 0 : size;
}

template <typename Stream>
Result<Decompressed> Run(Stream stream, std::string_view bytes, size_t capacity, size_t max_size) {
  Decompressed result;
  // One more than the limit, to see that there is more.
  const size_t most = max_size + 1;
  result.buffer = BufferPool::Get().Allocate(std::min(capacity, most));
  for (;;) {
    const size_t room = std::min(result.buffer->capacity(), most) - result.size;
    FASTPIPE_ASSIGN(const size_t count,
                    stream.Inflate(&bytes, result.buffer->data() + result.size, room));
    result.size += count;
    if (result.size > max_size) return TooLarge(max_size);
    if (count == 0 && bytes.empty()) break;
    if (count < room) continue;  // the input is used up, or an error comes next
    BufferRef larger = BufferPool::Get().Allocate(std::min(2 * result.buffer->capacity(), most));
    std::memcpy(larger->data(), result.buffer->data(), result.size);
    result.buffer = std::move(larger);
  }
  if (!stream.complete()) return DataLoss("the data end too early");
  return result;
}

}  // namespace

Result<Decompressed> Decompress(std::string_view bytes, CompressedFormat format, size_t max_size) {
  max_size = std::min<size_t>(max_size, INT64_MAX - 1);
  const size_t guess = std::max(kLeastCapacity, kUsualRatio * bytes.size());
  if (format == CompressedFormat::kGzip) {
    return Run(ZlibStream(ZlibFormat::kGzip), bytes, guess, max_size);
  }
  if (format == CompressedFormat::kZlib) {
    return Run(ZlibStream(ZlibFormat::kZlib), bytes, guess, max_size);
  }
  if (AnnouncedSize(bytes) > max_size) return TooLarge(max_size);
  return Run(ZstdStream(), bytes, guess, max_size);
}

}  // namespace fastpipe
