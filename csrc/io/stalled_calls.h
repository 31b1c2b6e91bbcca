// StalledCalls: how many calls of simulated storage hang at present, of all pipelines.
// Thread rule: any thread.
#pragma once

#include <cstdint>

namespace fastpipe {

int64_t StalledCalls();

}  // namespace fastpipe
