#include "core/buffer.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <new>
#include <vector>

#include "core/fault_points.h"
#include "core/guard.h"
#include "core/mutex.h"

namespace fastpipe {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kSmallest = 256;
// Buffers below this size cost malloc less than the pool's lock would.
constexpr size_t kPooledFrom = 16 * 1024;
constexpr int64_t kMaxIdleBytes = 192LL << 20;
// Four classes a power of two: at most 25 % is wasted by rounding up.
constexpr int kClassesPerDoubling = 4;
constexpr int kClasses = 64 * kClassesPerDoubling;
constexpr size_t kHeader = kAlignment;
static_assert(sizeof(Buffer) <= kHeader);

size_t RoundUp(size_t size) {
  if (size <= kSmallest) return kSmallest;
  const size_t step = std::bit_floor(size - 1) / kClassesPerDoubling;
  return (size + step - 1) / step * step;
}

int ClassOf(size_t rounded) {
  const int doubling = std::bit_width(rounded) - 1;
  const size_t base = size_t{1} << doubling;
  return doubling * kClassesPerDoubling +
         static_cast<int>((rounded - base) / (base / kClassesPerDoubling));
}

}  // namespace

struct BufferPool::FreeLists {
  struct Class {
    Mutex mutex;
    std::vector<Buffer*> buffers GUARDED_BY(mutex);
  };
  std::array<Class, kClasses> classes;
};

BufferPool::FreeLists& BufferPool::Lists() {
  // Leaked on purpose: arrays in Python may return buffers while the process exits.
  static FreeLists* const lists = std::make_unique<FreeLists>().release();
  return *lists;
}

BufferPool& BufferPool::Get() {
  alignas(BufferPool) static unsigned char storage[sizeof(BufferPool)];
  static BufferPool* const pool = ::new (storage) BufferPool();
  return *pool;
}

BufferRef BufferPool::Allocate(size_t size) {
  // The system would promise more than there is, and kill the process when it is used.
  static const size_t physical =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (size > physical || FASTPIPE_FAULT(kAllocate)) throw OutOfMemory(size);
  const size_t rounded = RoundUp(size);
  live_bytes_.fetch_add(static_cast<int64_t>(rounded), std::memory_order_relaxed);
  if (rounded >= kPooledFrom) {
    FreeLists::Class& free = Lists().classes[ClassOf(rounded)];
    MutexLock lock(free.mutex);
    if (!free.buffers.empty()) {
      Buffer* buffer = free.buffers.back();
      free.buffers.pop_back();
      idle_bytes_.fetch_sub(static_cast<int64_t>(rounded), std::memory_order_relaxed);
      buffer->Revive();
      return BufferRef::Adopt(buffer);
    }
  }
  void* block = ::operator new(kHeader + rounded, std::align_val_t(kAlignment), std::nothrow);
  if (block == nullptr) {
    live_bytes_.fetch_sub(static_cast<int64_t>(rounded), std::memory_order_relaxed);
    throw OutOfMemory(size);
  }
  uint8_t* data = static_cast<uint8_t*>(block) + kHeader;
  return BufferRef::Adopt(::new (block) Buffer(data, rounded));
}

void BufferPool::LockForFork() NO_THREAD_SAFETY_ANALYSIS {
  for (FreeLists::Class& free : Lists().classes) free.mutex.Lock();
}

void BufferPool::UnlockAfterFork() NO_THREAD_SAFETY_ANALYSIS {
  for (FreeLists::Class& free : Lists().classes) free.mutex.Unlock();
}

void Buffer::Dispose() { BufferPool::Get().Recycle(this); }

void BufferPool::Recycle(Buffer* buffer) {
  const int64_t bytes = static_cast<int64_t>(buffer->capacity());
  buffer->origin_ = {};
  live_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  if (buffer->capacity() >= kPooledFrom &&
      idle_bytes_.load(std::memory_order_relaxed) + bytes <= kMaxIdleBytes) {
    FreeLists::Class& free = Lists().classes[ClassOf(buffer->capacity())];
    MutexLock lock(free.mutex);
    free.buffers.push_back(buffer);
    idle_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    return;
  }
  buffer->~Buffer();
  ::operator delete(buffer, std::align_val_t(kAlignment));
}

void BufferPool::Trim() {
  for (FreeLists::Class& free : Lists().classes) {
    MutexLock lock(free.mutex);
    for (Buffer* buffer : free.buffers) {
      idle_bytes_.fetch_sub(static_cast<int64_t>(buffer->capacity()), std::memory_order_relaxed);
      buffer->~Buffer();
      ::operator delete(buffer, std::align_val_t(kAlignment));
    }
    free.buffers.clear();
    free.buffers.shrink_to_fit();
  }
}

}  // namespace fastpipe
