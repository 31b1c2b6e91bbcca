// bitcast(x): the bytes of x as values of dtype `type`. A narrower one adds a last axis for the
// parts of each value, a wider one takes the last axis as the parts of one.

#include <cstring>

#include "core/registry.h"
#include "kernels/assemble.h"

namespace fastpipe {
namespace {

Result<std::vector<int64_t>> DimsOf(const Args& attrs, Dims x, size_t from, size_t to) {
  std::vector<int64_t> dims(x.begin(), x.end());
  if (from > to) dims.push_back(static_cast<int64_t>(from / to));
  if (from < to) {
    const int64_t parts = static_cast<int64_t>(to / from);
    if (x.empty() || (x.back() >= 0 && x.back() != parts)) {
      return attrs.Error(StrCat("the last axis must hold the ", parts,
                                " parts of a value, got shape ", ShapeString(x)));
    }
    dims.pop_back();
  }
  return dims;
}

Result<KernelPlan> PlanBitcast(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const DType dtype, attrs.Dtype("type"));
  const auto good = [](DType each) { return IsInteger(each) || IsFloating(each); };
  if (!good(inputs[0].dtype) || !good(dtype)) {
    return attrs.Error(StrCat("both dtypes must be numbers, got ", inputs[0].ToString(), " to ",
                              DTypeName(dtype)));
  }
  const size_t from = DTypeSize(inputs[0].dtype);
  const size_t to = DTypeSize(dtype);
  TensorSpec spec = TensorSpec::UnknownRank(dtype);
  if (inputs[0].known_rank) {
    spec.known_rank = true;
    FASTPIPE_ASSIGN(spec.dims, DimsOf(attrs, inputs[0].dims, from, to));
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, dtype, from, to](KernelContext*, Inputs in, Outputs out) {
                      const Tensor& x = *in[0];
                      FASTPIPE_ASSIGN(const std::vector<int64_t> dims,
                                      DimsOf(attrs, x.dims(), from, to));
                      uint8_t* bytes = out[0].Allocate(dtype, dims);
                      if (x.num_bytes() > 0) std::memcpy(bytes, x.raw(), x.num_bytes());
                      return Status::Ok();
                    })};
}

FASTPIPE_KERNEL("bitcast", PlanBitcast);

}  // namespace
}  // namespace fastpipe
