#include "codec/wav.h"

#include <algorithm>
#include <cmath>

namespace fastpipe {
namespace {

constexpr size_t kHeaderBytes = 44;
constexpr int64_t kSampleBytes = 2;
constexpr float kFullScale = 32768;

uint32_t LittleEndian(std::string_view bytes, size_t offset, size_t size) {
  uint32_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[offset + i]);
  return value;
}

// May lie between the beginning and the format.
bool IsKnownChunk(std::string_view name) {
  constexpr std::string_view kNames[] = {"JUNK", "bext", "iXML", "qlty",
                                         "mext", "levl", "link", "axml"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// Reads a file front to back.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : all_(bytes.size()), left_(bytes) {}

  Status Failure(const std::string& what) const {
    return InvalidArgument(StrCat("cannot decode WAV of ", all_, " bytes: ", what));
  }

  Result<std::string_view> Take(uint64_t size) {
    if (size > left_.size()) return Failure("the data end too early");
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }

  Status Expect(std::string_view text) {
    FASTPIPE_ASSIGN(const std::string_view found, Take(text.size()));
    if (found == text) return Status::Ok();
    return Failure(StrCat("expected '", text, "' at offset ", all_ - left_.size() - text.size()));
  }

  // Past the content of a chunk and the zero that pads it to an even size; not all files have it.
  Status SkipChunk(uint64_t size) {
    FASTPIPE_RETURN_IF_ERROR(Take(size).status());
    if (size % 2 == 1 && left_.starts_with('\0')) left_.remove_prefix(1);
    return Status::Ok();
  }

  size_t left() const { return left_.size(); }

  struct Chunk {
    std::string_view name;
    uint32_t size;
  };
  Result<Chunk> NextChunk() {
    FASTPIPE_ASSIGN(const std::string_view head, Take(8));
    return Chunk{head.substr(0, 4), LittleEndian(head, 4, 4)};
  }

 private:
  const size_t all_;
  std::string_view left_;
};

Result<Reader::Chunk> FindFormat(Reader* reader) {
  FASTPIPE_RETURN_IF_ERROR(reader->Expect("RIFF"));
  FASTPIPE_RETURN_IF_ERROR(reader->Take(4).status());
  FASTPIPE_RETURN_IF_ERROR(reader->Expect("WAVE"));
  for (;;) {
    FASTPIPE_ASSIGN(const Reader::Chunk chunk, reader->NextChunk());
    if (chunk.name == "fmt ") return chunk;
    if (!IsKnownChunk(chunk.name)) return reader->Failure("an unknown chunk precedes the format");
    FASTPIPE_RETURN_IF_ERROR(reader->SkipChunk(chunk.size));
  }
}

Status ReadFormat(Reader* reader, WavInfo* info) {
  FASTPIPE_ASSIGN(const Reader::Chunk chunk, FindFormat(reader));
  if (chunk.size != 16 && chunk.size != 18) {
    return reader->Failure(StrCat("the format must have 16 or 18 bytes, not ", chunk.size));
  }
  FASTPIPE_ASSIGN(const std::string_view format, reader->Take(chunk.size));
  const uint32_t encoding = LittleEndian(format, 0, 2);
  const uint32_t channels = LittleEndian(format, 2, 2);
  const uint32_t rate = LittleEndian(format, 4, 4);
  const uint32_t bits = LittleEndian(format, 14, 2);
  const uint32_t frame_bytes = LittleEndian(format, 12, 2);
  if (encoding != 1) {
    return reader->Failure(StrCat("the encoding must be 1 (PCM), not ", encoding));
  }
  if (channels < 1) return reader->Failure("it has no channels");
  if (bits != 16) return reader->Failure(StrCat("samples must have 16 bits, not ", bits));
  if (frame_bytes != kSampleBytes * channels) {
    return reader->Failure(
        StrCat(channels, " channels of 16 bits do not have ", frame_bytes, " bytes"));
  }
  if (uint64_t{frame_bytes} * rate != LittleEndian(format, 8, 4)) {
    return reader->Failure(StrCat(rate, " frames of ", frame_bytes, " bytes are not ",
                                  LittleEndian(format, 8, 4), " bytes a second"));
  }
  info->channels = channels;
  info->sample_rate = rate;
  return Status::Ok();
}

int16_t ToSample(float value) {
  const float scaled = std::round(value * kFullScale);
  if (std::isnan(scaled)) return 0;
  return static_cast<int16_t>(std::clamp(scaled, -kFullScale, kFullScale - 1));
}

void Append(std::string* out, int64_t value, int size) {
  for (int i = 0; i < size; ++i) out->push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

}  // namespace

Result<WavInfo> ReadWav(std::string_view bytes) {
  Reader reader(bytes);
  WavInfo info;
  FASTPIPE_RETURN_IF_ERROR(ReadFormat(&reader, &info));
  bool found = false;
  while (reader.left() > 0) {
    FASTPIPE_ASSIGN(const Reader::Chunk chunk, reader.NextChunk());
    if (chunk.size > INT32_MAX) return reader.Failure(StrCat("a chunk of ", chunk.size, " bytes"));
    if (chunk.name != "data") {
      // A last chunk that ends early costs nothing: the samples are there.
      FASTPIPE_RETURN_IF_ERROR(reader.SkipChunk(std::min<uint64_t>(chunk.size, reader.left())));
      continue;
    }
    if (found) return reader.Failure("it has two data chunks");
    found = true;
    const int64_t frame_bytes = kSampleBytes * info.channels;
    info.frames = chunk.size / frame_bytes;
    if (chunk.size % frame_bytes != 0) {
      return reader.Failure(
          StrCat("its ", chunk.size, " bytes of samples are no whole frames of ", frame_bytes));
    }
    FASTPIPE_ASSIGN(info.samples, reader.Take(chunk.size));
  }
  if (!found) return reader.Failure("it has no data chunk");
  return info;
}

float WavSample(std::string_view samples, int64_t index) {
  const auto value = LittleEndian(samples, static_cast<size_t>(index * kSampleBytes), kSampleBytes);
  return static_cast<float>(static_cast<int16_t>(value)) / kFullScale;
}

Result<std::string> WriteWav(const float* values, int64_t frames, int64_t channels,
                             int64_t sample_rate) {
  if (sample_rate <= 0 || sample_rate > UINT32_MAX) {
    return InvalidArgument(StrCat("the sample rate must be from 1 to 2^32 - 1, got ", sample_rate));
  }
  if (channels <= 0 || channels > UINT16_MAX) {
    return InvalidArgument(StrCat("there must be from 1 to 65535 channels, got ", channels));
  }
  const int64_t frame_bytes = channels * kSampleBytes;
  constexpr int64_t kMaxDataBytes = int64_t{UINT32_MAX} - kHeaderBytes;
  if (frames > kMaxDataBytes / frame_bytes) {
    return InvalidArgument(StrCat("a WAV cannot hold ", frames, " frames of ", channels,
                                  " channels: its sizes have 32 bits"));
  }
  const int64_t data_bytes = frames * frame_bytes;
  std::string out;
  out.reserve(kHeaderBytes + static_cast<size_t>(data_bytes));
  out += "RIFF";
  Append(&out, data_bytes + static_cast<int64_t>(kHeaderBytes) - 8, 4);
  out += "WAVEfmt ";
  Append(&out, 16, 4);
  Append(&out, 1, 2);  // PCM
  Append(&out, channels, 2);
  Append(&out, sample_rate, 4);
  Append(&out, sample_rate * frame_bytes, 4);
  Append(&out, frame_bytes, 2);
  Append(&out, 16, 2);
  out += "data";
  Append(&out, data_bytes, 4);
  for (int64_t i = 0; i < frames * channels; ++i) Append(&out, ToSample(values[i]), 2);
  return out;
}

}  // namespace fastpipe
