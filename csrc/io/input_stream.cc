#include "io/input_stream.h"

#include <algorithm>
#include <cstring>

namespace fastpipe {
namespace {

// Larger reads gain nothing, and slices would keep more memory alive.
constexpr size_t kMaxBufferSize = size_t{64} << 20;
// What deflate reaches on text: a guess at the size of small files once inflated.
constexpr uint64_t kUsualRatio = 4;

}  // namespace

InputStream::InputStream(std::unique_ptr<File> file, Compression compression, size_t buffer_size,
                         const Limits& limits)
    : file_(std::move(file)),
      origin_path_(std::make_shared<const std::string>(file_->path())),
      compression_(compression),
      buffer_size_(std::clamp<size_t>(buffer_size, 1, kMaxBufferSize)),
      limits_(limits) {
  Restart(0);
}

void InputStream::Restart(uint64_t offset) {
  DropWindow();
  packed_.reset();
  if (compression_ == Compression::kNone) {
    offset_ = file_offset_ = offset;
  } else {
    packed_.emplace(compression_);
    offset_ = file_offset_ = 0;
  }
  at_end_ = false;
  failure_ = Status::Ok();
}

void InputStream::DropWindow() {
  offset_ += window_.size();
  window_ = {};
  buffer_ = {};
  filled_ = 0;
}

int64_t InputStream::BytesLeft() const {
  const int64_t size = compression_ == Compression::kNone ? file_->size() : -1;
  if (size < 0) return -1;
  return std::max<int64_t>(0, size - static_cast<int64_t>(offset_));
}

// Provides room behind the window, and for a window of `size` bytes as far as that can be trusted.
void InputStream::MakeRoom(size_t size) {
  const size_t held = window_.size();
  const size_t room = buffer_ ? buffer_->capacity() - filled_ : 0;
  if (room > 0 && held + room >= size) return;
  // Doubling a window that fills its buffer makes long lines linear. Beyond that a size is believed
  // only if the file has it: a damaged length must not allocate a terabyte.
  size_t capacity = std::max({size, buffer_size_, 2 * held});
  if (const int64_t left = BytesLeft(); left >= 0) {
    // One more, so that the end of the file is found without another buffer.
    capacity = std::min(capacity, static_cast<size_t>(left) + 1);
  } else {
    size_t first = buffer_size_;
    const int64_t packed = packed_ ? file_->size() : -1;
    if (packed > 0) first = std::min<uint64_t>(first, kUsualRatio * static_cast<uint64_t>(packed));
    capacity = std::min(capacity, std::max(first, 2 * held));
  }
  if (room > 0 && held + room >= capacity) return;
  BufferRef larger = BufferPool::Get().Allocate(std::max(capacity, held + 1));
  if (held > 0) std::memcpy(larger->data(), window_.data(), held);
  larger->set_origin({origin_path_, static_cast<int64_t>(offset_)});
  buffer_ = std::move(larger);
  filled_ = held;
  window_ = {reinterpret_cast<const char*>(buffer_->data()), held};
}

Status InputStream::Fill(size_t size) {
  while (window_.size() < size && !at_end_) {
    if (!failure_.ok()) return failure_;
    FASTPIPE_RETURN_IF_ERROR(CheckInterrupt());
    MakeRoom(size);
    auto count = Read(buffer_->data() + filled_, buffer_->capacity() - filled_);
    if (!count.ok()) {
      if (count.status().code() != Code::kCancelled) failure_ = count.status();
      return count.status();
    }
    at_end_ = count.value() == 0;
    filled_ += count.value();
    window_ = {window_.data(), window_.size() + count.value()};
  }
  return Status::Ok();
}

Status InputStream::Skip(uint64_t size, uint64_t* skipped) {
  for (uint64_t left = size; left > 0;) {
    if (window_.empty()) {
      if (const int64_t known = BytesLeft(); known > 0) {
        const uint64_t jump = std::min(left, static_cast<uint64_t>(known));
        DropWindow();
        offset_ += jump;
        file_offset_ = offset_;
        *skipped += jump;
        left -= jump;
        if (left == 0) break;
      }
      FASTPIPE_RETURN_IF_ERROR(Fill(1));
      if (window_.empty()) break;
    }
    const size_t step = static_cast<size_t>(std::min<uint64_t>(left, window_.size()));
    Consume(step);
    *skipped += step;
    left -= step;
  }
  return Status::Ok();
}

Status InputStream::Seek(uint64_t offset) {
  if (offset < offset_) Restart(offset);
  uint64_t skipped = 0;
  const uint64_t distance = offset - offset_;
  FASTPIPE_RETURN_IF_ERROR(Skip(distance, &skipped));
  if (skipped == distance) return Status::Ok();
  return DataLoss(StrCat("'", path(), "' ends at offset ", offset_, ", before the saved position ",
                         offset, ": it is not the file that it was"));
}

Result<size_t> InputStream::Read(uint8_t* bytes, size_t size) {
  return packed_ ? ReadCompressed(bytes, size) : ReadFile(bytes, size);
}

Result<size_t> InputStream::ReadFile(uint8_t* bytes, size_t size) {
  FASTPIPE_ASSIGN(const size_t count, file_->ReadAt(file_offset_, bytes, size));
  file_offset_ += count;
  return count;
}

Result<size_t> InputStream::ReadCompressed(uint8_t* bytes, size_t size) {
  Packed& source = *packed_;
  for (;;) {
    auto count = source.decompressor.Inflate(&source.input, bytes, size);
    if (!count.ok()) {
      const bool from_start = offset_ + window_.size() == 0;
      return Corrupt(count.status(), from_start ? " (is the file compressed like that?)" : "");
    }
    if (count.value() > 0) {
      const uint64_t made = offset_ + window_.size() + count.value();
      const uint64_t used = file_offset_ - source.input.size();
      if (made <= static_cast<uint64_t>(limits_.MostFrom(static_cast<int64_t>(used)))) return count;
      return Corrupt(ResourceExhausted(StrCat("more than ", limits_.decompression_ratio,
                                              " bytes for each byte come out")),
                     " (the limit is Options.limits.decompression_ratio)");
    }
    if (source.at_end && source.decompressor.complete()) return size_t{0};
    if (source.at_end) return Corrupt(DataLoss("the file is truncated"), "");
    if (!source.buffer) {
      const int64_t packed = file_->size();
      const size_t wanted = packed > 0 ? static_cast<size_t>(packed) : buffer_size_;
      source.buffer = BufferPool::Get().Allocate(std::min(wanted, buffer_size_));
    }
    uint8_t* next = source.buffer->data();
    FASTPIPE_ASSIGN(const size_t got, ReadFile(next, source.buffer->capacity()));
    source.input = {reinterpret_cast<const char*>(next), got};
    source.at_end = got == 0;
  }
}

Status InputStream::Corrupt(const Status& cause, const char* hint) const {
  const uint64_t used = file_offset_ - packed_->input.size();
  return Status(cause.code(),
                StrCat("cannot decompress '", path(), "' as ", CompressionName(compression_),
                       ", at compressed offset ", used, ": ", cause.message(), hint));
}

Status AtPlace(const InputStream& stream, const char* unit, int64_t number, const Status& cause,
               uint64_t offset) {
  if (cause.code() == Code::kCancelled) return cause;
  return Status(cause.code(), StrCat(unit, " ", number, " of '", stream.path(), "' (offset ",
                                     offset, "): ", cause.message()));
}

}  // namespace fastpipe
