// Fuzz targets: functions that take any bytes, and what they have in common.
//
// Contract: FASTPIPE_FUZZ_TARGET("name", Function) makes `Function` known by that name to the
// fuzzer (fuzzer.cc) and to the replay of the corpora (tests/native/test_corpora.cc). A target
// returns whatever the bytes are; Check throws if a property does not hold, which both report.
// Thread rule: targets run one at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/status.h"

namespace fastpipe::fuzz {

using Target = void (*)(std::string_view bytes);

// By name.
inline std::map<std::string, Target>& Targets() {
  static std::map<std::string, Target> targets;
  return targets;
}

struct Registration {
  Registration(const char* name, Target target) { Targets().emplace(name, target); }
};
#define FASTPIPE_FUZZ_TARGET(name, function) \
  const ::fastpipe::fuzz::Registration FASTPIPE_CONCAT(fuzz_target_, __COUNTER__)(name, function)

// Numbers of elements, pixels or bytes beyond which a target looks no further.
inline constexpr int64_t kMaxPixels = 1 << 16;
inline constexpr size_t kMaxResults = 300;

inline void Check(bool holds, const std::string& property) {
  if (!holds) throw std::logic_error("does not hold: " + property);
}

// Damaged or hostile bytes may give errors of these kinds, and of no other.
inline void CheckError(const Status& status, std::initializer_list<Code> expected) {
  if (status.ok()) return;
  Check(std::find(expected.begin(), expected.end(), status.code()) != expected.end(),
        StrCat("that is no error for damaged bytes: ", CodeName(status.code()), ": ",
               status.ToString()));
}

// The first bytes of an input choose how the others are read: options, sizes, formats.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : rest_(bytes) {}

  // From 0 to `count` - 1; 0 if no byte is left.
  int Below(int count) {
    if (rest_.empty()) return 0;
    const int byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte % count;
  }
  bool Flag() { return Below(2) == 1; }
  // The next `size` bytes, or what is left.
  std::string_view Bytes(size_t size) {
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(bytes.size());
    return bytes;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace fastpipe::fuzz
