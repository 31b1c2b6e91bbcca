// random_crop(x, seed): a part of shape `size`, an IntegersArgument, of a tensor of any dtype and
// rank, at a random place; equal to TensorFlow's.

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/crop.h"
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

// Where a part of shape `size` begins along each axis.
Result<std::vector<int64_t>> DrawStarts(const Args& attrs, Dims size, Dims dims,
                                        const Tensor& seed) {
  FASTPIPE_RETURN_IF_ERROR(ExpectFits(attrs, dims, size));
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), size));
  FASTPIPE_ASSIGN(const Philox blocks, PhiloxOf(attrs, seed));
  PhiloxNumbers random(blocks);
  std::vector<int64_t> starts;
  for (size_t i = 0; i < size.size(); ++i) {
    const int64_t drawn = random.Next() % static_cast<uint32_t>(INT32_MAX);
    starts.push_back(drawn % (dims[i] - size[i] + 1));
  }
  return starts;
}

class RandomCropKernel final : public CropKernel {
 public:
  RandomCropKernel(Args attrs, IntegersArgument size)
      : attrs_(std::move(attrs)), size_(std::move(size)) {}

  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    const Tensor& x = *in[0];
    const std::vector<int64_t> size = size_.Get(in);
    FASTPIPE_ASSIGN(const std::vector<int64_t> starts, DrawStarts(attrs_, size, x.dims(), *in[1]));
    if (NumElements(size) == x.num_elements()) {
      out[0].Set(x);
      return Status::Ok();
    }
    const std::vector<int64_t> strides = RowMajorStrides(x.dims());
    StridedLoop loop(size.size());
    int64_t start = 0;
    for (size_t i = 0; i < size.size(); ++i) {
      start += starts[i] * strides[i];
      loop.AddAxis({size[i], {strides[i]}});
    }
    Assembler result(x.dtype(), size, &out[0]);
    result.Append(x, start, loop);
    result.Finish();
    return Status::Ok();
  }

  Result<Box> Locate(Inputs in, Dims image) const override {
    const std::vector<int64_t> size = size_.Get(in);
    FASTPIPE_ASSIGN(const std::vector<int64_t> starts, DrawStarts(attrs_, size, image, *in[1]));
    if (size[2] != image[2]) return Unimplemented("some channels only");
    return Box{starts[0], starts[1], size[0], size[1]};
  }

 private:
  const Args attrs_;
  const IntegersArgument size_;
};

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
  return KernelPlan{{std::move(spec)}, std::make_shared<const RandomCropKernel>(attrs, size)};
}

FASTPIPE_KERNEL("random_crop", PlanRandomCrop);

}  // namespace
}  // namespace fastpipe
