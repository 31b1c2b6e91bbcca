// Object, Ref, Buffer and BufferPool: shared memory without a control block.
//
// Contract: a Buffer is 64-byte aligned memory that returns to its pool when the last Ref goes.
// Buffers outlive pipelines: NumPy arrays hold them. The pool is process-wide and never destroyed.
// Thread rule: Refs to one Object may be copied and dropped by any thread; the bytes are written by
// one thread before they are shared.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace fastpipe {

// Anything a Tensor can share: reference-counted, destroyed by the last Ref.
class Object {
 public:
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

 protected:
  Object() = default;
  virtual ~Object() = default;
  // For a pool that hands out a disposed Object again.
  void Revive() { refs_.store(1, std::memory_order_relaxed); }

 private:
  template <typename T>
  friend class Ref;
  // Runs when the last Ref is dropped; frees the memory of *this.
  virtual void Dispose() = 0;
  std::atomic<int64_t> refs_{1};
};

// Owns one reference to a T, which is an Object.
template <typename T>
class Ref {
 public:
  Ref() = default;
  // Takes over the reference that a new Object is born with.
  static Ref Adopt(T* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  Ref(const Ref& other) : object_(other.object_) {
    if (object_) Count().fetch_add(1, std::memory_order_relaxed);
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <typename U>
  Ref(Ref<U> other) : object_(other.Release()) {}  // NOLINT: upcast
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ && Count().fetch_sub(1, std::memory_order_acq_rel) == 1) {
      static_cast<Object*>(object_)->Dispose();
    }
  }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  // True if this is the only reference. REQUIRES: not null.
  bool unique() const { return Count().load(std::memory_order_acquire) == 1; }
  // Gives the reference to the caller.
  T* Release() { return std::exchange(object_, nullptr); }

 private:
  std::atomic<int64_t>& Count() const { return static_cast<Object*>(object_)->refs_; }
  T* object_ = nullptr;
};

// The file that the bytes of a Buffer come from, so that errors can name it.
struct Origin {
  static constexpr int64_t kWholeFile = -1;
  std::shared_ptr<const std::string> path;  // null: no file, or not known
  int64_t offset = kWholeFile;              // in the file, uncompressed, of the Buffer's first byte
};

class Buffer final : public Object {
 public:
  uint8_t* data() const { return data_; }
  size_t capacity() const { return capacity_; }
  const Origin& origin() const { return origin_; }
  // REQUIRES: nobody else has seen this Buffer.
  void set_origin(Origin origin) { origin_ = std::move(origin); }

 private:
  friend class BufferPool;
  Buffer(uint8_t* data, size_t capacity) : data_(data), capacity_(capacity) {}
  ~Buffer() override = default;
  void Dispose() override;
  uint8_t* const data_;
  const size_t capacity_;
  Origin origin_;
};

using BufferRef = Ref<Buffer>;

class BufferPool {
 public:
  // The pool of the process.
  static BufferPool& Get();

  // At least `size` bytes, uninitialised. Throws OutOfMemory; see core/guard.h.
  BufferRef Allocate(size_t size);
  // Bytes in Buffers that somebody holds.
  int64_t live_bytes() const { return live_bytes_.load(std::memory_order_relaxed); }
  // Bytes kept for reuse.
  int64_t idle_bytes() const { return idle_bytes_.load(std::memory_order_relaxed); }
  // Gives the idle memory back to the system.
  void Trim();
  // Around a fork, so that no lock is copied while another thread holds it.
  void LockForFork();
  void UnlockAfterFork();

 private:
  friend class Buffer;
  BufferPool() = default;
  void Recycle(Buffer* buffer);

  struct FreeLists;
  static FreeLists& Lists();
  std::atomic<int64_t> live_bytes_{0};
  std::atomic<int64_t> idle_bytes_{0};
};

}  // namespace fastpipe
