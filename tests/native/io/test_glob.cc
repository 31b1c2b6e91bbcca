#include <doctest/doctest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "core/fault_points.h"
#include "io/glob.h"
#include "scratch.h"

namespace fastpipe {
namespace {

using Paths = std::vector<std::string>;

struct Tree {
  Tree() {
    for (const char* name : {"a.txt", "b.txt", ".c.txt", "Z.txt", "sub/x.txt", "sub/inner/y.txt",
                             ".hid/h.txt", "d2/x.txt", "we[ird].txt", "sta*r.txt", "{a,b}.md"}) {
      directory.Write(name, "");
    }
    std::filesystem::create_symlink("nowhere", directory.At("dangling.txt"));
    std::filesystem::create_directory_symlink("sub", directory.At("link"));
  }
  // The matches of `pattern` below the tree, without its path.
  Paths Match(const std::string& pattern) {
    auto found = GlobPaths(directory.At(pattern));
    REQUIRE(found.ok());
    Paths names;
    for (const std::string& path : found.value()) {
      REQUIRE(path.starts_with(directory.At("")));
      names.push_back(path.substr(directory.path().size() + 1));
    }
    return names;
  }
  ScratchDirectory directory;
};

TEST_CASE_FIXTURE(Tree, "glob: stars, question marks and sets, as tf.data matches them") {
  CHECK(Match("*.txt") ==
        Paths{".c.txt", "Z.txt", "a.txt", "b.txt", "dangling.txt", "sta*r.txt", "we[ird].txt"});
  CHECK(Match("?.txt") == Paths{"Z.txt", "a.txt", "b.txt"});
  CHECK(Match("[ab].txt") == Paths{"a.txt", "b.txt"});
  CHECK(Match("[a-c].txt") == Paths{"a.txt", "b.txt"});
  CHECK(Match("[!a].txt") == Paths{"Z.txt", "b.txt"});
  CHECK(Match("we[[]ird].txt") == Paths{"we[ird].txt"});
  CHECK(Match("we[ird].txt") == Paths{});
  CHECK(Match("sta\\*r.txt") == Paths{"sta*r.txt"});
  CHECK(Match("{a,b}.txt") == Paths{});
  CHECK(Match("{a,b}.*") == Paths{"{a,b}.md"});
}

TEST_CASE_FIXTURE(Tree, "glob: directories and hidden names match, dot and dot-dot do not") {
  CHECK(Match("*i*") == Paths{".hid", "dangling.txt", "link", "we[ird].txt"});
  CHECK(Match(".*") == Paths{".c.txt", ".hid"});
  CHECK(Match("sub/*") == Paths{"sub/inner", "sub/x.txt"});
  CHECK(Match(".hid/*") == Paths{".hid/h.txt"});
}

TEST_CASE_FIXTURE(Tree, "glob: patterns in the middle of a path; ** is *") {
  CHECK(Match("*/x.txt") == Paths{"d2/x.txt", "link/x.txt", "sub/x.txt"});
  CHECK(Match("**/x.txt") == Paths{"d2/x.txt", "link/x.txt", "sub/x.txt"});
  CHECK(Match("*/inner/*") == Paths{"link/inner/y.txt", "sub/inner/y.txt"});
  CHECK(Match("*/*/y.txt") == Paths{"link/inner/y.txt", "sub/inner/y.txt"});
  CHECK(Match("sub/../[ab].txt") == Paths{"sub/../a.txt", "sub/../b.txt"});
  CHECK(Match("sub//*.txt") == Paths{"sub//x.txt"});
}

TEST_CASE_FIXTURE(Tree, "glob: a literal pattern is a question whether it exists") {
  CHECK(Match("a.txt") == Paths{"a.txt"});
  CHECK(Match("sub") == Paths{"sub"});
  CHECK(Match("sub/") == Paths{"sub/"});
  CHECK(Match("missing") == Paths{});
  CHECK(Match("dangling.txt") == Paths{});
  CHECK(GlobPaths("").value() == Paths{});
  CHECK(GlobPaths("/").value() == Paths{"/"});
}

TEST_CASE_FIXTURE(Tree, "glob: what is missing or no directory matches nothing") {
  CHECK(Match("missing/*") == Paths{});
  CHECK(Match("a.txt/*") == Paths{});
  CHECK(Match("a.txt/") == Paths{});
  CHECK(GlobPaths(std::string("/t\0mp*", 6)).value() == Paths{});
}

TEST_CASE_FIXTURE(Tree, "glob: what cannot be looked at is an error, not a missing match") {
  for (const FaultKind kind : {FaultKind::kStat, FaultKind::kOpen}) {
    ArmFault(kind, {.error = EIO});
    const std::string name = kind == FaultKind::kStat ? "a.txt" : "*.txt";
    auto found = GlobPaths(directory.At(name));
    DisarmFaults();
    CHECK(found.status().code() == Code::kUnavailable);
    CHECK(found.status().message().find(directory.path()) != std::string::npos);
  }
  ArmFault(FaultKind::kStat, {.error = ENOENT});
  CHECK(Match("a.txt") == Paths{});
  DisarmFaults();
}

TEST_CASE_FIXTURE(Tree, "glob: slashes at the end of a pattern are ignored") {
  CHECK(Match("sub/*/") == Paths{"sub/inner", "sub/x.txt"});
}

TEST_CASE_FIXTURE(Tree, "glob: relative patterns begin with ./ as in TensorFlow") {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  CHECK(GlobPaths("[ab].txt").value() == Paths{"./a.txt", "./b.txt"});
  CHECK(GlobPaths("./[ab].txt").value() == Paths{"./a.txt", "./b.txt"});
  CHECK(GlobPaths("*/x.txt").value() == Paths{"./d2/x.txt", "./link/x.txt", "./sub/x.txt"});
  CHECK(GlobPaths("sub/*").value() == Paths{"sub/inner", "sub/x.txt"});
  CHECK(GlobPaths("a.txt").value() == Paths{"a.txt"});
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace fastpipe
