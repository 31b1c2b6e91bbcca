#include "io/example_wire.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace fastpipe {
namespace {

constexpr size_t kMaxGroupDepth = 100;
constexpr uint32_t kMaxFieldNumber = (1u << 29) - 1;

// Features.feature, FeatureLists.feature_list; the entry of a map: key and value;
// FeatureList.feature, FloatList.value, ...
constexpr uint32_t kMapEntry = 1;
constexpr uint32_t kEntryKey = 1;
constexpr uint32_t kEntryValue = 2;
constexpr uint32_t kListValue = 1;

// Calls `visit(reader)` at each field `value` of each list in `feature`.
template <typename F>
Status ForEachListField(const Feature& feature, F visit) {
  WireReader lists(feature.lists);
  while (lists.Next()) {
    if (!lists.Is(static_cast<uint32_t>(feature.kind), WireType::kBytes)) continue;
    WireReader values(lists.bytes());
    while (values.Next()) {
      if (values.field() == kListValue) FASTPIPE_RETURN_IF_ERROR(visit(values));
    }
    FASTPIPE_RETURN_IF_ERROR(values.status());
  }
  return lists.status();
}

}  // namespace

void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

void AppendField(uint32_t field, std::string_view bytes, std::string* out) {
  AppendVarint(field << 3 | static_cast<uint32_t>(WireType::kBytes), out);
  AppendVarint(bytes.size(), out);
  out->append(bytes);
}

bool DecodeVarint(std::string_view bytes, size_t* at, uint64_t* value) {
  uint64_t result = 0;
  for (int shift = 0; shift < 70 && *at < bytes.size(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes[(*at)++]);
    result |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *value = result;
      return true;
    }
  }
  return false;
}

bool WireReader::Fail(const char* problem) {
  status_ = InvalidArgument(StrCat(problem, " at byte ", offset_, " of ", message_.size()));
  at_ = message_.size();
  return false;
}

bool WireReader::ReadVarint(uint64_t* value) {
  return DecodeVarint(message_, &at_, value) || Fail("a number is cut off or too long");
}

bool WireReader::ReadTag() {
  uint64_t tag = 0;
  if (!ReadVarint(&tag)) return false;
  if (tag >> 3 == 0 || tag >> 3 > kMaxFieldNumber) return Fail("there is no such field number");
  if ((tag & 7) > static_cast<uint64_t>(WireType::kFixed32)) return Fail("there is no such type");
  field_ = static_cast<uint32_t>(tag >> 3);
  type_ = static_cast<WireType>(tag & 7);
  return true;
}

bool WireReader::ReadBytes(uint64_t size) {
  if (size > message_.size() - at_) return Fail("a field is longer than the message");
  bytes_ = message_.substr(at_, size);
  at_ += size;
  return true;
}

bool WireReader::ReadValue() {
  switch (type_) {
    case WireType::kVarint:
      return ReadVarint(&varint_);
    case WireType::kFixed64:
      return ReadBytes(8);
    case WireType::kFixed32:
      return ReadBytes(4);
    case WireType::kBytes: {
      uint64_t size = 0;
      return ReadVarint(&size) && ReadBytes(size);
    }
    default:
      return Fail("a group ends that never began");
  }
}

// Passes over the group that began at field_, and those inside it.
bool WireReader::SkipGroup() {
  std::array<uint32_t, kMaxGroupDepth> open;
  size_t depth = 0;
  open[depth++] = field_;
  while (depth > 0) {
    if (at_ == message_.size()) return Fail("a group does not end");
    if (!ReadTag()) return false;
    if (type_ == WireType::kStartGroup) {
      if (depth == kMaxGroupDepth) return Fail("groups are nested too deep");
      open[depth++] = field_;
    } else if (type_ == WireType::kEndGroup) {
      if (open[--depth] != field_) return Fail("a group ends as another");
    } else if (!ReadValue()) {
      return false;
    }
  }
  return true;
}

bool WireReader::Next() {
  while (at_ < message_.size()) {
    offset_ = at_;
    if (!ReadTag()) return false;
    if (type_ != WireType::kStartGroup) return ReadValue();
    if (!SkipGroup()) return false;
  }
  return false;
}

const char* FeatureKindName(FeatureKind kind) {
  constexpr std::array<const char*, 4> kNames = {"no", "bytes", "float", "int64"};
  return kNames[static_cast<size_t>(kind)];
}

Result<Feature> ReadFeature(std::string_view message) {
  Feature feature;
  WireReader lists(message);
  while (lists.Next()) {
    const bool known = lists.field() >= 1 && lists.field() <= 3 && lists.type() == WireType::kBytes;
    if (!known || lists.field() == static_cast<uint32_t>(feature.kind)) continue;
    feature.kind = static_cast<FeatureKind>(lists.field());
    feature.lists = message.substr(lists.offset());
  }
  FASTPIPE_RETURN_IF_ERROR(lists.status());
  return feature;
}

bool MapReader::ReadEntry(std::string_view entry) {
  key_ = value_ = {};
  WireReader parts(entry);
  while (parts.Next()) {
    if (parts.Is(kEntryKey, WireType::kBytes)) key_ = parts.bytes();
    if (parts.Is(kEntryValue, WireType::kBytes)) value_ = parts.bytes();
  }
  return parts.status().ok() || Stop(parts);
}

bool MapReader::Next() {
  while (status_.ok()) {
    while (inner_.Next()) {
      if (inner_.Is(kMapEntry, WireType::kBytes)) return ReadEntry(inner_.bytes());
    }
    if (!inner_.status().ok()) return Stop(inner_);
    if (!outer_.Next()) return Stop(outer_);
    if (outer_.Is(field_, WireType::kBytes)) inner_ = WireReader(outer_.bytes());
  }
  return false;
}

Status ReadFeatureList(std::string_view message, std::vector<std::string_view>* features) {
  features->clear();
  WireReader steps(message);
  while (steps.Next()) {
    if (steps.Is(kListValue, WireType::kBytes)) features->push_back(steps.bytes());
  }
  return steps.status();
}

Result<size_t> ReadFloats(const Feature& feature, std::span<float> out) {
  size_t count = 0;
  FASTPIPE_RETURN_IF_ERROR(ForEachListField(feature, [&](const WireReader& value) {
    if (value.type() != WireType::kBytes && value.type() != WireType::kFixed32) return Status::Ok();
    const std::string_view bytes = value.bytes();  // packed: any number of floats
    if (bytes.size() % sizeof(float) != 0) {
      return InvalidArgument(StrCat("a float list has ", bytes.size(), " bytes, not whole floats"));
    }
    const size_t size = bytes.size() / sizeof(float);
    if (count < out.size()) {
      std::memcpy(&out[count], bytes.data(), std::min(size, out.size() - count) * sizeof(float));
    }
    count += size;
    return Status::Ok();
  }));
  return count;
}

Result<size_t> ReadInts(const Feature& feature, std::span<int64_t> out) {
  size_t count = 0;
  const auto add = [&](uint64_t value) {
    if (count < out.size()) out[count] = static_cast<int64_t>(value);
    ++count;
  };
  FASTPIPE_RETURN_IF_ERROR(ForEachListField(feature, [&](const WireReader& value) {
    if (value.type() == WireType::kVarint) add(value.varint());
    if (value.type() != WireType::kBytes) return Status::Ok();
    for (size_t at = 0; at < value.bytes().size();) {  // packed
      uint64_t number = 0;
      if (!DecodeVarint(value.bytes(), &at, &number)) {
        return InvalidArgument(
            StrCat("an int64 list ends within a number or holds one too long, at "
                   "byte ",
                   at, " of ", value.bytes().size()));
      }
      add(number);
    }
    return Status::Ok();
  }));
  return count;
}

Result<size_t> ReadStrings(const Feature& feature, std::span<std::string_view> out) {
  size_t count = 0;
  FASTPIPE_RETURN_IF_ERROR(ForEachListField(feature, [&](const WireReader& value) {
    if (value.type() != WireType::kBytes) return Status::Ok();
    if (count < out.size()) out[count] = value.bytes();
    ++count;
    return Status::Ok();
  }));
  return count;
}

}  // namespace fastpipe
