// random_categorical(logits, seed, num_samples): for each row of logits, which are unnormalised log
// probabilities [batch, classes], `num_samples` random classes. Attribute dtype: int32 or int64.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/dispatch.h"
#include "kernels/integers_argument.h"
#include "kernels/seed_argument.h"

namespace fastpipe {
namespace {

// Sums of the probabilities up to each class, not normalised; infinite and NaN logits count for
// nothing.
template <typename T>
void Accumulate(const T* logits, std::vector<double>* sums) {
  double highest = static_cast<double>(std::numeric_limits<Wide<T>>::lowest());
  for (size_t i = 0; i < sums->size(); ++i) {
    const double logit = static_cast<double>(ToWide(logits[i]));
    if (std::isfinite(logit)) highest = std::max(highest, logit);
  }
  double total = 0;
  for (size_t i = 0; i < sums->size(); ++i) {
    const double logit = static_cast<double>(ToWide(logits[i]));
    if (std::isfinite(logit)) total += std::exp(logit - highest);
    (*sums)[i] = total;
  }
}

template <typename T, typename Class>
void Sample(Philox random, const Tensor& logits, int64_t num_samples, Output* out) {
  const int64_t dims[] = {logits.dim(0), num_samples};
  Class* to = out->Allocate<Class>(dims);
  PhiloxNumbers numbers(random);
  std::vector<double> sums(static_cast<size_t>(logits.dim(1)));
  for (int64_t row = 0; row < logits.dim(0); ++row) {
    Accumulate(logits.data<T>() + row * logits.dim(1), &sums);
    for (int64_t i = 0; i < num_samples; ++i) {
      const double place = numbers.NextDouble() * sums.back();
      *to++ = static_cast<Class>(std::upper_bound(sums.begin(), sums.end(), place) - sums.begin());
    }
  }
}

using Run = void (*)(Philox random, const Tensor& logits, int64_t num_samples, Output* out);
constexpr auto kSample32 =
    TableOf<FloatTypes>([]<typename T>() -> Run { return Sample<T, int32_t>; });
constexpr auto kSample64 =
    TableOf<FloatTypes>([]<typename T>() -> Run { return Sample<T, int64_t>; });

struct CategoricalPlan {
  Args attrs;
  IntegersArgument num_samples;
  Run run;

  Status Apply(Inputs in, Output* out) const {
    FASTPIPE_ASSIGN(const Philox random, PhiloxOf(attrs, *in[1]));
    const std::vector<int64_t> given = num_samples.Get(in);
    if (given.size() != 1 || given[0] < 0) {
      return attrs.Error("num_samples must be one integer >= 0");
    }
    const Tensor& logits = *in[0];
    if (logits.rank() != 2 || logits.dim(1) == 0) {
      return attrs.Error(StrCat("logits must be [batch, classes] with at least one class, got ",
                                ShapeString(logits.dims())));
    }
    const int64_t dims[] = {logits.dim(0), given[0]};
    FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs.owner(), dims));
    run(random, logits, given[0], out);
    return Status::Ok();
  }
};

Result<KernelPlan> PlanCategorical(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectSeed(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const DType dtype, attrs.DtypeOr("dtype", DType::kInt64));
  if (dtype != DType::kInt32 && dtype != DType::kInt64) {
    return attrs.Error(StrCat("dtype must be int32 or int64, got ", DTypeName(dtype)));
  }
  const auto& table = dtype == DType::kInt32 ? kSample32 : kSample64;
  FASTPIPE_ASSIGN(const Run run, FindOrError(table, attrs, inputs, 0));
  if (inputs[0].known_rank && (inputs[0].rank() != 2 || inputs[0].dims[1] == 0)) {
    return attrs.Error(StrCat("logits must be [batch, classes] with at least one class, got ",
                              inputs[0].ToString()));
  }
  size_t next = 2;
  FASTPIPE_ASSIGN(const IntegersArgument num_samples,
                  IntegersArgument::Read(attrs, "num_samples", inputs, &next));
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, next));
  const int64_t batch = inputs[0].known_rank ? inputs[0].dims[0] : -1;
  const int64_t samples = num_samples.IsStatic() ? num_samples.Known()[0] : -1;
  const CategoricalPlan plan{attrs, num_samples, run};
  return KernelPlan{{TensorSpec::Of(dtype, {batch, samples})},
                    KernelFrom([plan](KernelContext*, Inputs in, Outputs out) {
                      return plan.Apply(in, &out[0]);
                    })};
}

FASTPIPE_KERNEL("random_categorical", PlanCategorical);

}  // namespace
}  // namespace fastpipe
