#include "kernels/unicode_case.h"

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/unicode_case_table.h"
#include "kernels/unicode_text.h"

namespace fastpipe {
namespace {

constexpr char32_t kReplacement = 0xfffd;
constexpr char32_t kSigma = 0x3a3;
constexpr char32_t kFinalSigma = 0x3c2;

std::vector<char32_t> CharactersOf(std::string_view text) {
  std::vector<char32_t> characters;
  while (!text.empty()) {
    const Decoded decoded = DecodeFirst(UnicodeEncoding::kUtf8, text);
    characters.push_back(decoded.valid ? decoded.code_point : kReplacement);
    text.remove_prefix(decoded.size);
  }
  return characters;
}

bool Contains(std::span<const CodeRange> ranges, char32_t character) {
  const int32_t c = static_cast<int32_t>(character);
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), c,
                                      [](int32_t a, const CodeRange& b) { return a < b.first; });
  return after != ranges.begin() && c <= std::prev(after)->last;
}

// Runs may interleave, one with every second code point of another, so that the last one that
// starts at or before `c` need not be the right one.
char32_t Mapped(std::span<const CaseRun> runs, char32_t character) {
  constexpr int kInterleaved = 4;
  const int32_t c = static_cast<int32_t>(character);
  auto at = std::upper_bound(runs.begin(), runs.end(), c,
                             [](int32_t a, const CaseRun& b) { return a < b.first; });
  for (int i = 0; i < kInterleaved && at != runs.begin(); ++i) {
    --at;
    if (c <= at->last && (c - at->first) % at->step == 0) {
      return static_cast<char32_t>(c + at->distance);
    }
  }
  return character;
}

void AppendMapped(std::span<const CaseRun> runs, std::span<const CaseExpansion> expansions,
                  char32_t character, std::string* out) {
  const auto found =
      std::lower_bound(expansions.begin(), expansions.end(), static_cast<int32_t>(character),
                       [](const CaseExpansion& a, int32_t b) { return a.from < b; });
  if (found == expansions.end() || found->from != static_cast<int32_t>(character)) {
    EncodeTo(UnicodeEncoding::kUtf8, Mapped(runs, character), out);
    return;
  }
  for (const char32_t each : found->to) {
    if (each != 0) EncodeTo(UnicodeEncoding::kUtf8, each, out);
  }
}

// True if a cased letter is the first thing that counts from `begin` on.
template <typename Iterator>
bool StartsCased(Iterator begin, Iterator end) {
  const auto counts =
      std::find_if(begin, end, [](char32_t c) { return !Contains(kCaseIgnorable, c); });
  return counts != end && Contains(kCased, *counts);
}

bool EndsWord(const std::vector<char32_t>& characters, size_t i) {
  const auto at = characters.begin() + static_cast<std::ptrdiff_t>(i);
  return StartsCased(std::make_reverse_iterator(at), characters.rend()) &&
         !StartsCased(at + 1, characters.end());
}

}  // namespace

void AppendLower(std::string_view text, std::string* out) {
  const std::vector<char32_t> characters = CharactersOf(text);
  for (size_t i = 0; i < characters.size(); ++i) {
    if (characters[i] == kSigma && EndsWord(characters, i)) {
      EncodeTo(UnicodeEncoding::kUtf8, kFinalSigma, out);
    } else {
      AppendMapped(kLowerRuns, kLowerExpansions, characters[i], out);
    }
  }
}

void AppendUpper(std::string_view text, std::string* out) {
  for (const char32_t c : CharactersOf(text)) AppendMapped(kUpperRuns, kUpperExpansions, c, out);
}

}  // namespace fastpipe
