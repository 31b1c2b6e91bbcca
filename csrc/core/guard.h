// Guarded: the place where a C++ exception becomes an error.
//
// Contract: our code reports errors as Status; only the standard library throws, when memory is not
// to be had. What an op or a kernel does runs inside Guarded, so that a request for more memory
// than there is costs one element and not the process.
// Thread rule: none; it holds nothing.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "core/status.h"

namespace fastpipe {

// A request for `bytes` that cannot be met, thrown by BufferPool.
class OutOfMemory final : public std::bad_alloc {
 public:
  explicit OutOfMemory(size_t bytes) : bytes_(bytes) {}
  size_t bytes() const { return bytes_; }
  const char* what() const noexcept override { return "out of memory"; }

 private:
  const size_t bytes_;
};

// A tensor of more dimensions than NumPy can show, thrown by Tensor.
class TooManyDimensions final : public std::length_error {
 public:
  explicit TooManyDimensions(const std::string& message) : std::length_error(message) {}
};

// What the exception that is being handled means. REQUIRES: called in a catch block.
Status FromCurrentException() noexcept;

// The result of `work`, or the error that its exception stands for.
template <typename Work>
Status Guarded(Work&& work) noexcept {
  try {
    return work();
  } catch (...) {
    return FromCurrentException();
  }
}

}  // namespace fastpipe
