#include "runtime/seed.h"

#include <sys/random.h>

namespace fastpipe {

Result<uint64_t> SeedArgument(const Args& args) {
  if (args.Has("seed")) {
    FASTPIPE_ASSIGN(const int64_t seed, args.Int("seed"));
    return static_cast<uint64_t>(seed);
  }
  uint64_t drawn = 0;
  if (getrandom(&drawn, sizeof(drawn), 0) != sizeof(drawn)) {
    return Internal("the system gave no random seed");
  }
  return drawn;
}

}  // namespace fastpipe
