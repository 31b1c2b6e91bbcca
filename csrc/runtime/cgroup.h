// What the control groups of this process allow: its own and all their ancestors, versions 1 and 2.
//
// Contract: the tightest limit of all groups counts. What is missing or malformed limits nothing.
// Groups are looked for where Linux mounts them; with FASTPIPE_CGROUP_ROOT in the environment,
// below that folder, as ROOT/proc/self/cgroup and ROOT/sys/fs/cgroup. Everything is read anew each
// time. Thread rule: any thread.
#pragma once

#include <cstdint>

namespace fastpipe {

// Cores' worth of time; infinite without a quota.
double CgroupCpus();
// Bytes that may still be used, at least 0; INT64_MAX without a limit. Files that were read stay in
// memory until somebody needs it: they count as free.
int64_t CgroupMemory();

}  // namespace fastpipe
