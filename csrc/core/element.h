// Element: what flows between ops, a flat list of Tensors.
//
// Contract: structure (tuples, dicts) exists only in Python; native code sees the leaves in order.
// Up to two leaves, the usual (image, label), need no allocation.
// Thread rule: a plain value, one thread at a time.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>

#include "core/tensor.h"

namespace fastpipe {

class Element {
 public:
  static constexpr size_t kInline = 2;

  Element() = default;
  Element(std::initializer_list<Tensor> tensors) {
    for (const Tensor& tensor : tensors) push_back(tensor);
  }
  Element(const Element& other) { *this = other; }
  Element(Element&& other) noexcept { *this = std::move(other); }
  Element& operator=(const Element& other) {
    if (this != &other) {
      resize(other.size_);
      for (size_t i = 0; i < size_; ++i) begin()[i] = other.begin()[i];
    }
    return *this;
  }
  Element& operator=(Element&& other) noexcept {
    if (other.heap_) {
      heap_ = std::move(other.heap_);
      capacity_ = std::exchange(other.capacity_, kInline);
    } else {
      for (size_t i = 0; i < other.size_; ++i) begin()[i] = std::move(other.inline_[i]);
      for (size_t i = other.size_; i < size_; ++i) begin()[i] = Tensor();
    }
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Tensor* begin() { return heap_ ? heap_.get() : inline_; }
  Tensor* end() { return begin() + size_; }
  const Tensor* begin() const { return heap_ ? heap_.get() : inline_; }
  const Tensor* end() const { return begin() + size_; }
  Tensor& operator[](size_t index) { return begin()[index]; }
  const Tensor& operator[](size_t index) const { return begin()[index]; }

  // Drops the tensors, keeps the room.
  void clear() { resize(0); }
  // New tensors have no value.
  void resize(size_t size) {
    if (size > capacity_) Grow(size);
    for (size_t i = size; i < size_; ++i) begin()[i] = Tensor();
    size_ = size;
  }
  void push_back(Tensor tensor) {
    if (size_ == capacity_) Grow(2 * capacity_);
    begin()[size_++] = std::move(tensor);
  }

 private:
  void Grow(size_t capacity) {
    auto bigger = std::make_unique<Tensor[]>(capacity);
    for (size_t i = 0; i < size_; ++i) bigger[i] = std::move(begin()[i]);
    heap_ = std::move(bigger);
    capacity_ = capacity;
  }

  size_t size_ = 0;
  size_t capacity_ = kInline;
  std::unique_ptr<Tensor[]> heap_;
  Tensor inline_[kInline];
};

// Bytes that an Element keeps alive.
inline size_t NumBytes(const Element& element) {
  size_t bytes = 0;
  for (const Tensor& tensor : element) bytes += tensor.num_bytes();
  return bytes;
}

}  // namespace fastpipe
