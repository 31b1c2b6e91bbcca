#include "core/composite.h"

#include <algorithm>
#include <cstring>

#include "core/stack.h"

namespace fastpipe {
namespace {

using Rows = std::span<const Element>;
using Kind = Component::Kind;

std::vector<int64_t> IntegersOf(const Tensor& tensor) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) values.push_back(tensor.Row(i).AsInt64());
  return values;
}

Tensor VectorOf(DType dtype, const std::vector<int64_t>& values) {
  const int64_t size = static_cast<int64_t>(values.size());
  Tensor tensor = Tensor::Allocate(dtype, Dims(&size, 1));
  if (dtype == DType::kInt32) {
    std::copy(values.begin(), values.end(), tensor.mutable_data<int32_t>());
  } else {
    std::copy(values.begin(), values.end(), tensor.mutable_data<int64_t>());
  }
  return tensor;
}

// ---- pieces along axis 0 ----

// Rows [begin, begin + count) of a tensor.
struct Piece {
  const Tensor* tensor;
  int64_t begin;
  int64_t count;
};

Tensor Join(const std::vector<Piece>& pieces) {
  const Tensor& first = *pieces[0].tensor;
  std::vector<int64_t> dims(first.dims().begin(), first.dims().end());
  const int64_t inner = NumElements(first.dims().subspan(1));
  dims[0] = 0;
  for (const Piece& piece : pieces) dims[0] += piece.count;
  if (first.is_string()) {
    std::vector<std::string_view> texts;
    for (const Piece& piece : pieces) {
      for (int64_t i = 0; i < piece.count * inner; ++i) {
        texts.push_back(piece.tensor->str(piece.begin * inner + i));
      }
    }
    return StringArrayFrom(dims, [&](int64_t i) { return texts[static_cast<size_t>(i)]; });
  }
  const size_t row = static_cast<size_t>(inner) * DTypeSize(first.dtype());
  Tensor joined = Tensor::Allocate(first.dtype(), dims);
  uint8_t* to = joined.mutable_raw();
  for (const Piece& piece : pieces) {
    const size_t bytes = static_cast<size_t>(piece.count) * row;
    if (bytes > 0)
      std::memcpy(to, piece.tensor->raw() + static_cast<size_t>(piece.begin) * row, bytes);
    to += bytes;
  }
  return joined;
}

Tensor JoinAll(Rows rows, size_t part) {
  std::vector<Piece> pieces;
  for (const Element& row : rows) pieces.push_back({&row[part], 0, row[part].dim(0)});
  return Join(pieces);
}

// ---- sparse ----

Status ExpectSparse(const Element& element, const Component& component) {
  const Tensor& indices = element[component.first];
  const Tensor& values = element[component.first + 1];
  const Tensor& shape = element[component.first + 2];
  const bool fits = indices.rank() == 2 && values.rank() == 1 && shape.rank() == 1 &&
                    indices.dim(0) == values.dim(0) && indices.dim(1) == shape.dim(0);
  if (fits && indices.dtype() == DType::kInt64 && shape.dtype() == DType::kInt64) {
    return Status::Ok();
  }
  return InvalidArgument(StrCat("sparse component ", component.first,
                                " must have int64 indices [n, rank], values [n] and an int64 ",
                                "dense shape [rank], got ", TensorSpec::Of(indices).ToString(),
                                ", ", TensorSpec::Of(values).ToString(), " and ",
                                TensorSpec::Of(shape).ToString()));
}

Status StackSparse(Rows rows, const Component& component, Element* out) {
  std::vector<int64_t> shape{static_cast<int64_t>(rows.size())};
  std::vector<int64_t> indices;
  for (size_t i = 0; i < rows.size(); ++i) {
    FASTPIPE_RETURN_IF_ERROR(ExpectSparse(rows[i], component));
    const Tensor& index = rows[i][component.first];
    const std::vector<int64_t> dims = IntegersOf(rows[i][component.first + 2]);
    if (i == 0) shape.insert(shape.end(), dims.begin(), dims.end());
    if (dims.size() + 1 != shape.size()) {
      return InvalidArgument(StrCat("cannot stack sparse tensors of different ranks: component ",
                                    component.first, " has rank ", shape.size() - 1,
                                    " in element 0 of the batch and ", dims.size(), " in element ",
                                    i));
    }
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      shape[axis + 1] = std::max(shape[axis + 1], dims[axis]);
    }
    const int64_t* from = index.data<int64_t>();
    for (int64_t row = 0; row < index.dim(0); ++row, from += dims.size()) {
      indices.push_back(static_cast<int64_t>(i));
      indices.insert(indices.end(), from, from + dims.size());
    }
  }
  const int64_t rank = static_cast<int64_t>(shape.size());
  const std::vector<int64_t> dims = {static_cast<int64_t>(indices.size()) / rank, rank};
  out->push_back(VectorOf(DType::kInt64, indices).Reshaped(dims));
  out->push_back(JoinAll(rows, component.first + 1));
  out->push_back(VectorOf(DType::kInt64, shape));
  return Status::Ok();
}

void AppendSparseRow(const Element& element, const Component& component, int64_t row,
                     Element* out) {
  const Tensor& index = element[component.first];
  const int64_t rank = index.dim(1);
  const int64_t* begin = index.data<int64_t>();
  const auto first_of = [&](int64_t i) { return begin[i * rank]; };
  int64_t from = 0;
  int64_t to = index.dim(0);
  for (int64_t low = 0, high = to; low <= high;) {  // the first value that is not before the row
    if (low == high) {
      from = low;
      break;
    }
    const int64_t middle = low + (high - low) / 2;
    if (first_of(middle) < row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  int64_t end = from;
  while (end < to && first_of(end) == row) ++end;
  std::vector<int64_t> indices;
  for (int64_t i = from; i < end; ++i) {
    indices.insert(indices.end(), begin + i * rank + 1, begin + (i + 1) * rank);
  }
  const std::vector<int64_t> dims = {end - from, rank - 1};
  std::vector<int64_t> shape = IntegersOf(element[component.first + 2]);
  shape.erase(shape.begin());
  out->push_back(VectorOf(DType::kInt64, indices).Reshaped(dims));
  out->push_back(Join({{&element[component.first + 1], from, end - from}}));
  out->push_back(VectorOf(DType::kInt64, shape));
}

Status CountSparseRows(const Element& element, const Component& component, int64_t* rows) {
  FASTPIPE_RETURN_IF_ERROR(ExpectSparse(element, component));
  const Tensor& index = element[component.first];
  const Tensor& shape = element[component.first + 2];
  if (shape.dim(0) == 0) {
    return InvalidArgument(StrCat("component ", component.first,
                                  " must have at least one dimension, got a sparse scalar"));
  }
  *rows = shape.data<int64_t>()[0];
  int64_t previous = 0;
  for (int64_t i = 0; i < index.dim(0); ++i) {
    const int64_t row = index.data<int64_t>()[i * index.dim(1)];
    if (row < previous || row >= *rows) {
      return InvalidArgument(StrCat("the indices of sparse component ", component.first,
                                    " must be in row-major order and lie in its shape, got row ",
                                    row, " after ", previous, " of ", *rows));
    }
    previous = row;
  }
  return Status::Ok();
}

// ---- ragged ----

// Every vector of splits goes from 0, without falling, to the rows of the next, or the values.
Status ExpectRagged(const Element& element, const Component& component) {
  const Tensor& values = element[component.first];
  bool fits = values.rank() > 0;
  for (size_t part = 1; part < component.count && fits; ++part) {
    const Tensor& splits = element[component.first + part];
    fits = splits.rank() == 1 && IsInteger(splits.dtype()) && splits.dim(0) > 0;
    if (!fits) break;
    const std::vector<int64_t> bounds = IntegersOf(splits);
    const bool last = part + 1 == component.count;
    const Tensor& below = last ? values : element[component.first + part + 1];
    const int64_t rows = below.rank() == 0 ? -1 : below.dim(0) - (last ? 0 : 1);
    fits = bounds.front() == 0 && bounds.back() == rows &&
           std::is_sorted(bounds.begin(), bounds.end());
  }
  if (fits) return Status::Ok();
  return InvalidArgument(StrCat("the row splits of ragged component ", component.first,
                                " must rise from 0 to the number of rows or values below"));
}

int64_t RowsOfRagged(const Element& element, const Component& component) {
  const Tensor& outer = element[component.first + (component.count > 1 ? 1 : 0)];
  return component.count > 1 ? outer.dim(0) - 1 : outer.dim(0);
}

Status StackRagged(Rows rows, const Component& component, Element* out) {
  const Dims first = rows[0][component.first].dims();
  for (size_t i = 0; i < rows.size(); ++i) {
    FASTPIPE_RETURN_IF_ERROR(ExpectRagged(rows[i], component));
    const Dims dims = rows[i][component.first].dims();
    if (dims.empty() || dims.size() != first.size() ||
        !std::equal(first.begin() + 1, first.end(), dims.begin() + 1)) {
      return InvalidArgument(
          StrCat("component ", component.first, " may differ only in its ragged ",
                 "dimensions: its values have shape ", ShapeString(first),
                 " in element 0 of the batch and ", ShapeString(dims), " in element ", i));
    }
  }
  out->push_back(JoinAll(rows, component.first));
  std::vector<int64_t> outer{0};
  for (const Element& row : rows) outer.push_back(outer.back() + RowsOfRagged(row, component));
  const bool nested = component.count > 1;
  const DType dtype = nested ? rows[0][component.first + 1].dtype() : component.split_dtype;
  out->push_back(VectorOf(dtype, outer));
  for (size_t part = 1; part < component.count; ++part) {
    std::vector<int64_t> splits{0};
    for (const Element& row : rows) {
      const int64_t offset = splits.back();
      const std::vector<int64_t> own = IntegersOf(row[component.first + part]);
      for (size_t i = 1; i < own.size(); ++i) splits.push_back(offset + own[i]);
    }
    out->push_back(VectorOf(dtype, splits));
  }
  return Status::Ok();
}

void AppendRaggedRow(const Element& element, const Component& component, int64_t row,
                     Element* out) {
  int64_t begin = row;
  int64_t end = row + 1;
  std::vector<Tensor> splits;
  for (size_t part = 1; part < component.count; ++part) {
    const Tensor& level = element[component.first + part];
    if (part > 1) {
      std::vector<int64_t> inner;
      const int64_t offset = level.Row(begin).AsInt64();
      for (int64_t i = begin; i <= end; ++i) inner.push_back(level.Row(i).AsInt64() - offset);
      splits.push_back(VectorOf(level.dtype(), inner));
    }
    const int64_t first = level.Row(begin).AsInt64();
    end = level.Row(end).AsInt64();
    begin = first;
  }
  out->push_back(Join({{&element[component.first], begin, end - begin}}));
  for (Tensor& level : splits) out->push_back(std::move(level));
}

}  // namespace

Result<Components> ReadComponents(const Args& args, const ElementSpec& spec) {
  Components components;
  if (!args.Has("parts")) {
    for (size_t i = 0; i < spec.size(); ++i) components.push_back({.first = i});
    return components;
  }
  FASTPIPE_ASSIGN(const std::vector<std::string> parts, args.Strings("parts"));
  if (parts.size() != spec.size()) {
    return args.Error(
        StrCat("parts must name each of ", spec.size(), " tensors, got ", parts.size()));
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string& word = parts[i];
    const bool more = !components.empty();
    if (word == "tensor" || word == "indices" || word == "flat_values") {
      const Kind kind =
          word == "tensor" ? Kind::kTensor : (word == "indices" ? Kind::kSparse : Kind::kRagged);
      components.push_back({.kind = kind, .first = i});
    } else if (more && (word == "row_splits" ? components.back().kind == Kind::kRagged
                                             : components.back().kind == Kind::kSparse)) {
      ++components.back().count;
    } else {
      return args.Error(StrCat("parts must begin with what they are part of, got '", word, "'"));
    }
  }
  return components;
}

bool AllTensors(const Components& components) {
  return std::all_of(components.begin(), components.end(),
                     [](const Component& each) { return each.kind == Kind::kTensor; });
}

Status StackComposites(Rows rows, const Components& components, Element* out) {
  for (const Component& component : components) {
    if (component.kind == Kind::kSparse) {
      FASTPIPE_RETURN_IF_ERROR(StackSparse(rows, component, out));
    } else if (component.kind == Kind::kRagged) {
      FASTPIPE_RETURN_IF_ERROR(StackRagged(rows, component, out));
    } else {
      Tensor stacked;
      FASTPIPE_RETURN_IF_ERROR(StackComponent(rows, component.first, &stacked));
      out->push_back(std::move(stacked));
    }
  }
  return Status::Ok();
}

ElementSpec StackedSpec(const ElementSpec& spec, const Components& components, int64_t count) {
  ElementSpec stacked;
  for (const Component& component : components) {
    if (component.kind == Kind::kTensor) {
      stacked.push_back(StackedSpec(spec[component.first], count));
      continue;
    }
    if (component.kind == Kind::kSparse) {
      const TensorSpec& shape = spec[component.first + 2];
      const int64_t rank = shape.known_rank && shape.dims[0] >= 0 ? shape.dims[0] + 1 : -1;
      stacked.push_back(TensorSpec::Of(DType::kInt64, {-1, rank}));
      stacked.push_back(TensorSpec::Of(spec[component.first + 1].dtype, {-1}));
      stacked.push_back(TensorSpec::Of(DType::kInt64, {rank}));
      continue;
    }
    TensorSpec values = spec[component.first];
    if (values.known_rank && !values.dims.empty()) values.dims.front() = -1;
    stacked.push_back(std::move(values));
    const bool nested = component.count > 1;
    const DType dtype = nested ? spec[component.first + 1].dtype : component.split_dtype;
    stacked.push_back(TensorSpec::Of(dtype, {count < 0 ? -1 : count + 1}));
    for (size_t part = 1; part < component.count; ++part) {
      stacked.push_back(TensorSpec::Of(dtype, {-1}));
    }
  }
  return stacked;
}

Status UnstackSpec(const Components& components, ElementSpec* spec, int64_t* rows) {
  ElementSpec tensors;
  for (const Component& component : components) {
    if (component.kind == Kind::kTensor) tensors.push_back((*spec)[component.first]);
  }
  *rows = -1;
  FASTPIPE_RETURN_IF_ERROR(UnstackSpec(&tensors, rows));
  ElementSpec unstacked;
  auto next = tensors.begin();
  for (const Component& component : components) {
    if (component.kind == Kind::kTensor) {
      unstacked.push_back(std::move(*next++));
      continue;
    }
    if (component.kind == Kind::kSparse) {
      const TensorSpec& shape = (*spec)[component.first + 2];
      const int64_t rank = shape.known_rank ? std::max<int64_t>(shape.dims[0], 0) - 1 : -1;
      unstacked.push_back(TensorSpec::Of(DType::kInt64, {-1, rank}));
      unstacked.push_back(TensorSpec::Of((*spec)[component.first + 1].dtype, {-1}));
      unstacked.push_back(TensorSpec::Of(DType::kInt64, {rank}));
      continue;
    }
    TensorSpec values = (*spec)[component.first];
    if (values.known_rank && !values.dims.empty()) {
      if (component.count == 1) {
        values.dims.erase(values.dims.begin());
      } else {
        values.dims.front() = -1;
      }
    }
    unstacked.push_back(std::move(values));
    for (size_t part = 2; part < component.count; ++part) {
      TensorSpec splits = (*spec)[component.first + part];
      splits.dims = {-1};
      unstacked.push_back(std::move(splits));
    }
  }
  *spec = std::move(unstacked);
  return Status::Ok();
}

Status CountRows(const Element& element, const Components& components, int64_t* rows) {
  *rows = 0;
  for (const Component& component : components) {
    int64_t own = 0;
    if (component.kind == Kind::kSparse) {
      FASTPIPE_RETURN_IF_ERROR(CountSparseRows(element, component, &own));
    } else if (component.kind == Kind::kRagged) {
      FASTPIPE_RETURN_IF_ERROR(ExpectRagged(element, component));
      own = RowsOfRagged(element, component);
    } else {
      FASTPIPE_RETURN_IF_ERROR(CountRows({element[component.first]}, &own));
    }
    if (&component == &components.front()) *rows = own;
    if (own != *rows) {
      return InvalidArgument(StrCat("all components must have equally many rows: component 0 has ",
                                    *rows, ", component ", component.first, " has ", own));
    }
  }
  return Status::Ok();
}

void AppendRow(const Element& element, const Components& components, int64_t row, Element* out) {
  for (const Component& component : components) {
    if (component.kind == Kind::kSparse) {
      AppendSparseRow(element, component, row, out);
    } else if (component.kind == Kind::kRagged && component.count > 1) {
      AppendRaggedRow(element, component, row, out);
    } else {
      out->push_back(element[component.first].Row(row));
    }
  }
}

}  // namespace fastpipe
