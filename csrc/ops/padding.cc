#include "ops/padding.h"

#include <algorithm>

namespace fastpipe {
namespace {

using Rows = std::span<const Element>;

// The shape that all rows get, without the batch axis.
Status RowShape(Rows rows, size_t component, const Padding& padding, std::vector<int64_t>* shape) {
  const size_t rank =
      padding.shape ? padding.shape->size() : static_cast<size_t>(rows[0][component].rank());
  shape->assign(rank, 0);
  for (size_t i = 0; i < rows.size(); ++i) {
    const Dims dims = rows[i][component].dims();
    if (dims.size() != rank) {
      return InvalidArgument(
          StrCat("component ", component, " of element ", i, " of the batch has shape ",
                 ShapeString(dims), ", expected ", rank, " dimensions",
                 padding.shape ? StrCat(" as in the padded shape ", ShapeString(*padding.shape))
                               : std::string(" as in element 0")));
    }
    for (size_t axis = 0; axis < rank; ++axis) {
      (*shape)[axis] = std::max((*shape)[axis], dims[axis]);
      if (!padding.shape) continue;
      const int64_t limit = (*padding.shape)[axis];
      if (limit < 0) continue;
      if (dims[axis] > limit) {
        return DataLoss(StrCat("component ", component, " of element ", i,
                               " of the batch has shape ", ShapeString(dims),
                               ", larger than the padded shape ", ShapeString(*padding.shape)));
      }
      (*shape)[axis] = limit;
    }
  }
  return Status::Ok();
}

// Calls copy(from, to, length) for each innermost run of a row of shape `dims` that is placed at
// the origin of `shape`; all in values.
template <typename Copy>
void ForEachRun(Dims dims, Dims shape, int64_t from, int64_t to, const Copy& copy) {
  if (dims.size() <= 1) {
    copy(from, to, dims.empty() ? 1 : dims[0]);
    return;
  }
  const Dims inner = dims.subspan(1);
  const Dims inner_shape = shape.subspan(1);
  for (int64_t i = 0; i < dims[0]; ++i) {
    ForEachRun(inner, inner_shape, from + i * NumElements(inner), to + i * NumElements(inner_shape),
               copy);
  }
}

// Repeats the `size` bytes of a value over `bytes` bytes; zeros without a value.
void Fill(uint8_t* target, size_t bytes, const uint8_t* value, size_t size) {
  const bool uniform =
      !value || std::all_of(value, value + size, [&](uint8_t byte) { return byte == value[0]; });
  if (uniform) {
    std::memset(target, value ? value[0] : 0, bytes);
    return;
  }
  for (size_t i = 0; i < bytes; i += size) std::memcpy(target + i, value, size);
}

void StackPaddedNumbers(Rows rows, size_t component, const Tensor& value, Dims shape,
                        Tensor* stacked) {
  const size_t size = DTypeSize(stacked->dtype());
  const int64_t row = NumElements(shape);
  uint8_t* target = stacked->mutable_raw();
  for (const Element& element : rows) {
    const Tensor& tensor = element[component];
    if (tensor.num_elements() < row) {
      const bool given = value.dtype() != DType::kInvalid;
      Fill(target, static_cast<size_t>(row) * size, given ? value.raw() : nullptr, size);
    }
    if (tensor.num_elements() > 0) {
      ForEachRun(tensor.dims(), shape, 0, 0, [&](int64_t from, int64_t to, int64_t length) {
        std::memcpy(target + static_cast<size_t>(to) * size,
                    tensor.raw() + static_cast<size_t>(from) * size,
                    static_cast<size_t>(length) * size);
      });
    }
    target += static_cast<size_t>(row) * size;
  }
}

Tensor StackPaddedStrings(Rows rows, size_t component, const Tensor& value, Dims shape, Dims dims) {
  const int64_t row = NumElements(shape);
  const std::string_view fill = value.is_string() ? value.str() : std::string_view();
  std::vector<std::string_view> texts(static_cast<size_t>(NumElements(dims)), fill);
  int64_t base = 0;
  for (const Element& element : rows) {
    const Tensor& tensor = element[component];
    if (tensor.num_elements() > 0) {
      ForEachRun(tensor.dims(), shape, 0, base, [&](int64_t from, int64_t to, int64_t length) {
        for (int64_t i = 0; i < length; ++i) {
          texts[static_cast<size_t>(to + i)] = tensor.str(from + i);
        }
      });
    }
    base += row;
  }
  return StringArrayFrom(dims, [&](int64_t i) { return texts[static_cast<size_t>(i)]; });
}

}  // namespace

Status ExpectPaddable(const Args& args, size_t component, const TensorSpec& input,
                      const std::vector<int64_t>& shape) {
  bool fits = input.dims.size() == shape.size();
  for (size_t axis = 0; fits && axis < shape.size(); ++axis) {
    fits = shape[axis] < 0 || input.dims[axis] <= shape[axis];
  }
  if (fits) return Status::Ok();
  return args.Error(StrCat("component ", component, ", ", input.ToString(),
                           ", cannot be padded to shape ", ShapeString(shape)));
}

Status StackPadded(Rows rows, size_t component, const Padding& padding, Tensor* out) {
  std::vector<int64_t> shape;
  FASTPIPE_RETURN_IF_ERROR(RowShape(rows, component, padding, &shape));
  std::vector<int64_t> dims = {static_cast<int64_t>(rows.size())};
  dims.insert(dims.end(), shape.begin(), shape.end());
  const DType dtype = rows[0][component].dtype();
  if (dtype == DType::kString) {
    *out = StackPaddedStrings(rows, component, padding.value, shape, dims);
    return Status::Ok();
  }
  *out = Tensor::Allocate(dtype, dims);
  StackPaddedNumbers(rows, component, padding.value, shape, out);
  return Status::Ok();
}

}  // namespace fastpipe
