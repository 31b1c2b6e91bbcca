// NewTimedFileSystem: another file system, whose every call must end in time.
//
// Contract: an open, read or listing that takes longer than `timeout` is a DeadlineExceeded error
// that names the file, the offset and the time; an error of the file, after which others go on. A
// call that blocks in the kernel cannot be cancelled, so calls are made on I/O threads, which own
// what they write to; one that hangs is left behind with it, and another takes its place. After
// kMostHung of them calls fail at once. Whoever waits for a call can be cancelled and interrupted.
// Thread rule: as every FileSystem. The destructor joins the I/O threads: before, `cancel` must be
// cancelled, and nobody may wait for those that hang but by ThreadBudget::AwaitNone(owner).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "core/cancel.h"
#include "io/file_system.h"

namespace fastpipe {

constexpr int64_t kMostHung = 64;

// `base` must outlive the result.
std::unique_ptr<FileSystem> NewTimedFileSystem(FileSystem* base, std::chrono::nanoseconds timeout,
                                               std::shared_ptr<CancelToken> cancel,
                                               const void* owner);

// Calls of all timed file systems that nobody waits for any longer and that have not returned.
int64_t HungStorageCalls();

}  // namespace fastpipe
