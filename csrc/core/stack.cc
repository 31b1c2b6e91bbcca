#include "core/stack.h"

#include <algorithm>

namespace fastpipe {
namespace {

using Rows = std::span<const Element>;

// The first row whose shape is not that of row 0, or -1.
int64_t FirstMisfit(Rows rows, size_t component) {
  const Dims dims = rows[0][component].dims();
  for (size_t i = 1; i < rows.size(); ++i) {
    const Dims other = rows[i][component].dims();
    if (!std::equal(dims.begin(), dims.end(), other.begin(), other.end())) {
      return static_cast<int64_t>(i);
    }
  }
  return -1;
}

Status Misfit(Rows rows, size_t component, int64_t row) {
  const Tensor& first = rows[0][component];
  const Tensor& other = rows[static_cast<size_t>(row)][component];
  return InvalidArgument(StrCat("cannot stack elements of different shapes: component ", component,
                                " has shape ", ShapeString(first.dims()),
                                " in element 0 of the batch and ", ShapeString(other.dims()),
                                " in element ", row));
}

// The size of a row is a constant for the usual scalars, so that a copy is one instruction.
template <size_t kSize>
void CopyScalars(Rows rows, size_t component, uint8_t* target) {
  for (const Element& row : rows) {
    std::memcpy(target, row[component].raw(), kSize);
    target += kSize;
  }
}

void CopyRows(Rows rows, size_t component, size_t row_bytes, uint8_t* target) {
  switch (row_bytes) {
    case 1:
      return CopyScalars<1>(rows, component, target);
    case 2:
      return CopyScalars<2>(rows, component, target);
    case 4:
      return CopyScalars<4>(rows, component, target);
    case 8:
      return CopyScalars<8>(rows, component, target);
    default:
      for (const Element& row : rows) {
        std::memcpy(target, row[component].raw(), row_bytes);
        target += row_bytes;
      }
  }
}

// Whether the rows lie side by side, and in a buffer that is not much larger: then they are the
// batch already. Of a larger one, a small batch would keep all of it alive.
bool SideBySide(Rows rows, size_t component, size_t row_bytes) {
  const Tensor& first = rows[0][component];
  const auto& buffer = first.buffer();
  if (rows.size() < 2 || !buffer || row_bytes == 0) return false;
  const uint8_t* expected = first.raw();
  for (const Element& row : rows) {
    if (row[component].buffer().get() != buffer.get() || row[component].raw() != expected) {
      return false;
    }
    expected += row_bytes;
  }
  return static_cast<const Buffer*>(buffer.get())->capacity() < 2 * rows.size() * row_bytes;
}

Tensor StackNumbers(Rows rows, size_t component, Dims dims) {
  const Tensor& first = rows[0][component];
  if (SideBySide(rows, component, first.num_bytes())) return first.Reshaped(dims);
  Tensor stacked = Tensor::Allocate(first.dtype(), dims);
  CopyRows(rows, component, first.num_bytes(), stacked.mutable_raw());
  return stacked;
}

Tensor StackStrings(Rows rows, size_t component, Dims dims) {
  if (rows[0][component].rank() == 0) {
    return StringArrayFrom(
        dims, [&](int64_t i) { return rows[static_cast<size_t>(i)][component].str(); });
  }
  const int64_t row = rows[0][component].num_elements();
  return StringArrayFrom(
      dims, [&](int64_t i) { return rows[static_cast<size_t>(i / row)][component].str(i % row); });
}

Status NoRows(size_t component, DType dtype) {
  return InvalidArgument(StrCat("component ", component,
                                " must have at least one dimension, got a scalar ",
                                DTypeName(dtype)));
}

Status UnequalRows(size_t first, int64_t first_rows, size_t other, int64_t other_rows) {
  return InvalidArgument(StrCat("all components must have equally many rows: component ", first,
                                " has ", first_rows, ", component ", other, " has ", other_rows));
}

}  // namespace

Status StackComponent(Rows rows, size_t component, Tensor* out) {
  const Tensor& first = rows[0][component];
  if (first.dtype() == DType::kDataset) {
    return InvalidArgument(StrCat("cannot stack datasets: component ", component));
  }
  const int64_t misfit = FirstMisfit(rows, component);
  if (misfit >= 0) return Misfit(rows, component, misfit);
  std::vector<int64_t> dims = {static_cast<int64_t>(rows.size())};
  dims.insert(dims.end(), first.dims().begin(), first.dims().end());
  *out =
      first.is_string() ? StackStrings(rows, component, dims) : StackNumbers(rows, component, dims);
  return Status::Ok();
}

Status StackElements(Rows rows, Element* out) {
  out->resize(rows[0].size());
  for (size_t i = 0; i < rows[0].size(); ++i) {
    FASTPIPE_RETURN_IF_ERROR(StackComponent(rows, i, &(*out)[i]));
  }
  return Status::Ok();
}

TensorSpec StackedSpec(const TensorSpec& spec, int64_t count) {
  TensorSpec stacked = spec;
  if (stacked.known_rank) stacked.dims.insert(stacked.dims.begin(), count);
  return stacked;
}

ElementSpec StackedSpec(const ElementSpec& spec, int64_t count) {
  ElementSpec stacked;
  for (const TensorSpec& component : spec) stacked.push_back(StackedSpec(component, count));
  return stacked;
}

Status UnstackSpec(ElementSpec* spec, int64_t* rows) {
  *rows = -1;
  size_t sized = 0;  // the component that gave *rows
  for (size_t i = 0; i < spec->size(); ++i) {
    TensorSpec& component = (*spec)[i];
    if (!component.known_rank) continue;
    if (component.dims.empty()) return NoRows(i, component.dtype);
    const int64_t own = component.dims.front();
    component.dims.erase(component.dims.begin());
    if (own < 0) continue;
    if (*rows >= 0 && own != *rows) return UnequalRows(sized, *rows, i, own);
    *rows = own;
    sized = i;
  }
  return Status::Ok();
}

Status CountRows(const Element& element, int64_t* rows) {
  *rows = 0;
  for (size_t i = 0; i < element.size(); ++i) {
    if (element[i].rank() == 0) return NoRows(i, element[i].dtype());
    if (i == 0) *rows = element[0].dim(0);
    if (element[i].dim(0) != *rows) return UnequalRows(0, *rows, i, element[i].dim(0));
  }
  return Status::Ok();
}

}  // namespace fastpipe
