#include "kernels/assemble.h"

#include <cstring>

namespace fastpipe {
namespace {

constexpr int64_t kMaxElements = int64_t{1} << 40;

// Copies `count` values of one size, `step` apart.
template <typename Word>
uint8_t* CopyStrided(const uint8_t* source, int64_t count, int64_t step, uint8_t* next) {
  const Word* from = reinterpret_cast<const Word*>(source);
  Word* to = reinterpret_cast<Word*>(next);
  for (int64_t i = 0; i < count; ++i) to[i] = from[i * step];
  return next + count * static_cast<int64_t>(sizeof(Word));
}

}  // namespace

Assembler::Assembler(DType dtype, Dims dims, Output* output)
    : dims_(dims), output_(output), size_(DTypeSize(dtype)) {
  if (size_ != 0) {
    next_ = output->Allocate(dtype, dims);
  } else {
    strings_.emplace(static_cast<size_t>(NumElements(dims)));
  }
}

void Assembler::Append(const Tensor& source, int64_t start, int64_t count, int64_t step) {
  if (strings_) {
    for (int64_t i = 0; i < count; ++i) strings_->Append(source.str(start + i * step));
    return;
  }
  const uint8_t* from = source.raw() + start * static_cast<int64_t>(size_);
  if (step == 1 && count > 1) {
    const size_t bytes = size_ * static_cast<size_t>(count);
    std::memcpy(next_, from, bytes);
    next_ += bytes;
  } else if (size_ == 1) {
    next_ = CopyStrided<uint8_t>(from, count, step, next_);
  } else if (size_ == 2) {
    next_ = CopyStrided<uint16_t>(from, count, step, next_);
  } else if (size_ == 4) {
    next_ = CopyStrided<uint32_t>(from, count, step, next_);
  } else {
    next_ = CopyStrided<uint64_t>(from, count, step, next_);
  }
}

void Assembler::Append(const Tensor& source, int64_t start, const StridedLoop& loop) {
  loop.Run({start}, [&](const auto& offsets, const auto& steps, int64_t count) {
    Append(source, offsets[0], count, steps[0]);
  });
}

void Assembler::Finish() {
  if (strings_) output_->Set(strings_->Build(dims_));
}

Status ExpectPossibleDims(std::string_view owner, Dims dims) {
  // Zero sizes are left out of the product: they must not hide that the others overflow.
  int64_t elements = 1;
  for (int64_t dim : dims) {
    if (dim < 0) {
      return InvalidArgument(StrCat(owner, ": the sizes of a shape must be >= 0, got ", dim));
    }
    if (dim > 0 && elements > kMaxElements / dim) {
      return Status(Code::kResourceExhausted,
                    StrCat(owner, ": a tensor of shape ", ShapeString(dims), " has more than ",
                           kMaxElements, " values"));
    }
    if (dim > 0) elements *= dim;
  }
  return Status::Ok();
}

Tensor ZeroOf(DType dtype) {
  if (dtype == DType::kString) return Tensor::String("");
  Tensor zero = Tensor::Allocate(dtype, {});
  std::memset(zero.mutable_raw(), 0, DTypeSize(dtype));
  return zero;
}

}  // namespace fastpipe
