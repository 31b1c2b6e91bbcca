// What libFuzzer calls: FUZZ_TARGET in the environment names the target.

#include <cstdlib>
#include <iostream>

#include "target.h"

namespace {

fastpipe::fuzz::Target chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const auto& targets = fastpipe::fuzz::Targets();
  const char* name = std::getenv("FUZZ_TARGET");
  const auto found = targets.find(name == nullptr ? "" : name);
  if (found == targets.end()) {
    for (const auto& [known, target] : targets) std::cout << known << "\n";
    std::exit(name == nullptr ? 0 : 2);
  }
  chosen = found->second;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  chosen({reinterpret_cast<const char*>(data), size});
  return 0;
}
