#include "codec/decompress.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "codec/zlib_stream.h"
#include "codec/zstd_stream.h"
#include "core/limits.h"

namespace fastpipe {
namespace {

constexpr size_t kUsualRatio = 4;  // a guess at the size of the result
constexpr size_t kLeastCapacity = 256;
// Where more than Limits::kFreeBytes come out, and more than this many for each, they are counted
// before there is memory for them: it may be a bomb.
constexpr size_t kRatioToCount = 64;

Status TooLarge(size_t max_size) {
  return Status(Code::kResourceExhausted,
                StrCat("more than the limit of ", max_size, " bytes come out"));
}

// The size that the first frame of `bytes` announces, or 0.
uint64_t AnnouncedSize(std::string_view bytes) {
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  return size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR ? 0 : size;
}

// How many bytes come out.
template <typename Stream>
Result<size_t> Count(Stream stream, std::string_view bytes, size_t max_size) {
  uint8_t passed[16 << 10];
  size_t size = 0;
  for (;;) {
    FASTPIPE_ASSIGN(const size_t count, stream.Inflate(&bytes, passed, sizeof(passed)));
    size += count;
    if (size > max_size) return TooLarge(max_size);
    if (count == 0 && bytes.empty()) return size;
  }
}

// `make` gives a stream at its beginning.
template <typename Make>
Result<Decompressed> Run(Make make, const std::string_view bytes, size_t max_size) {
  // One more than the limit, to see that there is more.
  const size_t most = max_size + 1;
  size_t capacity = std::min(std::max(kLeastCapacity, kUsualRatio * bytes.size()), most);
  Decompressed result;
  result.buffer = BufferPool::Get().Allocate(capacity);
  std::string_view rest = bytes;
  auto stream = make();
  for (;;) {
    const size_t room = std::min(result.buffer->capacity(), most) - result.size;
    FASTPIPE_ASSIGN(const size_t count,
                    stream.Inflate(&rest, result.buffer->data() + result.size, room));
    result.size += count;
    if (result.size > max_size) return TooLarge(max_size);
    if (count == 0 && rest.empty()) break;
    if (count < room) continue;  // the input is used up, or an error comes next
    capacity = std::min(2 * result.buffer->capacity(), most);
    if (capacity > size_t{Limits::kFreeBytes} && capacity / kRatioToCount > bytes.size()) {
      FASTPIPE_ASSIGN(const size_t size, Count(make(), bytes, max_size));
      capacity = size + 1;  // which is not filled: this is the last time
    }
    BufferRef larger = BufferPool::Get().Allocate(capacity);
    std::memcpy(larger->data(), result.buffer->data(), result.size);
    result.buffer = std::move(larger);
  }
  if (!stream.complete()) return DataLoss("the data end too early");
  return result;
}

}  // namespace

Result<Decompressed> Decompress(std::string_view bytes, CompressedFormat format, size_t max_size) {
  max_size = std::min<size_t>(max_size, INT64_MAX - 1);
  switch (format) {
    case CompressedFormat::kGzip:
      return Run([] { return ZlibStream(ZlibFormat::kGzip); }, bytes, max_size);
    case CompressedFormat::kZlib:
      return Run([] { return ZlibStream(ZlibFormat::kZlib); }, bytes, max_size);
    case CompressedFormat::kZstd:
      break;
  }
  if (AnnouncedSize(bytes) > max_size) return TooLarge(max_size);
  return Run([] { return ZstdStream(); }, bytes, max_size);
}

}  // namespace fastpipe
