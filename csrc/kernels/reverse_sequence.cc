// reverse_sequence(x, lengths): for each slice along `batch_axis` its first lengths[i] slices along
// `seq_axis` backwards; the others stay.

#include <algorithm>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

struct Axes {
  int sequence = 0;
  int batch = 0;
};

Result<Axes> AxesOf(const Args& attrs, Dims x, Dims lengths) {
  const int rank = static_cast<int>(x.size());
  Axes axes;
  FASTPIPE_ASSIGN(const int64_t sequence, attrs.Int("seq_axis"));
  FASTPIPE_ASSIGN(const int64_t batch, attrs.IntOr("batch_axis", 0));
  FASTPIPE_ASSIGN(axes.sequence, NormalizeAxis(attrs.owner(), sequence, rank));
  FASTPIPE_ASSIGN(axes.batch, NormalizeAxis(attrs.owner(), batch, rank));
  if (axes.sequence == axes.batch) {
    return attrs.Error(StrCat("seq_axis and batch_axis must differ, both are ", axes.batch));
  }
  const int64_t size = x[static_cast<size_t>(axes.batch)];
  if (lengths.size() != 1 || (size >= 0 && lengths[0] >= 0 && lengths[0] != size)) {
    return attrs.Error(StrCat("lengths must be one for each of ", size, " slices, got shape ",
                              ShapeString(lengths)));
  }
  return axes;
}

Status ReverseSequence(const Args& attrs, Inputs in, Output* out) {
  const Tensor& x = *in[0];
  const Dims dims = x.dims();
  FASTPIPE_ASSIGN(const Axes axes, AxesOf(attrs, dims, in[1]->dims()));
  const int64_t size = dims[static_cast<size_t>(axes.sequence)];
  const std::vector<int64_t> lengths = IntegersOf(*in[1]);
  for (int64_t length : lengths) {
    if (length < 0 || length > size) {
      return attrs.Error(StrCat("lengths must be between 0 and ", size, ", got ", length));
    }
  }
  // Blocks below the inner one of both axes move as a whole.
  const size_t last = static_cast<size_t>(std::max(axes.sequence, axes.batch));
  const int64_t inner = NumElements(dims.subspan(last + 1));
  const std::vector<int64_t> strides = RowMajorStrides(dims);
  const int64_t step = strides[static_cast<size_t>(axes.sequence)];
  const int64_t batch_step = strides[static_cast<size_t>(axes.batch)];
  const int64_t batches = dims[static_cast<size_t>(axes.batch)];
  Assembler result(x.dtype(), dims, out);
  for (int64_t at = 0; at < x.num_elements(); at += inner) {
    const int64_t position = at / step % size;
    const int64_t length = lengths[static_cast<size_t>(at / batch_step % batches)];
    const int64_t from = position < length ? length - 1 - position : position;
    result.Append(x, at + (from - position) * step, inner);
  }
  result.Finish();
  return Status::Ok();
}

Result<KernelPlan> PlanReverseSequence(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  if (!IsInteger(inputs[1].dtype)) {
    return attrs.Error(StrCat("lengths must be integers, got ", inputs[1].ToString()));
  }
  if (inputs[0].known_rank && inputs[1].known_rank) {
    FASTPIPE_RETURN_IF_ERROR(AxesOf(attrs, inputs[0].dims, inputs[1].dims).status());
  }
  return KernelPlan{{inputs[0]}, KernelFrom([attrs](KernelContext*, Inputs in, Outputs out) {
                      return ReverseSequence(attrs, in, &out[0]);
                    })};
}

FASTPIPE_KERNEL("reverse_sequence", PlanReverseSequence);

}  // namespace
}  // namespace fastpipe
