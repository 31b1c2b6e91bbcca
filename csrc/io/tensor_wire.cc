#include "io/tensor_wire.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "io/example_wire.h"

namespace fastpipe {
namespace {

static_assert(std::endian::native == std::endian::little, "the message holds little-endian bytes");

// Fields of TensorProto, TensorShapeProto and its Dim.
constexpr uint32_t kDType = 1;
constexpr uint32_t kShape = 2;
constexpr uint32_t kContent = 4;
constexpr uint32_t kStrings = 8;
constexpr uint32_t kShapeDim = 2;
constexpr uint32_t kDimSize = 1;

// A message that lists fewer values than this many bytes of tensor is taken at its word.
constexpr int64_t kMaxImpliedBytes = int64_t{1} << 28;

// The number of a dtype in a message, and the field that lists its values one by one.
struct WireDType {
  DType dtype;
  uint32_t number;
  uint32_t field;
};

constexpr std::array<WireDType, 14> kDTypes = {{
    {DType::kFloat32, 1, 5},
    {DType::kFloat64, 2, 6},
    {DType::kInt32, 3, 7},
    {DType::kUint8, 4, 7},
    {DType::kInt16, 5, 7},
    {DType::kInt8, 6, 7},
    {DType::kString, 7, kStrings},
    {DType::kInt64, 9, 10},
    {DType::kBool, 10, 11},
    {DType::kBfloat16, 14, 13},
    {DType::kUint16, 17, 7},
    {DType::kFloat16, 19, 13},
    {DType::kUint32, 22, 16},
    {DType::kUint64, 23, 17},
}};

// ---- writing ----

void PutNumber(uint32_t field, uint64_t value, std::string* out) {
  AppendVarint(field << 3 | static_cast<uint32_t>(WireType::kVarint), out);
  AppendVarint(value, out);
}

// ---- reading ----

// What a message says, before the dtype of the tensor is known.
struct Message {
  uint64_t dtype = 0;
  std::vector<int64_t> dims;
  std::string_view content;
};

Status ReadShape(std::string_view shape, std::vector<int64_t>* dims) {
  WireReader reader(shape);
  while (reader.Next()) {
    if (!reader.Is(kShapeDim, WireType::kBytes)) continue;
    dims->push_back(0);
    WireReader dim(reader.bytes());
    while (dim.Next()) {
      if (dim.Is(kDimSize, WireType::kVarint)) dims->back() = static_cast<int64_t>(dim.varint());
    }
    FASTPIPE_RETURN_IF_ERROR(dim.status());
  }
  return reader.status();
}

Result<Message> ReadMessage(std::string_view bytes) {
  Message message;
  WireReader reader(bytes);
  while (reader.Next()) {
    if (reader.Is(kDType, WireType::kVarint)) message.dtype = reader.varint();
    if (reader.Is(kContent, WireType::kBytes)) message.content = reader.bytes();
    if (reader.Is(kShape, WireType::kBytes)) {
      FASTPIPE_RETURN_IF_ERROR(ReadShape(reader.bytes(), &message.dims));
    }
  }
  FASTPIPE_RETURN_IF_ERROR(reader.status());
  return message;
}

// Writes the values of field `field` that fit into `out`, and returns how many there are. `size` is
// that of a value; fixed ones come as they are, others as varints, of which the low bytes count.
Result<int64_t> ReadValues(std::string_view bytes, uint32_t field, bool fixed, size_t size,
                           uint8_t* out, int64_t room) {
  int64_t count = 0;
  const auto add = [&](const void* value) {
    if (count < room) std::memcpy(out + static_cast<size_t>(count) * size, value, size);
    ++count;
  };
  WireReader reader(bytes);
  while (reader.Next()) {
    if (reader.field() != field) continue;
    if (reader.type() == WireType::kVarint && !fixed) {
      const uint64_t value = reader.varint();
      add(&value);
      continue;
    }
    const bool numbers = reader.type() == WireType::kFixed32 || reader.type() == WireType::kFixed64;
    if (reader.type() != WireType::kBytes && !(fixed && numbers)) continue;
    if (fixed) {
      if (reader.bytes().size() % size != 0) return InvalidArgument("a list ends within a number");
      for (size_t at = 0; at < reader.bytes().size(); at += size) add(reader.bytes().data() + at);
      continue;
    }
    for (size_t at = 0; at < reader.bytes().size();) {
      uint64_t value = 0;
      if (!DecodeVarint(reader.bytes(), &at, &value)) {
        return InvalidArgument("a list ends within a number");
      }
      add(&value);
    }
  }
  FASTPIPE_RETURN_IF_ERROR(reader.status());
  return count;
}

// Any bit makes true; a bool in memory is 0 or 1.
void MakeBools(Tensor* tensor) {
  if (tensor->dtype() != DType::kBool) return;
  uint8_t* bytes = tensor->mutable_raw();
  for (int64_t i = 0; i < tensor->num_elements(); ++i) bytes[i] = bytes[i] != 0;
}

Result<Tensor> ListedStrings(std::string_view bytes, Dims dims, int64_t count) {
  StringArrayBuilder builder;
  std::string_view last;
  WireReader reader(bytes);
  while (reader.Next()) {
    if (!reader.Is(kStrings, WireType::kBytes) || builder.size() == count) continue;
    last = reader.bytes();
    builder.Append(last);
  }
  FASTPIPE_RETURN_IF_ERROR(reader.status());
  while (builder.size() < count) builder.Append(last);
  return builder.Build(dims);
}

Result<Tensor> ListedNumbers(std::string_view bytes, const WireDType& type, Dims dims,
                             int64_t count) {
  Tensor tensor = Tensor::Allocate(type.dtype, dims);
  const size_t size = DTypeSize(type.dtype);
  uint8_t* out = tensor.mutable_raw();
  const bool fixed = type.dtype == DType::kFloat32 || type.dtype == DType::kFloat64;
  FASTPIPE_ASSIGN(const int64_t listed, ReadValues(bytes, type.field, fixed, size, out, count));
  if (listed == 0 && count > 0) std::memset(out, 0, static_cast<size_t>(count) * size);
  for (int64_t i = std::max<int64_t>(listed, 1); i < count; ++i) {
    std::memcpy(out + static_cast<size_t>(i) * size, out + static_cast<size_t>(i - 1) * size, size);
  }
  MakeBools(&tensor);
  return tensor;
}

// The number of values of a shape that can be, with values of `size` bytes.
Result<int64_t> CountValues(Dims dims, int64_t size, size_t content) {
  int64_t count = 1;
  const int64_t limit = std::max(static_cast<int64_t>(content), kMaxImpliedBytes) / size;
  bool possible = dims.size() <= kMaxRank;
  bool empty = false;
  for (const int64_t dim : dims) {
    possible = possible && dim >= 0;
    empty = empty || dim == 0;
  }
  for (const int64_t dim : dims) {
    if (!possible || empty) break;
    possible = count <= limit / dim;
    count = possible ? count * dim : count;
  }
  if (possible) return empty ? 0 : count;
  return InvalidArgument(StrCat("its shape, ", ShapeString(dims), ", cannot be"));
}

}  // namespace

std::string SerializeTensor(const Tensor& tensor) {
  std::string out;
  for (const WireDType& type : kDTypes) {
    if (type.dtype == tensor.dtype()) PutNumber(kDType, type.number, &out);
  }
  std::string shape;
  for (const int64_t size : tensor.dims()) {
    std::string dim;
    if (size != 0) PutNumber(kDimSize, static_cast<uint64_t>(size), &dim);
    AppendField(kShapeDim, dim, &shape);
  }
  AppendField(kShape, shape, &out);
  if (tensor.is_string()) {
    for (int64_t i = 0; i < tensor.num_elements(); ++i) AppendField(kStrings, tensor.str(i), &out);
  } else if (tensor.num_elements() > 0) {
    AppendField(kContent, {reinterpret_cast<const char*>(tensor.raw()), tensor.num_bytes()}, &out);
  }
  return out;
}

Result<Tensor> ParseTensor(std::string_view bytes) {
  FASTPIPE_ASSIGN(const Message message, ReadMessage(bytes));
  const WireDType* type = nullptr;
  for (const WireDType& each : kDTypes) {
    if (each.number == message.dtype) type = &each;
  }
  if (!type) return InvalidArgument(StrCat("there is no dtype number ", message.dtype));
  const bool strings = type->dtype == DType::kString;
  // Of a string, however short, at least where it begins.
  const size_t size = strings ? sizeof(int64_t) : DTypeSize(type->dtype);
  const size_t content = strings ? 0 : message.content.size();
  FASTPIPE_ASSIGN(const int64_t count,
                  CountValues(message.dims, static_cast<int64_t>(size), content));
  if (strings) return ListedStrings(bytes, message.dims, count);
  if (content == 0) return ListedNumbers(bytes, *type, message.dims, count);
  if (static_cast<size_t>(count) * size != content) {
    return InvalidArgument(StrCat("it holds ", content, " bytes for ", DTypeName(type->dtype), " ",
                                  ShapeString(message.dims)));
  }
  Tensor tensor = Tensor::Allocate(type->dtype, message.dims);
  std::memcpy(tensor.mutable_raw(), message.content.data(), content);
  MakeBools(&tensor);
  return tensor;
}

}  // namespace fastpipe
