// random_shuffle(x, seed): x with its rows, along axis 0, in random order; equal to TensorFlow's.

#include <numeric>
#include <utility>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/seed_argument.h"

namespace fastpipe {
namespace {

Status RandomShuffle(const Args& attrs, Inputs in, Output* out) {
  FASTPIPE_ASSIGN(const Philox random, PhiloxOf(attrs, *in[1]));
  const Tensor& x = *in[0];
  if (x.num_elements() <= 1 || x.dim(0) <= 1) {
    out->Set(x);
    return Status::Ok();
  }
  std::vector<int64_t> order(static_cast<size_t>(x.dim(0)));
  std::iota(order.begin(), order.end(), 0);
  PhiloxNumbers numbers(random);
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    const size_t left = order.size() - i;
    std::swap(order[i], order[i + numbers.Next() % static_cast<uint32_t>(left)]);
  }
  const int64_t row = NumElements(x.dims().subspan(1));
  Assembler result(x.dtype(), x.dims(), out);
  for (int64_t from : order) result.Append(x, from * row, row);
  result.Finish();
  return Status::Ok();
}

Result<KernelPlan> PlanRandomShuffle(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectSeed(attrs, inputs, 1));
  return KernelPlan{{inputs[0]}, KernelFrom([attrs](KernelContext*, Inputs in, Outputs out) {
                      return RandomShuffle(attrs, in, &out[0]);
                    })};
}

FASTPIPE_KERNEL("random_shuffle", PlanRandomShuffle);

}  // namespace
}  // namespace fastpipe
