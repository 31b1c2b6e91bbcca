// tf.train.Example on the wire: protocol buffers read in place, without generated code.
//
// Contract: everything returned is a part of the message given. Damaged input gives InvalidArgument
// with the byte offset within that message, never more; no reader recurses or allocates. Unknown
// fields are passed over.
// Thread rule: readers are plain values, used by one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace fastpipe {

enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

// Appends a varint, or a field that holds a string or a message.
void AppendVarint(uint64_t value, std::string* out);
void AppendField(uint32_t field, std::string_view bytes, std::string* out);
// Reads one varint at `*at` and moves behind it; false if it is cut off or longer than ten bytes.
bool DecodeVarint(std::string_view bytes, size_t* at, uint64_t* value);

// Walks the fields of one message.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : message_(message) {}

  // Moves to the next field. False at the end of the message or of its sound part: see status().
  bool Next();
  const Status& status() const { return status_; }

  // The field Next moved to. Groups are passed over, so they are never seen here.
  uint32_t field() const { return field_; }
  WireType type() const { return type_; }
  bool Is(uint32_t field, WireType type) const { return field_ == field && type_ == type; }
  uint64_t varint() const { return varint_; }
  std::string_view bytes() const { return bytes_; }  // for kFixed32 and kFixed64 too
  // Where the field starts in the message.
  size_t offset() const { return offset_; }

 private:
  bool Fail(const char* problem);
  bool ReadVarint(uint64_t* value);
  bool ReadTag();
  bool ReadBytes(uint64_t size);
  bool ReadValue();
  bool SkipGroup();

  std::string_view message_;
  size_t at_ = 0;
  size_t offset_ = 0;
  uint32_t field_ = 0;
  WireType type_ = WireType::kVarint;
  uint64_t varint_ = 0;
  std::string_view bytes_;
  Status status_;
};

enum class FeatureKind : uint8_t { kNone = 0, kBytes = 1, kFloat = 2, kInt64 = 3 };

const char* FeatureKindName(FeatureKind kind);  // "no", "bytes", "float", "int64"

// A tf.train.Feature: lists of one kind. Several in a row count as one, as everywhere in protobuf.
struct Feature {
  FeatureKind kind = FeatureKind::kNone;
  std::string_view lists;  // serialized; the last lists of `kind` in the Feature
};
Result<Feature> ReadFeature(std::string_view message);

// Walks the entries of the maps that a message holds in one field, all of them one after the other:
// the features of a tf.train.Example, or the context or the feature lists of a
// tf.train.SequenceExample. Next() is true while there is one.
class MapReader {
 public:
  // Numbers of the fields that hold maps.
  static constexpr uint32_t kExampleFeatures = 1;
  static constexpr uint32_t kSequenceContext = 1;
  static constexpr uint32_t kSequenceLists = 2;

  MapReader(std::string_view message, uint32_t field)
      : field_(field), outer_(message), inner_({}) {}

  bool Next();
  // What is wrong with the message, once Next() is false.
  const Status& status() const { return status_; }
  std::string_view key() const { return key_; }
  // A serialized Feature or FeatureList. A later entry with the same key replaces an earlier one.
  std::string_view value() const { return value_; }

 private:
  bool ReadEntry(std::string_view entry);
  // False; keeps what is wrong with `reader`, if anything.
  bool Stop(const WireReader& reader) {
    status_ = reader.status();
    return false;
  }

  const uint32_t field_;
  Status status_;
  WireReader outer_;
  WireReader inner_;  // of the map that outer_ stands at
  std::string_view key_;
  std::string_view value_;
};

// The serialized Features of a FeatureList, in order.
Status ReadFeatureList(std::string_view message, std::vector<std::string_view>* features);

// Each counts the values of `feature`, and writes as many of the first as `out` has room for.
// REQUIRES: feature.kind is the kind read, or kNone.
Result<size_t> ReadFloats(const Feature& feature, std::span<float> out);
Result<size_t> ReadInts(const Feature& feature, std::span<int64_t> out);
Result<size_t> ReadStrings(const Feature& feature, std::span<std::string_view> out);

}  // namespace fastpipe
