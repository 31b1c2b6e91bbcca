#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "codec/resample.h"
#include "codec/resample_rows.h"
#include "codec/resample_weights.h"

using namespace fastpipe;  // NOLINT

namespace {

constexpr ResizeMethod kMethods[] = {ResizeMethod::kNearest,  ResizeMethod::kBilinear,
                                     ResizeMethod::kBicubic,  ResizeMethod::kArea,
                                     ResizeMethod::kLanczos3, ResizeMethod::kLanczos5,
                                     ResizeMethod::kGaussian, ResizeMethod::kMitchellCubic};
constexpr PillowFilter kFilters[] = {PillowFilter::kBox, PillowFilter::kBilinear,
                                     PillowFilter::kHamming, PillowFilter::kBicubic,
                                     PillowFilter::kLanczos};

struct Sizes {
  ImageShape in;
  int64_t out_height, out_width;

  size_t input_size() const { return static_cast<size_t>(in.height * in.width * in.channels); }
  size_t output_size() const { return static_cast<size_t>(out_height * out_width * in.channels); }
};

// Small and large, shrinking, growing, keeping one axis, one pixel; every number of channels that
// has code of its own.
std::vector<Sizes> RandomSizes(int count) {
  std::mt19937 random(2);
  const auto pick = [&random](uint32_t most) { return static_cast<int64_t>(1 + random() % most); };
  std::vector<Sizes> sizes;
  for (int i = 0; i < count; ++i) {
    const uint32_t most = i % 3 == 0 ? 9 : i % 3 == 1 ? 60 : 300;
    Sizes size = {{pick(most), pick(most), pick(5)}, pick(most), pick(most)};
    if (i % 7 == 0) size.out_height = size.in.height;
    if (i % 11 == 0) size.out_width = size.in.width;
    if (i % 13 == 0) {
      size.out_height = size.in.height + 1;
      size.out_width = size.in.width + 1;
    }
    sizes.push_back(size);
  }
  return sizes;
}

std::vector<uint8_t> RandomBytes(size_t count) {
  std::mt19937 random(static_cast<uint32_t>(count));
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

std::vector<float> ToFloat(const std::vector<uint8_t>& bytes, float factor) {
  std::vector<float> floats;
  for (uint8_t byte : bytes) floats.push_back(byte * factor);
  return floats;
}

template <typename Value>
std::vector<float> Resize(const std::vector<Value>& input, const Sizes& sizes, ResizeMethod method,
                          bool antialias, ResizeCode code = ResizeCode::kFastest) {
  std::vector<float> output(sizes.output_size());
  REQUIRE(ResizeToFloat(input.data(), sizes.in, sizes.out_height, sizes.out_width, method,
                        antialias, output.data(), code)
              .ok());
  return output;
}

std::vector<uint8_t> Pillow(const std::vector<uint8_t>& input, const Sizes& sizes,
                            PillowFilter filter, PillowPasses passes = PillowPasses::kPillow13,
                            ResizeCode code = ResizeCode::kFastest) {
  std::vector<uint8_t> output(sizes.output_size());
  REQUIRE(ResizeLikePillow(input.data(), sizes.in, sizes.out_height, sizes.out_width, filter,
                           output.data(), passes, code)
              .ok());
  return output;
}

// 5 x 6 of one channel, every value another.
std::vector<uint8_t> Ramp() {
  std::vector<uint8_t> ramp;
  for (int i = 0; i < 30; ++i) ramp.push_back(static_cast<uint8_t>(i * i * 7 % 256));
  return ramp;
}
const Sizes kRampTo3x4 = {{5, 6, 1}, 3, 4};

}  // namespace

TEST_CASE("every processor's float resize gives the bits of the scalar one") {
  for (const Sizes& sizes : RandomSizes(150)) {
    const std::vector<uint8_t> bytes = RandomBytes(sizes.input_size());
    const std::vector<float> floats = ToFloat(bytes, 0.7f);
    for (ResizeMethod method : kMethods) {
      for (bool antialias : {false, true}) {
        const auto expected = Resize(bytes, sizes, method, antialias, ResizeCode::kScalar);
        const auto expected_of_floats =
            Resize(floats, sizes, method, antialias, ResizeCode::kScalar);
        for (ResizeCode code : {ResizeCode::kFastest, ResizeCode::kAvx2, ResizeCode::kSse41}) {
          CHECK(Resize(bytes, sizes, method, antialias, code) == expected);
          CHECK(Resize(floats, sizes, method, antialias, code) == expected_of_floats);
        }
      }
    }
  }
}

TEST_CASE("every processor's Pillow resize gives the bits of the scalar one") {
  for (const Sizes& sizes : RandomSizes(150)) {
    const std::vector<uint8_t> bytes = RandomBytes(sizes.input_size());
    for (PillowFilter filter : kFilters) {
      for (PillowPasses passes : {PillowPasses::kPillow13, PillowPasses::kHorizontalFirst}) {
        const auto expected = Pillow(bytes, sizes, filter, passes, ResizeCode::kScalar);
        for (ResizeCode code : {ResizeCode::kFastest, ResizeCode::kAvx2, ResizeCode::kSse41}) {
          CHECK(Pillow(bytes, sizes, filter, passes, code) == expected);
        }
      }
    }
  }
}

TEST_CASE("loops of every number of taps give the bits of the scalar ones") {
  const std::vector<uint8_t> bytes = RandomBytes(97 * 101 * 3);
  for (int64_t size = 4; size <= 97; size += 3) {
    const Sizes sizes = {{97, 101, 3}, size, size};
    for (ResizeCode code : {ResizeCode::kFastest, ResizeCode::kAvx2, ResizeCode::kSse41}) {
      CHECK(Resize(bytes, sizes, ResizeMethod::kBilinear, true, code) ==
            Resize(bytes, sizes, ResizeMethod::kBilinear, true, ResizeCode::kScalar));
      CHECK(Pillow(bytes, sizes, PillowFilter::kBilinear, PillowPasses::kPillow13, code) ==
            Pillow(bytes, sizes, PillowFilter::kBilinear, PillowPasses::kPillow13,
                   ResizeCode::kScalar));
    }
  }
}

TEST_CASE("bytes and floats of the same value resize alike") {
  for (const Sizes& sizes : RandomSizes(30)) {
    const std::vector<uint8_t> bytes = RandomBytes(sizes.input_size());
    for (ResizeMethod method : kMethods) {
      CHECK(Resize(bytes, sizes, method, true) ==
            Resize(ToFloat(bytes, 1.0f), sizes, method, true));
    }
  }
}

TEST_CASE("an image of one colour keeps it") {
  for (const Sizes& sizes : RandomSizes(60)) {
    const std::vector<uint8_t> bytes(sizes.input_size(), 201);
    for (ResizeMethod method : kMethods) {
      for (bool antialias : {false, true}) {
        float worst = 0;
        for (float value : Resize(bytes, sizes, method, antialias)) {
          worst = std::max(worst, std::abs(value - 201));
        }
        CHECK(worst < 0.02);
      }
    }
    CHECK(Resize(bytes, sizes, ResizeMethod::kBilinear, false) ==
          std::vector<float>(sizes.output_size(), 201));
    for (PillowFilter filter : kFilters) {
      CHECK(Pillow(bytes, sizes, filter) == std::vector<uint8_t>(sizes.output_size(), 201));
    }
  }
}

TEST_CASE("interpolating methods return an image of unchanged size as it is") {
  const Sizes sizes = {{7, 9, 3}, 7, 9};
  const std::vector<uint8_t> bytes = RandomBytes(sizes.input_size());
  for (ResizeMethod method : {ResizeMethod::kNearest, ResizeMethod::kBilinear,
                              ResizeMethod::kBicubic, ResizeMethod::kArea}) {
    CHECK(Resize(bytes, sizes, method, true) == ToFloat(bytes, 1.0f));
  }
  for (PillowFilter filter : kFilters) CHECK(Pillow(bytes, sizes, filter) == bytes);
}

TEST_CASE("bilinear without antialias blends the four neighbours") {
  const std::vector<uint8_t> input = {0, 100, 200, 40};
  const std::vector<float> output =
      Resize(input, {{2, 2, 1}, 4, 4}, ResizeMethod::kBilinear, false);
  const std::vector<float> expected = {0,   25,      75,     100, 50,  58.75f, 76.25f, 85,
                                       150, 126.25f, 78.75f, 55,  200, 160,    80,     40};
  for (size_t i = 0; i < expected.size(); ++i) CHECK(output[i] == doctest::Approx(expected[i]));
}

TEST_CASE("area averages what each output pixel covers") {
  const std::vector<uint8_t> input = {0, 10, 20, 30, 40, 50, 60, 70};
  CHECK(Resize(input, {{2, 4, 1}, 1, 2}, ResizeMethod::kArea, false) ==
        std::vector<float>{(0 + 10 + 40 + 50) / 4.0f, (20 + 30 + 60 + 70) / 4.0f});
  const std::vector<uint8_t> four = {0, 30, 60, 90};
  const std::vector<float> three = Resize(four, {{1, 4, 1}, 1, 3}, ResizeMethod::kArea, false);
  CHECK(three[0] == doctest::Approx((0 + 30 / 3.0) * 0.75));
  CHECK(three[1] == doctest::Approx((30 + 60) * 2 / 3.0 * 0.75));
  CHECK(three[2] == doctest::Approx((60 / 3.0 + 90) * 0.75));
}

TEST_CASE("nearest copies pixels of any size") {
  const Sizes sizes = {{5, 7, 3}, 9, 4};
  const std::vector<uint8_t> bytes = RandomBytes(sizes.input_size());
  const std::vector<double> doubles(bytes.begin(), bytes.end());
  std::vector<double> output(sizes.output_size());
  REQUIRE(ResizeNearest(doubles.data(), 5, 7, 9, 4, 3 * sizeof(double), output.data()).ok());
  const std::vector<float> expected = Resize(bytes, sizes, ResizeMethod::kNearest, false);
  CHECK(std::vector<float>(output.begin(), output.end()) == expected);
  for (int64_t y = 0; y < 9; ++y) {
    for (int64_t x = 0; x < 4; ++x) {
      const int64_t from =
          (static_cast<int64_t>((y + 0.5) * 5 / 9) * 7 + static_cast<int64_t>((x + 0.5) * 7 / 4)) *
          3;
      CHECK(expected[static_cast<size_t>((y * 4 + x) * 3)] == bytes[static_cast<size_t>(from)]);
    }
  }
}

// One channel of a picture that TensorFlow 2.21 resized.
const std::vector<uint8_t> kPicture = {
    4,   0,   25,  51,  54,  86,  86,  108, 94,  138, 184, 199, 185, 208, 222, 240, 255, 0,   26,
    31,  48,  50,  82,  98,  101, 138, 142, 161, 185, 191, 217, 220, 237, 255, 0,   20,  52,  49,
    64,  85,  113, 118, 112, 137, 154, 165, 191, 224, 229, 244, 255, 0,   1,   31,  40,  71,  72,
    96,  91,  113, 149, 193, 165, 193, 218, 203, 245, 255, 0,   38,  37,  41,  58,  80,  91,  105,
    113, 148, 164, 184, 192, 187, 204, 242, 255, 0,   21,  39,  48,  63,  72,  132, 121, 135, 140,
    164, 158, 203, 208, 231, 231, 246, 17,  27,  24,  46,  43,  71,  92,  109, 141, 127, 165, 178,
    175, 214, 216, 218, 255, 0,   24,  31,  56,  72,  73,  81,  103, 145, 132, 173, 183, 188, 209,
    232, 233, 255, 14,  25,  17,  39,  62,  87,  107, 116, 148, 135, 146, 167, 201, 207, 234, 233,
    255, 16,  35,  35,  45,  53,  82,  99,  108, 132, 155, 149, 188, 186, 209, 249, 224, 255, 0,
    0,   41,  35,  44,  70,  77,  104, 130, 165, 159, 184, 196, 221, 213, 254, 254, 10,  9,   53,
    52,  74,  57,  99,  123, 137, 130, 155, 157, 206, 196, 227, 238, 248, 0,   26,  40,  57,  53,
    112, 91,  106, 121, 145, 159, 158, 184, 200, 218, 233, 252};

TEST_CASE("float resize gives TensorFlow's values") {
  struct Case {
    ResizeMethod method;
    bool antialias;
    std::vector<float> third_row;
  };
  const Case cases[] = {
      {ResizeMethod::kBilinear,
       false,
       {26.166666f, 43.75f, 101.916664f, 142.833313f, 184.75f, 221.083328f}},
      {ResizeMethod::kBilinear,
       true,
       {24.084053f, 57.0282822f, 106.343742f, 150.150009f, 194.182465f, 231.464447f}},
      {ResizeMethod::kBicubic,
       false,
       {26.561821f, 42.15625f, 101.050858f, 140.427765f, 182.664062f, 220.077026f}},
      {ResizeMethod::kBicubic,
       true,
       {21.3152485f, 55.2317047f, 107.269562f, 150.397797f, 195.363205f, 234.3629f}},
      {ResizeMethod::kArea,
       false,
       {19.909502f, 56.7692261f, 107.977386f, 150.945679f, 194.615356f, 235.339417f}},
      {ResizeMethod::kArea,
       true,
       {19.909502f, 56.7692261f, 107.977386f, 150.945679f, 194.615356f, 235.339417f}},
      {ResizeMethod::kLanczos3,
       false,
       {26.7028275f, 42.7307434f, 99.5980148f, 138.249512f, 182.397827f, 220.848083f}},
      {ResizeMethod::kLanczos3,
       true,
       {20.8540859f, 55.1982346f, 108.123436f, 149.994583f, 194.789688f, 234.77356f}},
      {ResizeMethod::kLanczos5,
       false,
       {26.9002686f, 43.3417664f, 97.0602722f, 136.288361f, 182.556259f, 221.469482f}},
      {ResizeMethod::kLanczos5,
       true,
       {20.8430176f, 55.4371567f, 108.487778f, 149.658493f, 194.245926f, 234.696899f}},
      {ResizeMethod::kGaussian,
       false,
       {24.2041931f, 48.785984f, 104.11145f, 144.238968f, 187.945862f, 225.711456f}},
      {ResizeMethod::kGaussian,
       true,
       {25.3245335f, 57.5341949f, 105.884674f, 150.729919f, 194.750534f, 230.315994f}},
      {ResizeMethod::kMitchellCubic,
       false,
       {25.2595387f, 45.6702385f, 102.40863f, 142.5186f, 185.930771f, 223.249939f}},
      {ResizeMethod::kMitchellCubic,
       true,
       {23.0939178f, 56.4482269f, 106.575897f, 150.584824f, 195.072662f, 232.620148f}},
  };
  for (const Case& c : cases) {
    const std::vector<float> output = Resize(kPicture, {{13, 17, 1}, 5, 6}, c.method, c.antialias);
    for (size_t i = 0; i < 6; ++i) {
      CHECK(output[2 * 6 + i] == doctest::Approx(c.third_row[i]).epsilon(1e-5));
    }
  }
}

TEST_CASE("byte resize gives Pillow's values") {
  struct Case {
    PillowFilter filter;
    std::vector<uint8_t> expected;
  };
  const Case cases[] = {
      {PillowFilter::kBox, {87, 110, 105, 127, 200, 92, 20, 231, 165, 182, 107, 187}},
      {PillowFilter::kBilinear, {83, 75, 92, 138, 208, 138, 56, 128, 168, 148, 129, 156}},
      {PillowFilter::kHamming, {79, 75, 83, 140, 217, 134, 39, 150, 174, 149, 138, 173}},
      {PillowFilter::kBicubic, {79, 67, 94, 143, 223, 149, 38, 128, 168, 150, 125, 157}},
      {PillowFilter::kLanczos, {76, 58, 102, 147, 233, 156, 30, 125, 163, 151, 123, 156}},
  };
  for (const Case& c : cases) CHECK(Pillow(Ramp(), kRampTo3x4, c.filter) == c.expected);
}

TEST_CASE("the order of Pillow's passes depends on the version where the height shrinks most") {
  const Sizes tall = {{200, 40, 3}, 30, 35};
  const std::vector<uint8_t> bytes = RandomBytes(tall.input_size());
  CHECK(Pillow(bytes, tall, PillowFilter::kBilinear, PillowPasses::kPillow13) !=
        Pillow(bytes, tall, PillowFilter::kBilinear, PillowPasses::kHorizontalFirst));
  const Sizes photo = {{75, 100, 3}, 32, 32};
  CHECK(Pillow(RandomBytes(photo.input_size()), photo, PillowFilter::kBilinear,
               PillowPasses::kPillow13) == Pillow(RandomBytes(photo.input_size()), photo,
                                                  PillowFilter::kBilinear,
                                                  PillowPasses::kHorizontalFirst));
}

TEST_CASE("resize neither reads nor writes outside its images") {
  // Exact allocations: the address sanitizer sees the rest.
  for (int64_t channels = 1; channels <= 5; ++channels) {
    const Sizes sizes = {{3, 5, channels}, 4, 7};
    std::vector<uint8_t> bytes = RandomBytes(sizes.input_size());
    bytes.shrink_to_fit();
    for (ResizeMethod method : kMethods) Resize(bytes, sizes, method, true);
    for (PillowFilter filter : kFilters) Pillow(bytes, sizes, filter);
  }
  // Neighbouring rows of a batch belong to other threads.
  const Sizes sizes = {{9, 9, 3}, 5, 5};
  const std::vector<uint8_t> bytes = RandomBytes(sizes.input_size());
  std::vector<float> output(sizes.output_size() + 8, -1.0f);
  REQUIRE(ResizeToFloat(bytes.data(), sizes.in, 5, 5, ResizeMethod::kBilinear, true, output.data())
              .ok());
  for (size_t i = sizes.output_size(); i < output.size(); ++i) CHECK(output[i] == -1.0f);
}

TEST_CASE("sizes that are not positive are refused") {
  uint8_t pixel = 0;
  float output = 0;
  const Status status =
      ResizeToFloat(&pixel, {1, 1, 1}, 0, 5, ResizeMethod::kBilinear, false, &output);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message().find("1 x 1 x 1 to 0 x 5") != std::string::npos);
  CHECK_FALSE(ResizeToFloat(&output, {0, 1, 1}, 1, 1, ResizeMethod::kArea, false, &output).ok());
  CHECK_FALSE(ResizeLikePillow(&pixel, {1, 1, 1}, -1, 1, PillowFilter::kBox, &pixel).ok());
  CHECK_FALSE(ResizeNearest(&pixel, 1, 1, 1, int64_t{1} << 40, 1, &pixel).ok());
}

TEST_CASE("weight tables stay within the input and are shared") {
  for (int64_t in = 1; in < 60; ++in) {
    for (int64_t out = 1; out < 60; out += 3) {
      for (PillowFilter filter : kFilters) {
        const auto table = PillowWeights(in, out, filter);
        CHECK(table->starts.front() >= 0);
        CHECK(std::is_sorted(table->starts.begin(), table->starts.end()));
        CHECK(table->starts.back() + table->taps <= in);
      }
    }
  }
  CHECK(FloatWeights(500, 224, ResizeMethod::kBilinear, true) ==
        FloatWeights(500, 224, ResizeMethod::kBilinear, true));
  CHECK(FloatWeights(500, 224, ResizeMethod::kBicubic, true) !=
        FloatWeights(500, 224, ResizeMethod::kBicubic, false));
}

TEST_CASE("threads resize side by side") {
  const std::vector<Sizes> all = RandomSizes(40);
  std::vector<std::vector<float>> expected;
  for (const Sizes& sizes : all) {
    expected.push_back(
        Resize(RandomBytes(sizes.input_size()), sizes, ResizeMethod::kLanczos3, true));
  }
  bool equal[4] = {true, true, true, true};
  {
    std::vector<std::jthread> threads;
    for (bool& mine : equal) {
      threads.emplace_back([&] {
        for (size_t i = 0; i < all.size(); ++i) {
          std::vector<float> output(all[i].output_size());
          const std::vector<uint8_t> bytes = RandomBytes(all[i].input_size());
          const Status status =
              ResizeToFloat(bytes.data(), all[i].in, all[i].out_height, all[i].out_width,
                            ResizeMethod::kLanczos3, true, output.data());
          mine = mine && status.ok() && output == expected[i];
        }
      });
    }
  }
  for (bool mine : equal) CHECK(mine);
}
