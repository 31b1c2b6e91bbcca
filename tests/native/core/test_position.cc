#include <doctest/doctest.h>

#include <climits>

#include "core/position.h"
#include "core/random.h"

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

TEST_CASE("random: numbers depend on key, stream and counter alone") {
  CHECK(CounterRandom(1, 2).At(3) == CounterRandom(1, 2).At(3));
  CHECK(CounterRandom(1, 2).At(3) != CounterRandom(1, 3).At(3));
  CHECK(CounterRandom(1, 2).At(3) != CounterRandom(2, 2).At(3));
}

TEST_CASE("random: Below is uniform") {
  const CounterRandom random(42, 0);
  int counts[10] = {};
  for (uint64_t i = 0; i < 100'000; ++i) ++counts[random.Below(10, i)];
  for (int count : counts) {
    CHECK(count > 9'600);
    CHECK(count < 10'400);
  }
}

}  // namespace
}  // namespace fastpipe
