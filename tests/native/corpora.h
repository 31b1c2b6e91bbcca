// Replays the corpus of a fuzz target: its seeds, and all that fuzzing has found.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "../fuzz/target.h"

namespace fastpipe {

struct CorpusFile {
  std::string path;
  std::vector<char> content;  // no longer than the file, so that reading beyond it is noticed
  std::string_view bytes() const { return {content.data(), content.size()}; }
};

// In the order of their names.
inline std::vector<CorpusFile> CorpusOf(const std::string& target) {
  std::vector<CorpusFile> files;
  for (const auto& entry : std::filesystem::directory_iterator("tests/fuzz/corpus/" + target)) {
    std::ifstream file(entry.path(), std::ios::binary);
    files.push_back({entry.path().string(), {std::istreambuf_iterator<char>(file), {}}});
  }
  std::sort(files.begin(), files.end(),
            [](const CorpusFile& a, const CorpusFile& b) { return a.path < b.path; });
  return files;
}

inline void Replay(const std::string& target) {
  const auto found = fuzz::Targets().find(target);
  REQUIRE(found != fuzz::Targets().end());
  const std::vector<CorpusFile> files = CorpusOf(target);
  REQUIRE(!files.empty());
  for (const CorpusFile& file : files) {
    CAPTURE(file.path);
    CHECK_NOTHROW(found->second(file.bytes()));
  }
}

}  // namespace fastpipe

#define FASTPIPE_REPLAY(target) \
  TEST_CASE("corpus: " target) { ::fastpipe::Replay(target); }
