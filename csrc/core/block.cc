#include "core/block.h"

#include "core/stack.h"

namespace fastpipe {
namespace {

std::vector<int64_t> WithRows(int64_t rows, Dims row) {
  std::vector<int64_t> dims = {rows};
  dims.insert(dims.end(), row.begin(), row.end());
  return dims;
}

// Whether `column` may be handed on as it is: nobody shares its memory, which is not much more than
// it needs.
bool OwnsItsMemory(const Tensor& column) {
  const auto& buffer = column.buffer();
  if (!buffer) return true;
  if (!buffer.unique()) return false;
  return static_cast<const Buffer*>(buffer.get())->capacity() < 2 * column.num_bytes();
}

Tensor JoinNumbers(std::span<const Block> parts, size_t component, Dims dims) {
  Tensor joined = Tensor::Allocate(parts[0].columns[component].dtype(), dims);
  uint8_t* to = joined.mutable_raw();
  for (const Block& part : parts) {
    const Tensor& column = part.columns[component];
    const size_t bytes = column.num_bytes();
    if (bytes > 0) std::memcpy(to, column.raw(), bytes);
    to += bytes;
  }
  return joined;
}

Tensor JoinStrings(std::span<const Block> parts, size_t component, Dims dims) {
  StringArrayBuilder builder(static_cast<size_t>(NumElements(dims)));
  for (const Block& part : parts) {
    const Tensor& column = part.columns[component];
    const int64_t count = column.num_elements();
    for (int64_t i = 0; i < count; ++i) builder.Append(column.str(i));
  }
  return builder.Build(dims);
}

}  // namespace

Block BlockOf(const Element& element) {
  Block block;
  block.rows = 1;
  for (const Tensor& tensor : element) {
    block.columns.push_back(tensor.Reshaped(WithRows(1, tensor.dims())));
  }
  return block;
}

void AppendRow(const Block& block, int64_t row, Element* out) {
  for (const Tensor& column : block.columns) out->push_back(column.Row(row));
}

Tensor RepeatedRow(const Tensor& value, int64_t rows) {
  const std::vector<int64_t> dims = WithRows(rows, value.dims());
  if (value.is_string()) {
    const int64_t strings = value.num_elements();
    return StringArrayFrom(dims, [&](int64_t i) { return value.str(i % strings); });
  }
  Tensor repeated = Tensor::Allocate(value.dtype(), dims);
  const size_t bytes = value.num_bytes();
  uint8_t* to = repeated.mutable_raw();
  for (int64_t i = 0; i < rows && bytes > 0; ++i, to += bytes) {
    std::memcpy(to, value.raw(), bytes);
  }
  return repeated;
}

void JoinBlocks(std::span<const Block> parts, Element* out) {
  int64_t rows = 0;
  for (const Block& part : parts) rows += part.rows;
  for (size_t i = 0; i < parts[0].columns.size(); ++i) {
    const Tensor& first = parts[0].columns[i];
    if (parts.size() == 1 && (first.is_string() || OwnsItsMemory(first))) {
      out->push_back(first);
      continue;
    }
    const std::vector<int64_t> dims = WithRows(rows, first.dims().subspan(1));
    out->push_back(first.is_string() ? JoinStrings(parts, i, dims) : JoinNumbers(parts, i, dims));
  }
}

size_t RowBytes(const TensorSpec& spec) {
  if (!spec.fully_known()) return 0;
  const int64_t values = NumElements(spec.dims);
  if (values > kMostBlockRows * kMostBlockRows) return 0;
  return static_cast<size_t>(values) * DTypeSize(spec.dtype);
}

}  // namespace fastpipe
