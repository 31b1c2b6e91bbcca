#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "io/example_wire.h"

namespace fastpipe {
namespace {

std::string Varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}

std::string Tag(uint32_t field, WireType type) {
  return Varint(field << 3 | static_cast<uint32_t>(type));
}

std::string Bytes(uint32_t field, const std::string& payload) {
  return Tag(field, WireType::kBytes) + Varint(payload.size()) + payload;
}

std::string Packed(const std::vector<uint64_t>& values) {
  std::string payload;
  for (uint64_t value : values) payload += Varint(value);
  return Bytes(3, Bytes(1, payload));
}

std::string Unpacked(const std::vector<uint64_t>& values) {
  std::string payload;
  for (uint64_t value : values) payload += Tag(1, WireType::kVarint) + Varint(value);
  return Bytes(3, payload);
}

std::string Entry(const std::string& key, const std::string& feature) {
  return Bytes(1, Bytes(1, key) + Bytes(2, feature));
}

std::string FloatBytes(float value) {
  std::string bytes(sizeof(value), '\0');
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

// The int64 values of a serialized Feature; -1 alone stands for an error.
std::vector<int64_t> Ints(const std::string& message) {
  auto feature = ReadFeature(message);
  if (!feature.ok() || feature.value().kind != FeatureKind::kInt64) return {-1};
  auto count = ReadInts(feature.value(), {});
  if (!count.ok()) return {-1};
  std::vector<int64_t> values(count.value());
  CHECK(ReadInts(feature.value(), values).value() == values.size());
  return values;
}

// "key=feature;..." of a serialized Example, and what is wrong with it.
std::string Entries(const std::string& example) {
  std::string text;
  MapReader reader(example, MapReader::kExampleFeatures);
  while (reader.Next()) {
    text.append(reader.key()).append("=").append(reader.value()).append(";");
  }
  return text + reader.status().message();
}

TEST_CASE("example_wire: packed, unpacked and mixed lists hold the same values") {
  const std::vector<int64_t> expected = {1, 300, INT64_MIN};
  const std::vector<uint64_t> values = {1, 300, uint64_t{1} << 63};
  CHECK(Ints(Packed(values)) == expected);
  CHECK(Ints(Unpacked(values)) == expected);
  CHECK(Ints(Packed({1}) + Unpacked({300}) + Packed({uint64_t{1} << 63})) == expected);
  CHECK(Ints(Packed({})).empty());
}

TEST_CASE("example_wire: floats packed and unpacked, more than there is room for") {
  const std::string one = FloatBytes(1.5f);
  const std::string two = FloatBytes(-2.0f);
  const std::string message =
      Bytes(2, Bytes(1, one + two) + Tag(1, WireType::kFixed32) + one + Bytes(1, ""));
  const Feature feature = ReadFeature(message).value();
  CHECK(feature.kind == FeatureKind::kFloat);
  std::array<float, 2> room{};
  CHECK(ReadFloats(feature, room).value() == 3);
  CHECK(room[0] == 1.5f);
  CHECK(room[1] == -2.0f);
}

TEST_CASE("example_wire: strings are parts of the message") {
  const std::string message = Bytes(1, Bytes(1, "ab") + Bytes(1, ""));
  std::array<std::string_view, 2> values;
  CHECK(ReadStrings(ReadFeature(message).value(), values).value() == 2);
  CHECK(values[0] == "ab");
  CHECK(values[0].data() > message.data());
  CHECK(values[1].empty());
}

TEST_CASE("example_wire: the last kind of a feature counts") {
  CHECK(Ints(Bytes(2, Bytes(1, FloatBytes(1))) + Packed({7})) == std::vector<int64_t>{7});
  CHECK(Ints(Packed({1}) + Bytes(1, Bytes(1, "x")) + Packed({2})) == std::vector<int64_t>{2});
  CHECK(ReadFeature("").value().kind == FeatureKind::kNone);
}

TEST_CASE("example_wire: a list's number with another wire type is a field nobody knows") {
  const std::string number = Tag(3, WireType::kVarint) + Varint(5);
  const std::string unknown = Bytes(9, "later");
  const std::string later = Tag(9, WireType::kVarint) + Varint(7);
  for (const std::string& other : {number, unknown, later}) {
    CHECK(Ints(other + Packed({1, 2})) == std::vector<int64_t>{1, 2});
    CHECK(Ints(Packed({1}) + other + Packed({2})) == std::vector<int64_t>{1, 2});
    CHECK(Ints(Packed({1, 2}) + other) == std::vector<int64_t>{1, 2});
    CHECK(ReadFeature(other).value().kind == FeatureKind::kNone);
  }
}

TEST_CASE("example_wire: entries in order, whatever stands between them") {
  CHECK(Entries("").empty());
  const std::string unknown = Tag(9, WireType::kVarint) + Varint(5) + Tag(8, WireType::kFixed64) +
                              std::string(8, 'x') + Tag(7, WireType::kStartGroup) +
                              Bytes(1, "in a group") + Tag(7, WireType::kEndGroup);
  const std::string example = unknown + Bytes(1, unknown + Entry("a", "1") + Entry("b", "2")) +
                              Bytes(1, Entry("a", "3") + unknown) + unknown;
  CHECK(Entries(example) == "a=1;b=2;a=3;");
  CHECK(Entries(Bytes(1, Bytes(1, Bytes(2, "v") + Bytes(1, "k") + unknown))) == "k=v;");
  CHECK(Entries(Bytes(1, Bytes(1, ""))) == "=;");
}

TEST_CASE("example_wire: damage is an error with its place") {
  CHECK(Entries("garbage") == "there is no such type at byte 0 of 7");
  CHECK(Entries("\x0c") == "a group ends that never began at byte 0 of 1");
  CHECK(Entries(std::string(2, '\0')) == "there is no such field number at byte 0 of 2");
  CHECK(Entries(Tag(1, WireType::kBytes) + Varint(5) + "abc") ==
        "a field is longer than the message at byte 0 of 5");
  CHECK(Entries("\x0f") == "there is no such type at byte 0 of 1");
  CHECK(Entries(std::string(11, '\xff')) == "a number is cut off or too long at byte 0 of 11");
  CHECK(Entries(Tag(5, WireType::kStartGroup)) == "a group does not end at byte 0 of 1");
  CHECK(Entries(Tag(5, WireType::kStartGroup) + Tag(6, WireType::kEndGroup)) ==
        "a group ends as another at byte 0 of 2");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += Tag(5, WireType::kStartGroup);
  CHECK(Entries(deep) == "groups are nested too deep at byte 0 of 100000");
  CHECK(Ints(Bytes(3, Bytes(1, "\xff"))) == std::vector<int64_t>{-1});
  const std::string floats = Bytes(2, Bytes(1, "abc"));
  CHECK_FALSE(ReadFloats(ReadFeature(floats).value(), {}).ok());
}

TEST_CASE("example_wire: every cut of an example is read without harm") {
  const std::string whole = Bytes(1, Entry("a", Packed({1, 2, 3})) + Entry("b", Unpacked({4})));
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    MapReader reader(cut, MapReader::kExampleFeatures);
    while (reader.Next()) {
    }
    CHECK(reader.status().ok() == (size == 0));
  }
}

}  // namespace
}  // namespace fastpipe
