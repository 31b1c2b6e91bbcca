// DType, Shape, Tensor and TensorSpec: one value of the pipeline and what is known of it
// beforehand.
//
// Contract: a Tensor is dtype + shape + bytes in at most 64 bytes of struct. Up to 16 bytes of
// payload (any scalar, a short string) live inline: no allocation and no atomic. Larger payloads
// are slices of a shared Buffer, so copying a Tensor never copies bytes. Strings are bytes: a
// scalar is a slice, an array is offsets + bytes. Thread rule: a plain value; the payload is
// immutable once the Tensor has been handed on.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer.h"
#include "core/status.h"

namespace fastpipe {

enum class DType : uint8_t {
  kInvalid = 0,
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat16,
  kFloat32,
  kFloat64,
  kBfloat16,
  kString,
  kDataset,  // a dataset as a component: `window`, functions that return datasets
};

// Storage types of the two half-precision dtypes; arithmetic goes through float.
struct Half {
  uint16_t bits;
};
struct Bfloat16 {
  uint16_t bits;
};
float ToFloat(Half value);
float ToFloat(Bfloat16 value);
Half ToHalf(float value);
Bfloat16 ToBfloat16(float value);

const char* DTypeName(DType dtype);             // "int64", "float32", "string", ...
Result<DType> DTypeFromName(std::string_view);  // the reverse
size_t DTypeSize(DType dtype);                  // bytes of one value; 0 for string and dataset
bool IsInteger(DType dtype);                    // (u)int8-64
bool IsFloating(DType dtype);

template <typename T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, bool>) return DType::kBool;
  if constexpr (std::is_same_v<T, int8_t>) return DType::kInt8;
  if constexpr (std::is_same_v<T, int16_t>) return DType::kInt16;
  if constexpr (std::is_same_v<T, int32_t>) return DType::kInt32;
  if constexpr (std::is_same_v<T, int64_t>) return DType::kInt64;
  if constexpr (std::is_same_v<T, uint8_t>) return DType::kUint8;
  if constexpr (std::is_same_v<T, uint16_t>) return DType::kUint16;
  if constexpr (std::is_same_v<T, uint32_t>) return DType::kUint32;
  if constexpr (std::is_same_v<T, uint64_t>) return DType::kUint64;
  if constexpr (std::is_same_v<T, Half>) return DType::kFloat16;
  if constexpr (std::is_same_v<T, float>) return DType::kFloat32;
  if constexpr (std::is_same_v<T, double>) return DType::kFloat64;
  if constexpr (std::is_same_v<T, Bfloat16>) return DType::kBfloat16;
  return DType::kInvalid;
}

using Dims = std::span<const int64_t>;
// INT64_MAX if there are more.
int64_t NumElements(Dims dims);

// As many as NumPy arrays have.
inline constexpr size_t kMaxRank = 64;
std::string ShapeString(Dims dims);  // "[2, 3]", unknown dimensions as "?"

class Tensor {
 public:
  static constexpr size_t kInlineBytes = 16;
  static constexpr int kInlineRank = 4;

  Tensor() {}  // NOLINT: leaves the payload uninitialised. No value: dtype() == kInvalid
  // Uninitialised memory for a numeric tensor.
  static Tensor Allocate(DType dtype, Dims dims);
  // The bytes [data, data + size) of `buffer` as a numeric tensor.
  static Tensor View(DType dtype, Dims dims, BufferRef buffer, uint8_t* data);
  template <typename T>
  static Tensor Scalar(T value) {
    Tensor tensor;
    tensor.dtype_ = DTypeOf<T>();
    std::memcpy(tensor.inline_, &value, sizeof(T));
    return tensor;
  }
  // A scalar string, copied.
  static Tensor String(std::string_view value);
  // A scalar string that shares `buffer`, in which `value` lies; a short one is copied instead.
  static Tensor StringSlice(Ref<Object> buffer, std::string_view value);
  // The same without a copy, however short: the string keeps its Buffer, and with it the Origin.
  static Tensor StringView(Ref<Object> buffer, std::string_view value);
  // A scalar that holds `object`, for dtype kDataset.
  static Tensor Holding(DType dtype, Ref<Object> object);

  Tensor(const Tensor& other) { CopyFrom(other); }
  Tensor(Tensor&& other) noexcept { MoveFrom(other); }
  Tensor& operator=(const Tensor& other) {
    if (this != &other) {
      DropDims();
      CopyFrom(other);
    }
    return *this;
  }
  Tensor& operator=(Tensor&& other) noexcept {
    if (this != &other) {
      DropDims();
      MoveFrom(other);
    }
    return *this;
  }
  ~Tensor() { DropDims(); }

  DType dtype() const { return dtype_; }
  int rank() const { return rank_; }
  int64_t dim(int axis) const { return dims()[axis]; }
  Dims dims() const {
    return {rank_ <= kInlineRank ? dims_ : reinterpret_cast<const int64_t*>(big_dims_->data()),
            static_cast<size_t>(rank_)};
  }
  int64_t num_elements() const { return NumElements(dims()); }
  bool is_string() const { return dtype_ == DType::kString; }

  // Bytes of the payload: what a numeric tensor spans, or the text of all strings.
  size_t num_bytes() const;

  // The payload of a numeric tensor, row-major. REQUIRES: numeric.
  const uint8_t* raw() const { return buffer_ ? data_ : inline_; }
  // REQUIRES: nobody else has seen this tensor.
  uint8_t* mutable_raw() { return buffer_ ? data_ : inline_; }
  template <typename T>
  const T* data() const {
    return reinterpret_cast<const T*>(raw());
  }
  template <typename T>
  T* mutable_data() {
    return reinterpret_cast<T*>(mutable_raw());
  }
  template <typename T>
  T scalar() const {
    T value;
    std::memcpy(&value, raw(), sizeof(T));
    return value;
  }
  // An integer of any width, or a bool, as int64. REQUIRES: one element, integer or bool.
  int64_t AsInt64() const;

  // The text of a scalar string. Valid while this Tensor lives and stays where it is.
  std::string_view str() const {
    return {reinterpret_cast<const char*>(raw()), static_cast<size_t>(length_)};
  }
  // The text of string `index` in row-major order; for scalars too.
  std::string_view str(int64_t index) const;

  // Row `index` of axis 0, sharing memory. REQUIRES: rank() > 0 and 0 <= index < dim(0).
  Tensor Row(int64_t index) const;
  // Rows [first, first + count) of axis 0, sharing memory. REQUIRES: rank() > 0 and they exist.
  Tensor Rows(int64_t first, int64_t count) const;
  // The same values with another shape. REQUIRES: equal number of elements, or, of a numeric
  // tensor, that those of `dims` lie in the buffer.
  Tensor Reshaped(Dims dims) const;

  // The buffer that holds the payload; null when inline.
  const Ref<Object>& buffer() const { return buffer_; }
  template <typename T>
  T* held() const {  // for Holding(): the object
    return static_cast<T*>(buffer_.get());
  }

 private:
  friend class StringArrayBuilder;
  // Forgets the shape; `buffer_` is the caller's business.
  void DropDims() {
    if (rank_ > kInlineRank) BufferRef::Adopt(big_dims_);
    rank_ = 0;
  }
  void CopyFrom(const Tensor& other);
  void MoveFrom(Tensor& other) noexcept;
  void SetDims(Dims dims);
  const int64_t* offsets() const { return reinterpret_cast<const int64_t*>(data_); }

  DType dtype_ = DType::kInvalid;
  uint8_t rank_ = 0;
  Ref<Object> buffer_;  // null: the payload is inline
  union {
    alignas(8) uint8_t inline_[kInlineBytes];
    // Numeric: the values. Scalar string: the text. String array: num_elements() + 1 offsets from
    // the start of the buffer.
    uint8_t* data_;
  };
  union {
    int64_t dims_[kInlineRank];
    int64_t length_;    // rank 0: bytes of a scalar string
    Buffer* big_dims_;  // rank > kInlineRank: one owned reference
  };
};
static_assert(sizeof(Tensor) <= 64);

inline void Tensor::MoveFrom(Tensor& other) noexcept {
  dtype_ = other.dtype_;
  rank_ = other.rank_;
  buffer_ = std::move(other.buffer_);
  std::memcpy(inline_, other.inline_, kInlineBytes);
  std::memcpy(dims_, other.dims_, sizeof(dims_));
  other.dtype_ = DType::kInvalid;
  other.rank_ = 0;
}

// Builds a string array; strings are appended in row-major order.
class StringArrayBuilder {
 public:
  explicit StringArrayBuilder(size_t expected = 0) { offsets_.reserve(expected + 1); }
  void Append(std::string_view value) {
    bytes_.append(value);
    offsets_.push_back(static_cast<int64_t>(bytes_.size()));
  }
  int64_t size() const { return static_cast<int64_t>(offsets_.size()) - 1; }
  // REQUIRES: NumElements(dims) == size(). Rank 0 gives a scalar.
  Tensor Build(Dims dims) const;
  // One-dimensional.
  Tensor Build() const {
    const int64_t count = size();
    return Build(Dims(&count, 1));
  }

 private:
  std::vector<int64_t> offsets_{0};
  std::string bytes_;
};

struct TensorSpec;
using ElementSpec = std::vector<TensorSpec>;

// What is known of a tensor before it exists.
struct TensorSpec {
  DType dtype = DType::kInvalid;
  bool known_rank = false;
  std::vector<int64_t> dims;                   // -1: unknown; empty when the rank is unknown
  std::shared_ptr<const ElementSpec> element;  // for kDataset: the spec of its elements

  static TensorSpec Of(DType dtype, std::vector<int64_t> dims) {
    return {dtype, true, std::move(dims), nullptr};
  }
  static TensorSpec Scalar(DType dtype) { return Of(dtype, {}); }
  static TensorSpec UnknownRank(DType dtype) { return {dtype, false, {}, nullptr}; }
  static TensorSpec Of(const Tensor& tensor);

  bool fully_known() const;
  int rank() const { return known_rank ? static_cast<int>(dims.size()) : -1; }
  // True if a tensor of spec `other` is always one of this spec.
  bool Accepts(const TensorSpec& other) const;
  bool Accepts(const Tensor& tensor) const;
  std::string ToString() const;  // "int64 [?, 3]"
  bool operator==(const TensorSpec& other) const;
};

// The spec of what is either `a` or `b`. REQUIRES: equal dtypes.
TensorSpec Union(const TensorSpec& a, const TensorSpec& b);

}  // namespace fastpipe
