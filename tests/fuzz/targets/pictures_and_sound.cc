// WebP, GIF, BMP and WAV.

#include <vector>

#include "../target.h"
#include "codec/bmp.h"
#include "codec/gif.h"
#include "codec/wav.h"
#include "codec/webp.h"

namespace fastpipe::fuzz {
namespace {

void CheckDamage(const Status& status) {
  CheckError(status, {Code::kInvalidArgument, Code::kResourceExhausted});
}

void FuzzWebp(std::string_view bytes) {
  Choices choices(bytes);
  WebpOptions options;
  const int channels = choices.Below(3);
  options.channels = channels == 0 ? 0 : channels + 2;
  options.first_frame_only = choices.Flag();
  options.max_pixels = kMaxPixels;
  WebpDecoder decoder;
  WebpInfo info;
  Status status = decoder.Start(choices.rest(), options, &info);
  if (status.ok()) {
    std::vector<uint8_t> pixels(
        static_cast<size_t>(info.frames * info.height * info.width * info.channels));
    status = decoder.ReadInto(pixels.data());
    if (options.first_frame_only) Check(info.frames == 1, "only the first frame is given");
  }
  CheckDamage(status);
}

void FuzzGif(std::string_view bytes) {
  Choices choices(bytes);
  GifOptions options;
  options.first_frame_only = choices.Flag();
  options.max_pixels = kMaxPixels;
  GifDecoder decoder;
  GifInfo info;
  Status status = decoder.Start(choices.rest(), options, &info);
  if (status.ok()) {
    std::vector<uint8_t> pixels(static_cast<size_t>(info.frames * info.height * info.width * 3));
    status = decoder.ReadInto(pixels.data());
    if (options.first_frame_only) Check(info.frames == 1, "only the first frame is given");
  }
  CheckDamage(status);
}

void FuzzBmp(std::string_view bytes) {
  Choices choices(bytes);
  const int channels = choices.Below(3);
  auto layout = ReadBmpLayout(choices.rest(), channels == 0 ? 0 : channels + 2, kMaxPixels);
  CheckDamage(layout.status());
  if (!layout.ok()) return;
  const BmpLayout& found = layout.value();
  std::vector<uint8_t> pixels(static_cast<size_t>(found.height * found.width * found.channels));
  ReadBmp(choices.rest(), found, pixels.data());
}

void FuzzWav(std::string_view bytes) {
  auto wav = ReadWav(bytes);
  CheckDamage(wav.status());
  if (!wav.ok()) return;
  const WavInfo& info = wav.value();
  const int64_t count = info.frames * info.channels;
  Check(info.samples.size() >= 2 * static_cast<size_t>(count), "the samples are there");
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(WavSample(info.samples, i));
  if (count == 0) return;
  auto written = WriteWav(values.data(), info.frames, info.channels, info.sample_rate);
  if (!written.ok()) return;
  auto again = ReadWav(written.value());
  Check(again.ok(), "what is written can be read");
  Check(again.value().samples == info.samples.substr(0, 2 * static_cast<size_t>(count)),
        "samples that are read and written again are the same");
}

FASTPIPE_FUZZ_TARGET("webp", FuzzWebp);
FASTPIPE_FUZZ_TARGET("gif", FuzzGif);
FASTPIPE_FUZZ_TARGET("bmp", FuzzBmp);
FASTPIPE_FUZZ_TARGET("wav", FuzzWav);

}  // namespace
}  // namespace fastpipe::fuzz
