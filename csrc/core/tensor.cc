#include "core/tensor.h"

#include <array>
#include <bit>
#include <limits>
#include <new>

#include "core/guard.h"

namespace fastpipe {
namespace {

struct DTypeRow {
  DType dtype;
  const char* name;
  size_t size;
};

constexpr std::array<DTypeRow, 16> kDTypes = {{
    {DType::kInvalid, "invalid", 0},
    {DType::kBool, "bool", 1},
    {DType::kInt8, "int8", 1},
    {DType::kInt16, "int16", 2},
    {DType::kInt32, "int32", 4},
    {DType::kInt64, "int64", 8},
    {DType::kUint8, "uint8", 1},
    {DType::kUint16, "uint16", 2},
    {DType::kUint32, "uint32", 4},
    {DType::kUint64, "uint64", 8},
    {DType::kFloat16, "float16", 2},
    {DType::kFloat32, "float32", 4},
    {DType::kFloat64, "float64", 8},
    {DType::kBfloat16, "bfloat16", 2},
    {DType::kString, "string", 0},
    {DType::kDataset, "dataset", 0},
}};

}  // namespace

const char* DTypeName(DType dtype) { return kDTypes[static_cast<size_t>(dtype)].name; }

Result<DType> DTypeFromName(std::string_view name) {
  for (const DTypeRow& row : kDTypes) {
    if (name == row.name && row.dtype != DType::kInvalid) return row.dtype;
  }
  return InvalidArgument(StrCat("unknown dtype '", name, "'"));
}

size_t DTypeSize(DType dtype) { return kDTypes[static_cast<size_t>(dtype)].size; }

bool IsInteger(DType dtype) { return dtype >= DType::kInt8 && dtype <= DType::kUint64; }

bool IsFloating(DType dtype) { return dtype >= DType::kFloat16 && dtype <= DType::kBfloat16; }

float ToFloat(Half value) {
  const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000) << 16;
  const uint32_t exponent = (value.bits >> 10) & 0x1f;
  const uint32_t mantissa = value.bits & 0x3ff;
  if (exponent == 0) {
    const float magnitude =
        std::bit_cast<float>(uint32_t{0x33800000}) * static_cast<float>(mantissa);
    return sign ? -magnitude : magnitude;
  }
  const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | (wide << 23) | (mantissa << 13));
}

float ToFloat(Bfloat16 value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
}

Half ToHalf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude >= 0x7f800000) {  // infinity or NaN
    return {static_cast<uint16_t>(sign | 0x7c00 | (magnitude > 0x7f800000 ? 0x200 : 0))};
  }
  if (magnitude >= 0x477ff000) return {static_cast<uint16_t>(sign | 0x7c00)};  // overflows
  if (magnitude < 0x38800000) {  // subnormal: let the FPU round by adding 2^-1 * 2^-13
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return {static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000))};
  }
  const uint32_t odd = (magnitude >> 13) & 1;  // round to nearest even
  return {static_cast<uint16_t>(sign | ((magnitude - 0x38000000 + 0xfff + odd) >> 13))};
}

Bfloat16 ToBfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return {static_cast<uint16_t>((bits >> 16) | 0x40)};
  return {static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}

int64_t NumElements(Dims dims) {
  int64_t count = 1;
  bool overflow = false;
  for (int64_t dim : dims) {
    if (dim == 0) return 0;
    overflow |= __builtin_mul_overflow(count, dim, &count);
  }
  return overflow ? std::numeric_limits<int64_t>::max() : count;
}

std::string ShapeString(Dims dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i) text += ", ";
    text += dims[i] < 0 ? "?" : std::to_string(dims[i]);
  }
  return text + "]";
}

// REQUIRES: rank_ <= kInlineRank, that is, no big_dims_ to give back.
void Tensor::SetDims(Dims dims) {
  if (dims.size() > kMaxRank) {
    throw TooManyDimensions(
        StrCat("a tensor has at most ", kMaxRank, " dimensions, got one of ", dims.size()));
  }
  rank_ = static_cast<uint8_t>(dims.size());
  if (rank_ <= kInlineRank) {
    for (size_t i = 0; i < dims.size(); ++i) dims_[i] = dims[i];
    return;
  }
  big_dims_ = BufferPool::Get().Allocate(dims.size_bytes()).Release();
  std::memcpy(big_dims_->data(), dims.data(), dims.size_bytes());
}

void Tensor::CopyFrom(const Tensor& other) {
  dtype_ = other.dtype_;
  buffer_ = other.buffer_;
  std::memcpy(inline_, other.inline_, kInlineBytes);
  if (other.rank_ > kInlineRank) {
    SetDims(other.dims());
  } else {
    rank_ = other.rank_;
    std::memcpy(dims_, other.dims_, sizeof(dims_));
  }
}

Tensor Tensor::Allocate(DType dtype, Dims dims) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(DTypeSize(dtype), static_cast<size_t>(NumElements(dims)), &bytes)) {
    throw OutOfMemory(std::numeric_limits<size_t>::max());
  }
  if (bytes > kInlineBytes) {
    BufferRef buffer = BufferPool::Get().Allocate(bytes);
    uint8_t* data = buffer->data();
    return View(dtype, dims, std::move(buffer), data);
  }
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.SetDims(dims);
  return tensor;
}

Tensor Tensor::View(DType dtype, Dims dims, BufferRef buffer, uint8_t* data) {
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.buffer_ = std::move(buffer);
  tensor.data_ = data;
  tensor.SetDims(dims);
  return tensor;
}

Tensor Tensor::String(std::string_view value) {
  if (value.size() > kInlineBytes) {
    BufferRef buffer = BufferPool::Get().Allocate(value.size());
    std::memcpy(buffer->data(), value.data(), value.size());
    return StringSlice(buffer, {reinterpret_cast<char*>(buffer->data()), value.size()});
  }
  Tensor tensor;
  tensor.dtype_ = DType::kString;
  tensor.length_ = static_cast<int64_t>(value.size());
  if (!value.empty()) std::memcpy(tensor.inline_, value.data(), value.size());
  return tensor;
}

Tensor Tensor::StringSlice(Ref<Object> buffer, std::string_view value) {
  return value.size() <= kInlineBytes ? String(value) : StringView(std::move(buffer), value);
}

Tensor Tensor::StringView(Ref<Object> buffer, std::string_view value) {
  Tensor tensor;
  tensor.dtype_ = DType::kString;
  tensor.length_ = static_cast<int64_t>(value.size());
  tensor.buffer_ = std::move(buffer);
  tensor.data_ = reinterpret_cast<uint8_t*>(const_cast<char*>(value.data()));
  return tensor;
}

Tensor Tensor::Holding(DType dtype, Ref<Object> object) {
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.buffer_ = std::move(object);
  tensor.data_ = nullptr;
  return tensor;
}

size_t Tensor::num_bytes() const {
  if (!is_string()) return DTypeSize(dtype_) * static_cast<size_t>(num_elements());
  if (rank_ == 0) return static_cast<size_t>(length_);
  return static_cast<size_t>(offsets()[num_elements()] - offsets()[0]);
}

int64_t Tensor::AsInt64() const {
  switch (dtype_) {
    case DType::kBool:
    case DType::kUint8:
      return scalar<uint8_t>();
    case DType::kInt8:
      return scalar<int8_t>();
    case DType::kInt16:
      return scalar<int16_t>();
    case DType::kUint16:
      return scalar<uint16_t>();
    case DType::kInt32:
      return scalar<int32_t>();
    case DType::kUint32:
      return scalar<uint32_t>();
    default:
      return scalar<int64_t>();
  }
}

std::string_view Tensor::str(int64_t index) const {
  if (rank_ == 0) return str();
  const char* base = reinterpret_cast<const char*>(static_cast<Buffer*>(buffer_.get())->data());
  return {base + offsets()[index], static_cast<size_t>(offsets()[index + 1] - offsets()[index])};
}

Tensor Tensor::Row(int64_t index) const {
  const Dims row_dims = dims().subspan(1);
  const int64_t row = NumElements(row_dims);
  if (is_string()) {
    if (row_dims.empty()) return StringSlice(buffer_, str(index));
    Tensor tensor = *this;
    tensor.data_ += row * index * static_cast<int64_t>(sizeof(int64_t));
    tensor.DropDims();
    tensor.SetDims(row_dims);
    return tensor;
  }
  const size_t bytes = DTypeSize(dtype_) * static_cast<size_t>(row);
  const uint8_t* source = raw() + bytes * static_cast<size_t>(index);
  Tensor tensor;
  tensor.dtype_ = dtype_;
  tensor.SetDims(row_dims);
  if (bytes <= kInlineBytes) {
    std::memcpy(tensor.inline_, source, bytes);
  } else {
    tensor.buffer_ = buffer_;
    tensor.data_ = const_cast<uint8_t*>(source);
  }
  return tensor;
}

Tensor Tensor::Rows(int64_t first, int64_t count) const {
  const int64_t row = NumElements(dims().subspan(1));
  const size_t row_bytes =
      (is_string() ? sizeof(int64_t) : DTypeSize(dtype_)) * static_cast<size_t>(row);
  const size_t before = row_bytes * static_cast<size_t>(first);
  Tensor tensor = *this;
  if (rank_ <= kInlineRank) {
    tensor.dims_[0] = count;
  } else {
    std::vector<int64_t> all(dims().begin(), dims().end());
    all[0] = count;
    tensor.DropDims();
    tensor.SetDims(all);
  }
  if (buffer_) {
    tensor.data_ += before;
  } else {
    std::memmove(tensor.inline_, tensor.inline_ + before, row_bytes * static_cast<size_t>(count));
  }
  return tensor;
}

Tensor Tensor::Reshaped(Dims dims) const {
  // A scalar string and a string array differ in layout, so crossing rank 0 rebuilds.
  if (is_string() && (rank_ == 0) != dims.empty()) {
    StringArrayBuilder builder(1);
    builder.Append(str(0));
    return builder.Build(dims);
  }
  Tensor tensor = *this;
  tensor.DropDims();
  tensor.SetDims(dims);
  return tensor;
}

Tensor StringArrayBuilder::Build(Dims dims) const {
  if (dims.empty()) return Tensor::String(bytes_);
  const size_t table = offsets_.size() * sizeof(int64_t);
  BufferRef buffer = BufferPool::Get().Allocate(table + bytes_.size());
  int64_t* offsets = reinterpret_cast<int64_t*>(buffer->data());
  for (size_t i = 0; i < offsets_.size(); ++i) {
    offsets[i] = offsets_[i] + static_cast<int64_t>(table);
  }
  if (!bytes_.empty()) std::memcpy(buffer->data() + table, bytes_.data(), bytes_.size());
  uint8_t* data = buffer->data();
  return Tensor::View(DType::kString, dims, std::move(buffer), data);
}

TensorSpec TensorSpec::Of(const Tensor& tensor) {
  return Of(tensor.dtype(), {tensor.dims().begin(), tensor.dims().end()});
}

bool TensorSpec::fully_known() const {
  if (!known_rank) return false;
  for (int64_t dim : dims) {
    if (dim < 0) return false;
  }
  return true;
}

bool TensorSpec::Accepts(const TensorSpec& other) const {
  if (dtype != other.dtype) return false;
  if (!known_rank) return true;
  if (!other.known_rank || dims.size() != other.dims.size()) return false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] >= 0 && dims[i] != other.dims[i]) return false;
  }
  return true;
}

bool TensorSpec::Accepts(const Tensor& tensor) const {
  if (dtype != tensor.dtype()) return false;
  if (!known_rank) return true;
  if (static_cast<int>(dims.size()) != tensor.rank()) return false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] >= 0 && dims[i] != tensor.dims()[i]) return false;
  }
  return true;
}

std::string TensorSpec::ToString() const {
  return StrCat(DTypeName(dtype), " ", known_rank ? ShapeString(dims) : "[...]");
}

bool TensorSpec::operator==(const TensorSpec& other) const {
  if (dtype != other.dtype || known_rank != other.known_rank || dims != other.dims) return false;
  if (!element || !other.element) return !element && !other.element;
  return *element == *other.element;
}

TensorSpec Union(const TensorSpec& a, const TensorSpec& b) {
  if (!a.known_rank || !b.known_rank || a.dims.size() != b.dims.size()) {
    return {a.dtype, false, {}, a.element};
  }
  TensorSpec both = a;
  for (size_t i = 0; i < both.dims.size(); ++i) {
    if (a.dims[i] != b.dims[i]) both.dims[i] = -1;
  }
  return both;
}

}  // namespace fastpipe
