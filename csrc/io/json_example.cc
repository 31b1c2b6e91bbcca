#include "io/json_example.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/example_wire.h"
#include "io/text.h"

namespace fastpipe {
namespace {

// ---- the message ----

bool PutInt(std::string_view text, std::string* out) {
  int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ptr != text.data() + text.size() || read.ec != std::errc()) {
    // 1e3 and 2.0 are integers, too, as far as a double holds them.
    double number = 0;
    if (IsAsciiSpace(text.empty() ? ' ' : text.front()) || !ParseNumber(text, &number))
      return false;
    if (number != std::floor(number) || std::abs(number) > 9007199254740992.0) return false;
    value = static_cast<int64_t>(number);
  }
  AppendVarint(1 << 3, out);
  AppendVarint(static_cast<uint64_t>(value), out);
  return true;
}

bool PutFloat(std::string_view text, std::string* out) {
  double number = 0;
  if (text.empty() || IsAsciiSpace(text.front()) || !ParseNumber(text, &number)) return false;
  const float value = static_cast<float>(number);
  if (std::isinf(value) && text.find_first_of("0123456789") != std::string_view::npos) return false;
  AppendVarint(1 << 3 | 5, out);
  char bytes[sizeof(value)];
  std::memcpy(bytes, &value, sizeof(value));
  out->append(bytes, sizeof(value));
  return true;
}

int Base64Digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  return c == '/' || c == '_' ? 63 : -1;
}

bool PutBytes(std::string_view text, std::string* out) {
  while (text.ends_with('=')) text.remove_suffix(1);
  if (text.size() % 4 == 1) return false;
  std::string bytes;
  uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const int digit = Base64Digit(c);
    if (digit < 0) return false;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<char>(bits >> held & 0xff));
  }
  AppendField(1, bytes, out);
  return true;
}

void PutUtf8(uint32_t code, std::string* out) {
  const auto put = [out](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

// ---- the text ----

// The kinds of lists in a Feature: their names, their fields, and how a value is written.
struct ListKind {
  std::string_view camel;
  std::string_view snake;
  uint32_t field;
  bool quoted;   // strings stand for values
  bool numbers;  // numbers do
  bool (*put)(std::string_view text, std::string* out);
};

constexpr ListKind kListKinds[] = {
    {"bytesList", "bytes_list", 1, true, false, PutBytes},
    {"floatList", "float_list", 2, true, true, PutFloat},
    {"int64List", "int64_list", 3, true, true, PutInt},
};

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  Result<std::string> Example() {
    std::string out;
    FASTPIPE_RETURN_IF_ERROR(Object([&](const std::string& name) {
      if (name != "features") return Unknown(name);
      if (TakeNull()) return Status::Ok();
      std::string features;
      FASTPIPE_RETURN_IF_ERROR(Features(&features));
      AppendField(1, features, &out);
      return Status::Ok();
    }));
    SkipSpace();
    if (at_ != text_.size()) return Error("nothing may follow the object");
    return out;
  }

 private:
  Status Error(std::string_view problem) const {
    return InvalidArgument(StrCat(problem, " at byte ", at_, " of ", text_.size()));
  }
  Status Unknown(const std::string& name) const {
    return Error(StrCat("there is no field ", fastpipe::Quoted(name)));
  }

  void SkipSpace() {
    while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_]) && text_[at_] != '\0') ++at_;
  }
  bool Take(char c) {
    SkipSpace();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool TakeNull() {
    SkipSpace();
    if (!text_.substr(at_).starts_with("null")) return false;
    at_ += 4;
    return true;
  }

  // Calls `read(name)` at the value of each member.
  template <typename F>
  Status Object(F read) {
    if (!Take('{')) return Error("expected '{'");
    if (Take('}')) return Status::Ok();
    do {
      std::string name;
      FASTPIPE_RETURN_IF_ERROR(String(&name));
      if (!Take(':')) return Error("expected ':'");
      FASTPIPE_RETURN_IF_ERROR(read(name));
    } while (Take(','));
    return Take('}') ? Status::Ok() : Error("expected ',' or '}'");
  }

  Status Features(std::string* out) {
    return Object([&](const std::string& name) {
      if (name != "feature") return Unknown(name);
      if (TakeNull()) return Status::Ok();
      return Object([&](const std::string& key) {
        std::string entry;
        AppendField(1, key, &entry);
        std::string feature;
        if (!TakeNull()) {
          FASTPIPE_RETURN_IF_ERROR(Feature(&feature));
          AppendField(2, feature, &entry);
        }
        AppendField(1, entry, out);
        return Status::Ok();
      });
    });
  }

  Status Feature(std::string* out) {
    return Object([&](const std::string& name) {
      for (const ListKind& kind : kListKinds) {
        if (name != kind.camel && name != kind.snake) continue;
        if (TakeNull()) return Status::Ok();
        if (!out->empty()) return Error("a feature holds one list");
        std::string list;
        FASTPIPE_RETURN_IF_ERROR(List(kind, &list));
        AppendField(kind.field, list, out);
        return Status::Ok();
      }
      return Unknown(name);
    });
  }

  Status List(const ListKind& kind, std::string* out) {
    return Object([&](const std::string& name) {
      if (name != "value") return Unknown(name);
      if (TakeNull()) return Status::Ok();
      if (!Take('[')) return Value(kind, out);  // a list of one
      if (Take(']')) return Status::Ok();
      do {
        FASTPIPE_RETURN_IF_ERROR(Value(kind, out));
      } while (Take(','));
      return Take(']') ? Status::Ok() : Error("expected ',' or ']'");
    });
  }

  Status Value(const ListKind& kind, std::string* out) {
    SkipSpace();
    const size_t begin = at_;
    const bool quoted = at_ < text_.size() && text_[at_] == '"';
    std::string value;
    if (quoted) {
      FASTPIPE_RETURN_IF_ERROR(String(&value));
    } else {
      while (at_ < text_.size() && std::strchr("+-.0123456789eE", text_[at_]) && text_[at_]) ++at_;
      value = text_.substr(begin, at_ - begin);
      const std::string_view digits =
          std::string_view(value).substr(value.starts_with('-') ? 1 : 0);
      const bool zeros =
          digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
      if (zeros || digits.empty() || digits[0] < '0' || digits[0] > '9') value.clear();
    }
    const bool allowed = quoted ? kind.quoted : kind.numbers && !value.empty();
    if (allowed && kind.put(value, out)) return Status::Ok();
    at_ = begin;
    return Error(StrCat("expected a value of ", kind.camel));
  }

  Result<uint32_t> HexDigits() {
    uint32_t code = 0;
    const std::string_view digits = text_.substr(at_, 4);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 4 || read.ptr != digits.data() + 4)
      return Error("expected four hex digits");
    at_ += 4;
    return code;
  }

  Status Escape(std::string* out) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char c = at_ < text_.size() ? text_[at_++] : '\0';
    const size_t which = kNames.find(c);
    if (which != std::string_view::npos) {
      out->push_back(kMeanings[which]);
      return Status::Ok();
    }
    if (c != 'u') return Error("there is no such escape");
    FASTPIPE_ASSIGN(uint32_t code, HexDigits());
    if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_).starts_with("\\u")) {
      at_ += 2;
      FASTPIPE_ASSIGN(const uint32_t low, HexDigits());
      if (low < 0xdc00 || low > 0xdfff) return Error("half a surrogate pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code >= 0xd800 && code < 0xe000) return Error("half a surrogate pair");
    PutUtf8(code, out);
    return Status::Ok();
  }

  Status String(std::string* out) {
    if (!Take('"')) return Error("expected a string");
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return Status::Ok();
      if (c == '\\') {
        FASTPIPE_RETURN_IF_ERROR(Escape(out));
      } else {
        out->push_back(c);
      }
    }
    return Error("a string does not end");
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<std::string> ExampleFromJson(std::string_view json) { return JsonReader(json).Example(); }

}  // namespace fastpipe
