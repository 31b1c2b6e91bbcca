// InputStream: the bytes of one file in order, decompressed if need be, in memory that can be
// shared.
//
// Contract: the stream shows a window, the bytes that have been read and not yet consumed, which
// lies in one Buffer: whoever keeps a reference to buffer() may keep slices of the window, without
// a copy. Fill widens the window; Consume moves its front. Offsets are those of the uncompressed
// bytes. An error of the file is sticky; a cancelled wait is not, and loses nothing.
// Thread rule: used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/buffer.h"
#include "core/limits.h"
#include "core/status.h"
#include "io/decompressor.h"
#include "io/file_system.h"

namespace fastpipe {

class InputStream {
 public:
  static constexpr size_t kDefaultBufferSize = 256 * 1024;

  // `buffer_size` is how much is read at once, as far as that is sensible. Compressed bytes that
  // expand beyond `limits` are an error.
  InputStream(std::unique_ptr<File> file, Compression compression,
              size_t buffer_size = kDefaultBufferSize, const Limits& limits = {});

  const std::string& path() const { return file_->path(); }
  bool compressed() const { return compression_ != Compression::kNone; }
  // Of the first byte of the window.
  uint64_t offset() const { return offset_; }
  std::string_view window() const { return window_; }
  // The memory of the window.
  const BufferRef& buffer() const { return buffer_; }
  // REQUIRES: size <= window().size()
  void Consume(size_t size) {
    window_.remove_prefix(size);
    offset_ += size;
  }

  // Reads until the window holds at least `size` bytes or the stream ends: OK in both cases. Bytes
  // that came before an error stay in the window. Memory grows with what arrives, whatever `size`.
  Status Fill(size_t size);
  // Consumes `size` bytes, fewer only if the stream ends first, and adds their number to
  // `*skipped`.
  Status Skip(uint64_t size, uint64_t* skipped);
  // Goes to `offset`: by a jump in a plain file, by inflating and dropping in a compressed one.
  // DataLoss if the stream ends before it.
  Status Seek(uint64_t offset);
  // Bytes from offset() to the end, or -1 if unknown: compressed, or a pipe.
  int64_t BytesLeft() const;

 private:
  struct Packed {
    explicit Packed(Compression compression) : decompressor(compression) {}
    Decompressor decompressor;
    BufferRef buffer;
    std::string_view input;  // lies in `buffer`: compressed and not used yet
    bool at_end = false;     // nothing follows `input`
  };

  void Restart(uint64_t offset);
  void DropWindow();
  void MakeRoom(size_t size);
  // Bytes for the window; 0 at the end.
  Result<size_t> Read(uint8_t* bytes, size_t size);
  Result<size_t> ReadFile(uint8_t* bytes, size_t size);
  Result<size_t> ReadCompressed(uint8_t* bytes, size_t size);
  Status Corrupt(const Status& cause, const char* hint) const;

  const std::unique_ptr<File> file_;
  const std::shared_ptr<const std::string> origin_path_;  // file_->path(), for the Buffers
  const Compression compression_;
  const size_t buffer_size_;
  const Limits limits_;
  std::optional<Packed> packed_;  // set if compression_ is not kNone

  BufferRef buffer_;
  size_t filled_ = 0;  // bytes of buffer_ in use; the window ends there
  std::string_view window_;
  uint64_t offset_ = 0;
  uint64_t file_offset_ = 0;  // where the next byte is read from the file
  bool at_end_ = false;
  Status failure_;
};

// `cause` preceded by where in the stream it arose: "line 3 of 'a.txt' (offset 57): ...".
// Cancellation stays as it is.
Status AtPlace(const InputStream& stream, const char* unit, int64_t number, const Status& cause,
               uint64_t offset);
inline Status AtPlace(const InputStream& stream, const char* unit, int64_t number,
                      const Status& cause) {
  return AtPlace(stream, unit, number, cause, stream.offset());
}

}  // namespace fastpipe
