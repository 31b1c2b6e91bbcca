// ragged_to_dense(values, row_splits, [default]): rows of different lengths as one tensor [rows,
// longest, ...], filled up with the scalar `default`: without it, with 0, false or "". Row i is
// values[row_splits[i] : row_splits[i + 1]].
//
// Attribute shape: None, or numbers of rows and columns to pad or cut to, -1 for those there are.

#include <algorithm>
#include <array>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

Status ExpectSplits(const Args& attrs, const std::vector<int64_t>& splits, int64_t count) {
  if (splits.empty()) return attrs.Error("row_splits must hold one integer or more, got none");
  if (splits.front() != 0 || splits.back() != count) {
    return attrs.Error(StrCat("row_splits must go from 0 to ", count, ", got ", splits.front(),
                              " to ", splits.back()));
  }
  if (!std::is_sorted(splits.begin(), splits.end())) {
    return attrs.Error("row_splits must not decrease");
  }
  return Status::Ok();
}

// `wanted`: rows and columns, -1 where they follow from the splits.
Status Fill(const Args& attrs, const std::array<int64_t, 2>& wanted, Inputs in, Output* out) {
  const Tensor& values = *in[0];
  if (values.rank() == 0) return attrs.Error("values must have an axis, got a scalar");
  const std::vector<int64_t> splits = IntegersOf(*in[1]);
  FASTPIPE_RETURN_IF_ERROR(ExpectSplits(attrs, splits, values.dim(0)));
  const int64_t given = static_cast<int64_t>(splits.size()) - 1;
  const int64_t rows = wanted[0] < 0 ? given : wanted[0];
  int64_t columns = std::max<int64_t>(wanted[1], 0);
  for (int64_t i = 0; i < given && wanted[1] < 0; ++i) {
    columns =
        std::max(columns, splits[static_cast<size_t>(i) + 1] - splits[static_cast<size_t>(i)]);
  }
  std::vector<int64_t> dims = {rows, columns};
  dims.insert(dims.end(), values.dims().begin() + 1, values.dims().end());
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), dims));
  const int64_t inner = NumElements(values.dims().subspan(1));
  const Tensor filler = in.size() == 3 ? *in[2] : ZeroOf(values.dtype());
  Assembler result(values.dtype(), dims, out);
  for (int64_t i = 0; i < std::min(rows, given); ++i) {
    const int64_t begin = splits[static_cast<size_t>(i)];
    const int64_t length = std::min(columns, splits[static_cast<size_t>(i) + 1] - begin);
    result.Append(values, begin * inner, length * inner);
    result.Repeat(filler, (columns - length) * inner);
  }
  result.Repeat(filler, std::max<int64_t>(rows - given, 0) * columns * inner);
  result.Finish();
  return Status::Ok();
}

Result<std::array<int64_t, 2>> ReadShape(const Args& attrs) {
  std::array<int64_t, 2> wanted = {-1, -1};
  if (!attrs.Has("shape")) return wanted;
  FASTPIPE_ASSIGN(const std::vector<int64_t> shape, attrs.Ints("shape"));
  if (shape.size() != 2) {
    return attrs.Error(StrCat("shape must have a size for each axis, got ", ShapeString(shape)));
  }
  std::copy(shape.begin(), shape.end(), wanted.begin());
  return wanted;
}

Result<KernelPlan> PlanRaggedToDense(const Args& attrs, Specs inputs) {
  if (inputs.size() != 3) FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  if (!IsInteger(inputs[1].dtype) || (inputs[1].known_rank && inputs[1].rank() != 1)) {
    return attrs.Error(StrCat("row_splits must be a list of integers, got ", inputs[1].ToString()));
  }
  if (inputs.size() == 3) {
    FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 2, inputs[0].dtype));
    if (inputs[2].rank() > 0) {
      return attrs.Error(StrCat("the default must be a scalar, got ", inputs[2].ToString()));
    }
  }
  if (inputs[0].rank() == 0) return attrs.Error("values must have an axis, got a scalar");
  FASTPIPE_ASSIGN(const auto wanted, ReadShape(attrs));
  TensorSpec spec = inputs[0];
  if (spec.known_rank) {
    const int64_t splits = inputs[1].known_rank ? inputs[1].dims[0] : -1;
    spec.dims[0] = wanted[1];
    const int64_t rows = splits > 0 ? splits - 1 : -1;
    spec.dims.insert(spec.dims.begin(), wanted[0] < 0 ? rows : wanted[0]);
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, wanted](KernelContext*, Inputs in, Outputs out) {
                      return Fill(attrs, wanted, in, &out[0]);
                    })};
}

FASTPIPE_KERNEL("ragged_to_dense", PlanRaggedToDense);

}  // namespace
}  // namespace fastpipe
