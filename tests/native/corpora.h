// Replays the corpus of a fuzz target: its seeds, and all that fuzzing has found.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "../fuzz/target.h"

namespace fastpipe {

inline void Replay(const std::string& target) {
  const auto found = fuzz::Targets().find(target);
  REQUIRE(found != fuzz::Targets().end());
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator("tests/fuzz/corpus/" + target)) {
    paths.push_back(entry.path());
  }
  REQUIRE(!paths.empty());
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    CAPTURE(path.string());
    std::ifstream file(path, std::ios::binary);
    // No longer than the file, so that reading beyond it is noticed.
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    CHECK_NOTHROW(found->second({bytes.data(), bytes.size()}));
  }
}

}  // namespace fastpipe

#define FASTPIPE_REPLAY(target) \
  TEST_CASE("corpus: " target) { ::fastpipe::Replay(target); }
