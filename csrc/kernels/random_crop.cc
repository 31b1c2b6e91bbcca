// random_crop(x, seed): a part of shape `size`, an IntegersArgument, of a tensor of any dtype and
// rank, at a random place; equal to TensorFlow's.

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/integers_argument.h"
#include "kernels/seed_argument.h"
#include "kernels/strided_loop.h"

namespace fastpipe {
namespace {

// InvalidArgument unless `size` fits into `dims`; unknown sizes (-1) may.
Status ExpectFits(const Args& attrs, Dims dims, Dims size) {
  bool fits = size.size() == dims.size();
  for (size_t i = 0; fits && i < size.size(); ++i) {
    fits = dims[i] < 0 || size[i] <= dims[i];
  }
  if (fits) return Status::Ok();
  return attrs.Error(StrCat("size must fit into the value, got size ", ShapeString(size),
                            " and a value of shape ", ShapeString(dims)));
}

Status RandomCrop(const Args& attrs, Dims size, const Tensor& x, const Tensor& seed, Output* out) {
  FASTPIPE_RETURN_IF_ERROR(ExpectFits(attrs, x.dims(), size));
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), size));
  FASTPIPE_ASSIGN(const Philox blocks, PhiloxOf(attrs, seed));
  PhiloxNumbers random(blocks);
  const std::vector<int64_t> strides = RowMajorStrides(x.dims());
  StridedLoop loop(size.size());
  int64_t start = 0;
  for (size_t i = 0; i < size.size(); ++i) {
    const int64_t drawn = random.Next() % static_cast<uint32_t>(INT32_MAX);
    start += drawn % (x.dims()[i] - size[i] + 1) * strides[i];
    loop.AddAxis({size[i], {strides[i]}});
  }
  if (NumElements(size) == x.num_elements()) {
    out->Set(x);
    return Status::Ok();
  }
  Assembler result(x.dtype(), size, out);
  result.Append(x, start, loop);
  result.Finish();
  return Status::Ok();
}

Result<KernelPlan> PlanRandomCrop(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectSeed(attrs, inputs, 1));
  size_t next = 2;
  FASTPIPE_ASSIGN(const IntegersArgument size,
                  IntegersArgument::Read(attrs, "size", inputs, &next));
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, next));
  TensorSpec spec = TensorSpec::UnknownRank(inputs[0].dtype);
  if (size.size()) {
    spec = TensorSpec::Of(inputs[0].dtype, size.Known());
    if (inputs[0].known_rank) {
      FASTPIPE_RETURN_IF_ERROR(ExpectFits(attrs, inputs[0].dims, spec.dims));
    }
  }
  if (size.IsStatic()) FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), spec.dims));
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, size](KernelContext*, Inputs in, Outputs out) {
                      return RandomCrop(attrs, size.Get(in), *in[0], *in[1], &out[0]);
                    })};
}

FASTPIPE_KERNEL("random_crop", PlanRandomCrop);

}  // namespace
}  // namespace fastpipe
