// Sparse tensors: each argument `sparse` is three inputs, its indices, values and dense shape.
//
// sparse_to_dense(sparse, default): the dense tensor, the scalar `default` where nothing is.
//   Attribute validate: the indices must ascend.
// sparse_from_dense(dense): the values that are not 0, false or "".
// sparse_reorder(sparse): the same in row-major order.
// sparse_reshape(sparse, shape): the same values in another dense shape; one size may be -1.
// sparse_slice(sparse, start, size): the part that begins at `start`, as far as there is any.
// sparse_concat(sparse...): one after the other along attribute axis, in row-major order. Attribute
//   expand: sizes along other axes may differ; the largest counts.

#include <algorithm>
#include <numeric>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/dispatch.h"
#include "kernels/integers_argument.h"
#include "kernels/sparse_view.h"

namespace fastpipe {
namespace {

using Order = std::vector<int64_t>;

Order Identity(int64_t count) {
  Order order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// ---- to and from dense ----

void FinishDense(const SparseView& sparse, const Tensor& filler, Output* out) {
  std::vector<std::pair<int64_t, int64_t>> places;  // position, number of the value
  for (int64_t i = 0; i < sparse.count(); ++i) places.emplace_back(sparse.Position(i), i);
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Assembler dense(sparse.values().dtype(), sparse.shape(), out);
  int64_t next = 0;
  for (size_t p = 0; p < places.size(); ++p) {
    // Of several values at one place the last counts.
    if (p + 1 < places.size() && places[p + 1].first == places[p].first) continue;
    dense.Repeat(filler, places[p].first - next);
    dense.Append(sparse.values(), places[p].second, 1);
    next = places[p].first + 1;
  }
  dense.Repeat(filler, NumElements(sparse.shape()) - next);
  dense.Finish();
}

Result<KernelPlan> PlanToDense(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 4));
  FASTPIPE_RETURN_IF_ERROR(ExpectSparse(attrs, inputs, 0));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 3, inputs[1].dtype));
  if (inputs[3].rank() > 0) {
    return attrs.Error(StrCat("the default must be a scalar, got ", inputs[3].ToString()));
  }
  FASTPIPE_ASSIGN(const bool validate, attrs.BoolOr("validate", true));
  TensorSpec spec = TensorSpec::UnknownRank(inputs[1].dtype);
  const int64_t rank = SparseRank(inputs, 0);
  if (rank >= 0) {
    spec = TensorSpec::Of(inputs[1].dtype, std::vector<int64_t>(static_cast<size_t>(rank), -1));
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, validate](KernelContext*, Inputs in, Outputs out) {
                      FASTPIPE_ASSIGN(const SparseView sparse, SparseView::Make(attrs, in, 0));
                      if (validate) FASTPIPE_RETURN_IF_ERROR(sparse.ExpectSorted(attrs));
                      FinishDense(sparse, *in[3], &out[0]);
                      return Status::Ok();
                    })};
}

using IsZero = bool (*)(const Tensor& tensor, int64_t index);

constexpr auto kIsZero = TableOf<FixedSizeTypes>([]<typename T>() -> IsZero {
  return [](const Tensor& tensor, int64_t index) {
    return ToWide(tensor.data<T>()[index]) == Wide<T>{};
  };
});

Result<KernelPlan> PlanFromDense(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  IsZero zero = Find(kIsZero, inputs[0].dtype);
  if (inputs[0].dtype == DType::kString) {
    zero = [](const Tensor& tensor, int64_t index) { return tensor.str(index).empty(); };
  }
  if (!zero) return attrs.Error(StrCat("input 0 must be a tensor, got ", inputs[0].ToString()));
  return KernelPlan{SparseSpecs(inputs[0].dtype, inputs[0].rank()),
                    KernelFrom([zero](KernelContext*, Inputs in, Outputs out) {
                      const Tensor& dense = *in[0];
                      const std::vector<int64_t> shape(dense.dims().begin(), dense.dims().end());
                      Order order;
                      std::vector<int64_t> indices;
                      for (int64_t i = 0; i < dense.num_elements(); ++i) {
                        if (zero(dense, i)) continue;
                        order.push_back(i);
                        indices.resize(indices.size() + shape.size());
                        int64_t rest = i;
                        for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) {
                          indices[indices.size() - shape.size() + axis] = rest % shape[axis];
                        }
                      }
                      FinishSparse(indices, dense, order, shape, &out[0]);
                      return Status::Ok();
                    })};
}

// ---- order and shape ----

// The values of `sparse` in row-major order of `indices`, of the same rank.
void FinishSorted(const std::vector<int64_t>& indices, const Tensor& values,
                  const std::vector<int64_t>& shape, Output* out) {
  const size_t rank = shape.size();
  Order order = Identity(values.dim(0));
  const auto row = [&](int64_t i) {
    return Dims(indices).subspan(static_cast<size_t>(i) * rank, rank);
  };
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const Dims x = row(a);
    const Dims y = row(b);
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  });
  std::vector<int64_t> sorted;
  sorted.reserve(indices.size());
  for (const int64_t i : order) sorted.insert(sorted.end(), row(i).begin(), row(i).end());
  FinishSparse(sorted, values, order, shape, out);
}

std::vector<int64_t> AllIndices(const SparseView& sparse) {
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < sparse.count(); ++i) {
    indices.insert(indices.end(), sparse.index(i).begin(), sparse.index(i).end());
  }
  return indices;
}

Result<KernelPlan> PlanReorder(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 3));
  FASTPIPE_RETURN_IF_ERROR(ExpectSparse(attrs, inputs, 0));
  return KernelPlan{{inputs.begin(), inputs.end()},
                    KernelFrom([attrs](KernelContext*, Inputs in, Outputs out) {
                      FASTPIPE_ASSIGN(const SparseView sparse, SparseView::Make(attrs, in, 0));
                      FinishSorted(AllIndices(sparse), sparse.values(), sparse.shape(), &out[0]);
                      return Status::Ok();
                    })};
}

// `wanted` with its -1 replaced by what makes `elements`.
Result<std::vector<int64_t>> FullShape(const Args& attrs, std::vector<int64_t> wanted,
                                       int64_t elements) {
  const std::string given = ShapeString(wanted);
  const auto open = std::find(wanted.begin(), wanted.end(), -1);
  if (open != wanted.end()) *open = 1;
  const bool possible =
      std::all_of(wanted.begin(), wanted.end(), [](int64_t dim) { return dim >= 0; });
  const int64_t known = possible ? NumElements(wanted) : 0;
  if (open != wanted.end() && known > 0) *open = elements / known;
  if (possible && NumElements(wanted) == elements) return wanted;
  return attrs.Error(StrCat("cannot give the ", elements, " elements the shape ", given));
}

Status Reshape(const Args& attrs, Inputs in, Outputs out) {
  FASTPIPE_ASSIGN(const SparseView sparse, SparseView::Make(attrs, in, 0));
  FASTPIPE_ASSIGN(const std::vector<int64_t> shape,
                  FullShape(attrs, IntegersOf(*in[3]), NumElements(sparse.shape())));
  std::vector<int64_t> indices(static_cast<size_t>(sparse.count()) * shape.size());
  for (int64_t i = 0; i < sparse.count(); ++i) {
    int64_t rest = sparse.Position(i);
    for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) {
      indices[static_cast<size_t>(i) * shape.size() + axis] = rest % shape[axis];
    }
  }
  FinishSparse(indices, sparse.values(), Identity(sparse.count()), shape, &out[0]);
  return Status::Ok();
}

Result<KernelPlan> PlanReshape(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 4));
  FASTPIPE_RETURN_IF_ERROR(ExpectSparse(attrs, inputs, 0));
  if (!IsInteger(inputs[3].dtype) || (inputs[3].known_rank && inputs[3].rank() != 1)) {
    return attrs.Error(StrCat("shape must be a list of integers, got ", inputs[3].ToString()));
  }
  const int64_t rank = inputs[3].known_rank ? inputs[3].dims[0] : -1;
  return KernelPlan{SparseSpecs(inputs[1].dtype, rank),
                    KernelFrom([attrs](KernelContext*, Inputs in, Outputs out) {
                      return Reshape(attrs, in, out);
                    })};
}

// ---- parts and sums ----

Status Slice(const Args& attrs, Inputs in, Outputs out) {
  FASTPIPE_ASSIGN(const SparseView sparse, SparseView::Make(attrs, in, 0));
  const std::vector<int64_t> start = IntegersOf(*in[3]);
  std::vector<int64_t> size = IntegersOf(*in[4]);
  if (start.size() != sparse.rank() || size.size() != sparse.rank()) {
    return attrs.Error(StrCat("start and size must have ", sparse.rank(), " integers, got ",
                              start.size(), " and ", size.size()));
  }
  for (size_t axis = 0; axis < size.size(); ++axis) {
    if (start[axis] < 0 || size[axis] < 0) {
      return attrs.Error(StrCat("start and size must be >= 0, got ", ShapeString(start), " and ",
                                ShapeString(size)));
    }
    size[axis] = std::clamp<int64_t>(sparse.shape()[axis] - start[axis], 0, size[axis]);
  }
  Order order;
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < sparse.count(); ++i) {
    const Dims index = sparse.index(i);
    bool inside = true;
    for (size_t axis = 0; axis < size.size(); ++axis) {
      inside = inside && index[axis] >= start[axis] && index[axis] - start[axis] < size[axis];
    }
    if (!inside) continue;
    order.push_back(i);
    for (size_t axis = 0; axis < size.size(); ++axis) indices.push_back(index[axis] - start[axis]);
  }
  FinishSparse(indices, sparse.values(), order, size, &out[0]);
  return Status::Ok();
}

Result<KernelPlan> PlanSlice(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 5));
  FASTPIPE_RETURN_IF_ERROR(ExpectSparse(attrs, inputs, 0));
  if (!IsInteger(inputs[3].dtype) || !IsInteger(inputs[4].dtype)) {
    return attrs.Error(StrCat("start and size must be integers, got ", inputs[3].ToString(),
                              " and ", inputs[4].ToString()));
  }
  return KernelPlan{SparseSpecs(inputs[1].dtype, SparseRank(inputs, 0)),
                    KernelFrom([attrs](KernelContext*, Inputs in, Outputs out) {
                      return Slice(attrs, in, out);
                    })};
}

// Widens `shape` to hold `other` behind it along `axis`.
Status JoinShape(const Args& attrs, const std::vector<int64_t>& other, size_t axis, bool expand,
                 std::vector<int64_t>* shape) {
  bool fits = other.size() == shape->size();
  for (size_t i = 0; fits && i < shape->size(); ++i) {
    if (i == axis) continue;
    fits = expand || other[i] == (*shape)[i];
    (*shape)[i] = std::max((*shape)[i], other[i]);
  }
  if (!fits) {
    return attrs.Error(StrCat("sizes may differ along axis ", axis, " only, got the shapes ",
                              ShapeString(*shape), " and ", ShapeString(other)));
  }
  (*shape)[axis] += other[axis];
  return Status::Ok();
}

Status Concat(const Args& attrs, int64_t given_axis, bool expand, Inputs in, Outputs out) {
  std::vector<int64_t> shape;
  std::vector<int64_t> indices;
  std::vector<SparseView> parts;
  size_t axis = 0;
  int64_t count = 0;
  for (size_t first = 0; first < in.size(); first += 3) {
    FASTPIPE_ASSIGN(SparseView part, SparseView::Make(attrs, in, first));
    if (first == 0) {
      FASTPIPE_ASSIGN(const int at,
                      NormalizeAxis(attrs.owner(), given_axis, static_cast<int>(part.rank())));
      axis = static_cast<size_t>(at);
      shape = part.shape();
      shape[axis] = 0;
    }
    const int64_t offset = shape[axis];
    FASTPIPE_RETURN_IF_ERROR(JoinShape(attrs, part.shape(), axis, expand, &shape));
    for (int64_t i = 0; i < part.count(); ++i) {
      indices.insert(indices.end(), part.index(i).begin(), part.index(i).end());
      indices[indices.size() - shape.size() + axis] += offset;
    }
    count += part.count();
    parts.push_back(std::move(part));
  }
  Tensor joined;
  Output values(&joined);
  Assembler assembler(in[1]->dtype(), Dims(&count, 1), &values);
  for (const SparseView& part : parts) assembler.Append(part.values());
  assembler.Finish();
  FinishSorted(indices, joined, shape, &out[0]);
  return Status::Ok();
}

Result<KernelPlan> PlanConcat(const Args& attrs, Specs inputs) {
  if (inputs.empty() || inputs.size() % 3 != 0) {
    return attrs.Error(StrCat("takes sparse tensors of 3 tensors each, got ", inputs.size()));
  }
  for (size_t first = 0; first < inputs.size(); first += 3) {
    FASTPIPE_RETURN_IF_ERROR(ExpectSparse(attrs, inputs, first));
    FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, first + 1, inputs[1].dtype));
  }
  FASTPIPE_ASSIGN(const int64_t axis, attrs.Int("axis"));
  FASTPIPE_ASSIGN(const bool expand, attrs.BoolOr("expand", false));
  return KernelPlan{SparseSpecs(inputs[1].dtype, SparseRank(inputs, 0)),
                    KernelFrom([attrs, axis, expand](KernelContext*, Inputs in, Outputs out) {
                      return Concat(attrs, axis, expand, in, out);
                    })};
}

FASTPIPE_KERNEL("sparse_to_dense", PlanToDense);
FASTPIPE_KERNEL("sparse_from_dense", PlanFromDense);
FASTPIPE_KERNEL("sparse_reorder", PlanReorder);
FASTPIPE_KERNEL("sparse_reshape", PlanReshape);
FASTPIPE_KERNEL("sparse_slice", PlanSlice);
FASTPIPE_KERNEL("sparse_concat", PlanConcat);

}  // namespace
}  // namespace fastpipe
