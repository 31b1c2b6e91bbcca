// Damaged files: whatever the bytes, a decoder gives an image or InvalidArgument, and reads and
// writes nothing beside its memory. Worth the most under the sanitizers.

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "codec/bmp.h"
#include "codec/gif.h"
#include "codec/wav.h"
#include "codec/webp.h"

namespace fastpipe {
namespace {

constexpr char kBmp[] =  // 3 rows, 5 columns
    "424d6600000000000000360000002800000005000000030000000100180000000000000000000000000000000000"
    "0000000000000000c8e2d2d3e4d5c5ded7cfd1d9c4dacb00bcddd7c4e8d8c7d8dabcd9cea4ced100b3dbe4b1d6e1"
    "b6dfd79aced988cbca00";
constexpr char kGif[] =  // three frames, one of them interlaced
    "474946383961010001008300000000000101010202020303030404040505050606060707070808080909090a0a0a"
    "0b0b0b0c0c0c0d0d0d0e0e0e0f0f0f21f90401050002002c00000000070006004008320001041030804001030c1a"
    "387800208000070f0004103080c0010409142c60d0a080810308122858308040010307102408080021f904000500"
    "00002c020001000300030081000000010101020202030303080d000304081020408000010204040021f904000500"
    "00002c050000000300080000081e000304081020408000010204081020408000010204081020408000010202003b";
constexpr char kStillWebp[] =  // 7 rows, 9 columns, with alpha
    "524946469600000057454250565038580a00000010000000080000060000414c50484000000000b4b6b4b1afa8a5"
    "9fa1a3a7b4a4a2a8a5a38ea09aaf9d9d8e98988faca494a1998b9483819d9997919793907f8c8f9498848f838674"
    "758a9489797a7a7c876e5650382030000000b001009d012a0900070002804225004e801b9edb7ed000fef7405047"
    "59a64deea1a2bb31f2491b2f8c2a44c8d0000000";
constexpr char kAnimatedWebp[] =  // three frames
    "524946467c02000057454250565038580a00000012000000040000050000414e494d06000000ffffffff0000414e"
    "4d46c00000000000000000000400000500000a0000025650384ca80000002f04400110efc026008034b83bfd0bf2"
    "39f3d5501c495272022f5e4443fe611084bb97a2469294dd63bef36f6b6ddc97294a02004870f7fd1c6303cdad44"
    "b1949710ee3cac3dffcc43b6847bbb50ecfaf1339f7e387fd9af67b8cc3a3118703b45eefbe1ff7fa7a7a4ef68f4"
    "415268493e761d2f30fc4444fc8c198c787a318da5fd55813c36958e774261244966ecee6d1b11fd8f52fb1c7ba5"
    "dcce051f09321a8c75fc6bf58404414e4d46be000000000000000000040000050000140000025650384ca6000000"
    "2f04400110efa0a8912465f9c0bfc7cbfd996db00900200dee01e85f8812eebf6d8a22496a2e026fa4e0df0536f8"
    "e50c230100ca64bb6bbd7d2fb4bd482e36e707f2f63fef8f6422bcc39fc5b7b0feabce813e2e5401a97b10b0b2e3"
    "da2ef00d157e1ef02b8c550ac4cd8bf4dfb71ef1a1062c5ee443f2dc78a5d9819e1c573df33862bcb96dc3171446"
    "9264c6eedeb611d1ff98a3dfb7db3a9f22b0a424e1d958118b763e54414e4d46c200000000000000000004000005"
    "0000140000025650384ca90000002f04400110efa0a08d2425397846ffe23eef81c90783000092d00d03f8ff8b05"
    "9db60c02004842777ee0ff1b16b0a0b1651800201added7f9ff9a2594409b9009a70fdffbe146dbefafdc767cfff"
    "5d4f000d16b44ac96df121261f9f7f119038f245a074ed85c074100cf3f51b04f357f4be75a027efc5e7b99102c0"
    "e8e9c77fbf73645d1fefd2e77c79a03092243376f7b68d88fec7a86b9ff266bf3fb71490818f445261b9d2c60100";
constexpr char kWav[] =  // eight samples among other chunks
    "524946464a000000574156454a554e4b020000003132666d74201000000001000100401f0000803e000002001000"
    "6461746110000000000001000200030004000500060007004c4953540400000031323334";

std::string FromHex(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

constexpr int64_t kMaxPixels = 1 << 16;

Status TryBmp(std::string_view bytes) {
  auto layout = ReadBmpLayout(bytes, 0, kMaxPixels);
  if (!layout.ok()) return layout.status();
  const BmpLayout& found = layout.value();
  std::vector<uint8_t> pixels(static_cast<size_t>(found.height * found.width * found.channels));
  ReadBmp(bytes, found, pixels.data());
  return Status::Ok();
}

Status TryGif(std::string_view bytes) {
  GifDecoder decoder;
  GifInfo info;
  FASTPIPE_RETURN_IF_ERROR(decoder.Start(bytes, {.max_pixels = kMaxPixels}, &info));
  std::vector<uint8_t> pixels(static_cast<size_t>(info.frames * info.height * info.width * 3));
  return decoder.ReadInto(pixels.data());
}

Status TryWebp(std::string_view bytes) {
  WebpDecoder decoder;
  WebpInfo info;
  FASTPIPE_RETURN_IF_ERROR(decoder.Start(bytes, {.max_pixels = kMaxPixels}, &info));
  std::vector<uint8_t> pixels(
      static_cast<size_t>(info.frames * info.height * info.width * info.channels));
  return decoder.ReadInto(pixels.data());
}

Status TryWav(std::string_view bytes) {
  auto info = ReadWav(bytes);
  if (!info.ok()) return info.status();
  float sum = 0;
  for (int64_t i = 0; i < info.value().frames * info.value().channels; ++i) {
    sum += WavSample(info.value().samples, i);
  }
  CHECK(sum == sum);
  return Status::Ok();
}

// A copy that ends where its memory ends.
Status Try(Status (*decode)(std::string_view), const std::string& bytes) {
  const std::vector<char> exact(bytes.begin(), bytes.end());
  return decode({exact.data(), exact.size()});
}

void CheckDamage(Status (*decode)(std::string_view), std::string_view hex) {
  const std::string good = FromHex(hex);
  CHECK(Try(decode, good).ok());
  const auto check = [decode](const std::string& bytes) {
    const Status status = Try(decode, bytes);
    CHECK((status.ok() || status.code() == Code::kInvalidArgument));
  };
  for (size_t size = 0; size < good.size(); ++size) check(good.substr(0, size));
  std::mt19937 random(7);
  for (int round = 0; round < 1500; ++round) {
    std::string bytes = good;
    for (unsigned count = 1 + random() % 3; count > 0 && !bytes.empty(); --count) {
      const size_t place = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[place] = static_cast<char>(bytes[place] ^ 1 << random() % 8);
          break;
        case 1:
          bytes[place] = static_cast<char>(random());
          break;
        case 2:
          bytes.erase(place, 1 + random() % 4);
          break;
        default:
          bytes.insert(place, 1 + random() % 3, static_cast<char>(random()));
      }
    }
    check(bytes);
  }
}

TEST_CASE("damaged BMPs") { CheckDamage(TryBmp, kBmp); }
TEST_CASE("damaged GIFs") { CheckDamage(TryGif, kGif); }
TEST_CASE("damaged WebPs") { CheckDamage(TryWebp, kStillWebp); }
TEST_CASE("damaged animated WebPs") { CheckDamage(TryWebp, kAnimatedWebp); }
TEST_CASE("damaged WAVs") { CheckDamage(TryWav, kWav); }

}  // namespace
}  // namespace fastpipe
