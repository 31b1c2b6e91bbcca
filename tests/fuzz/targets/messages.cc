// Protocol buffers: tf.train.Example walked in place, TensorProto, and Example as JSON.

#include <limits>
#include <string>
#include <vector>

#include "../target.h"
#include "io/example_wire.h"
#include "io/json_example.h"
#include "io/tensor_wire.h"

namespace fastpipe::fuzz {
namespace {

void CheckDamage(const Status& status) { CheckError(status, {Code::kInvalidArgument}); }

template <typename Value, typename Read>
void CheckValues(const Feature& feature, Read read) {
  auto count = read(feature, std::span<Value>());
  CheckDamage(count.status());
  if (!count.ok() || count.value() > kMaxResults) return;
  std::vector<Value> values(count.value());
  auto again = read(feature, std::span<Value>(values));
  Check(again.ok() && again.value() == count.value(), "as many values are read as were counted");
}

void WalkFeature(std::string_view message) {
  auto feature = ReadFeature(message);
  CheckDamage(feature.status());
  if (!feature.ok()) return;
  const FeatureKind kind = feature.value().kind;
  const auto may_be = [kind](FeatureKind wanted) {
    return kind == wanted || kind == FeatureKind::kNone;
  };
  if (may_be(FeatureKind::kFloat)) CheckValues<float>(feature.value(), ReadFloats);
  if (may_be(FeatureKind::kInt64)) CheckValues<int64_t>(feature.value(), ReadInts);
  if (may_be(FeatureKind::kBytes)) CheckValues<std::string_view>(feature.value(), ReadStrings);
}

void FuzzExample(std::string_view message) {
  MapReader features(message, MapReader::kExampleFeatures);
  while (features.Next()) WalkFeature(features.value());
  CheckDamage(features.status());
  MapReader lists(message, MapReader::kSequenceLists);
  while (lists.Next()) {
    std::vector<std::string_view> steps;
    CheckDamage(ReadFeatureList(lists.value(), &steps));
    for (std::string_view step : steps) WalkFeature(step);
  }
  CheckDamage(lists.status());
}

void FuzzTensor(std::string_view message) {
  auto tensor = ParseTensor(message);
  CheckError(tensor.status(), {Code::kInvalidArgument, Code::kResourceExhausted});
  if (!tensor.ok()) return;
  const std::string written = SerializeTensor(tensor.value());
  auto again = ParseTensor(written);
  Check(again.ok(), StrCat("what is written can be read: ", again.status().ToString()));
  Check(SerializeTensor(again.value()) == written, "a tensor read and written again is the same");
}

void FuzzJson(std::string_view json) {
  auto message = ExampleFromJson(json);
  CheckDamage(message.status());
  if (!message.ok()) return;
  MapReader features(message.value(), MapReader::kExampleFeatures);
  while (features.Next()) {
    Check(ReadFeature(features.value()).ok(), "a feature made from JSON is sound");
    WalkFeature(features.value());
  }
  Check(features.status().ok(), "an Example made from JSON is sound");
}

FASTPIPE_FUZZ_TARGET("example", FuzzExample);
FASTPIPE_FUZZ_TARGET("tensor", FuzzTensor);
FASTPIPE_FUZZ_TARGET("json_example", FuzzJson);

}  // namespace
}  // namespace fastpipe::fuzz
