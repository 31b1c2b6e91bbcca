// CpuBudget and memory budget: what this process may use.
//
// Contract: cores = min(affinity, cgroup quota of every ancestor); memory = what the cgroup and the
// system leave. Both can be overridden per run (RunOptions).
// Thread rule: any thread.
#pragma once

#include <cstdint>

namespace fastpipe {

// Cores that may be kept busy, at least 1. Fractions of a quota round up.
int CpuBudget();
// Bytes that may still be allocated without exceeding a memory limit.
int64_t AvailableMemory();

}  // namespace fastpipe
