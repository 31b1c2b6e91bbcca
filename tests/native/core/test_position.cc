#include <doctest/doctest.h>

#include <climits>

#include "core/philox.h"
#include "core/position.h"

namespace fastpipe {
namespace {

TEST_CASE("position: numbers and bytes come back in order") {
  PositionWriter writer;
  const int64_t numbers[] = {0, 1, -1, 63, -64, 300, INT64_MAX, INT64_MIN};
  for (int64_t number : numbers) writer.PutInt(number);
  writer.PutBytes("inner");
  PositionReader reader(writer.bytes());
  for (int64_t number : numbers) CHECK(reader.GetInt() == number);
  CHECK(reader.GetBytes() == "inner");
  CHECK(reader.at_end());
  CHECK(reader.status().ok());
}

TEST_CASE("position: a truncated position fails at every length and never reads beyond it") {
  PositionWriter writer;
  writer.PutInt(1234567);
  writer.PutBytes("abc");
  for (size_t length = 0; length < writer.bytes().size(); ++length) {
    PositionReader reader(std::string_view(writer.bytes()).substr(0, length));
    reader.GetInt();
    reader.GetBytes();
    CHECK(reader.status().code() == Code::kDataLoss);
  }
}

TEST_CASE("position: a count outside its limits is damage") {
  PositionWriter writer;
  writer.PutInt(7);
  writer.PutInt(-1);
  PositionReader reader(writer.bytes());
  CHECK(reader.GetCount(7) == 7);
  CHECK(reader.GetCount() == 0);
  CHECK_FALSE(reader.status().ok());
}

TEST_CASE("philox: numbers depend on seeds and counter alone, and are TensorFlow's") {
  const Philox random(87654321, 4);
  CHECK(random.At(0) == 3128586565);
  CHECK(random.At(4) == 1485036815);
  CHECK(random.At(4) == Philox(87654321, 4).At(4));
  CHECK(random.At(4) != Philox(87654321, 5).At(4));
}

TEST_CASE("philox: numbers are uniform") {
  const Philox random(42, 0);
  int counts[10] = {};
  for (uint64_t i = 0; i < 100'000; ++i) ++counts[random.At(i) % 10];
  for (int count : counts) {
    CHECK(count > 9'600);
    CHECK(count < 10'400);
  }
}

}  // namespace
}  // namespace fastpipe
