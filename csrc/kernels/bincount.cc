// bincount(x, weights...): how often each of the integers 0, 1, ... occurs, in dtype `dtype`; with
// a second tensor of x's shape, the sum of the weights where it occurs. The result has at least
// `minlength` bins, and at most `maxlength`: greater values are left out. `rows` counts in each row
// of a matrix by itself; `binary` says 1 instead of how often.

#include <algorithm>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/dispatch.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

struct Bins {
  int64_t rows = 1;
  int64_t per_row = 0;
  int64_t bins = 0;
};

template <typename To>
void Fill(const std::vector<int64_t>& x, const Tensor* weights, const Bins& bins, bool binary,
          uint8_t* out) {
  To* to = reinterpret_cast<To*>(out);
  std::vector<Wide<To>> totals(static_cast<size_t>(bins.rows * bins.bins), 0);
  for (int64_t i = 0; i < static_cast<int64_t>(x.size()); ++i) {
    const int64_t bin = x[static_cast<size_t>(i)];
    if (bin >= bins.bins) continue;
    Wide<To>& total = totals[static_cast<size_t>(i / bins.per_row * bins.bins + bin)];
    const Wide<To> added = weights ? ToWide(weights->data<To>()[i]) : Wide<To>{1};
    total = binary ? Wide<To>{1} : static_cast<Wide<To>>(total + added);
  }
  std::transform(totals.begin(), totals.end(), to,
                 [](Wide<To> total) { return FromWide<To>(total); });
}

using FillRun = void (*)(const std::vector<int64_t>& x, const Tensor* weights, const Bins& bins,
                         bool binary, uint8_t* out);
constexpr auto kFills = TableOf<Types<int32_t, int64_t, float, double, Half, Bfloat16>>(
    []<typename To>() -> FillRun { return Fill<To>; });

class Bincount final : public Kernel {
 public:
  static Result<KernelPlan> Plan(const Args& attrs, Specs inputs);

  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    const Tensor& x = *in[0];
    const Tensor* weights = in.size() > 1 ? in[1] : nullptr;
    if (weights && weights->num_elements() != x.num_elements()) {
      return attrs_.Error(StrCat("there must be a weight for each value, got ",
                                 ShapeString(weights->dims()), " for ", ShapeString(x.dims())));
    }
    const std::vector<int64_t> values = IntegersOf(x);
    for (int64_t value : values) {
      if (value < 0 || value == INT64_MAX) {
        return attrs_.Error(StrCat("values must be >= 0 and not absurd, got ", value));
      }
    }
    Bins bins;
    bins.rows = rows_ && x.rank() == 2 ? x.dim(0) : 1;
    bins.per_row = bins.rows == 0 ? 0 : x.num_elements() / bins.rows;
    const int64_t needed = values.empty() ? 0 : *std::max_element(values.begin(), values.end()) + 1;
    bins.bins = std::max(min_, needed);
    if (max_ >= 0) bins.bins = std::min(max_, bins.bins);
    const int64_t dims[] = {bins.rows, bins.bins};
    FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs_.owner(), dims));
    const bool matrix = rows_ && x.rank() == 2;
    fill_(values, weights, bins, binary_,
          out[0].Allocate(dtype_, matrix ? Dims(dims) : Dims(&dims[1], 1)));
    return Status::Ok();
  }

 private:
  Args attrs_;
  FillRun fill_ = nullptr;
  DType dtype_ = DType::kInt32;
  int64_t min_ = 0;
  int64_t max_ = -1;  // no limit
  bool rows_ = false;
  bool binary_ = false;
};

Result<KernelPlan> Bincount::Plan(const Args& attrs, Specs inputs) {
  if (inputs.size() != 1 && inputs.size() != 2) return attrs.Error("takes values and weights");
  if (!IsInteger(inputs[0].dtype)) {
    return attrs.Error(StrCat("values must be integers, got ", inputs[0].ToString()));
  }
  auto kernel = std::make_shared<Bincount>();
  kernel->attrs_ = attrs;
  FASTPIPE_ASSIGN(kernel->dtype_, attrs.DtypeOr("dtype", DType::kInt32));
  FASTPIPE_ASSIGN(kernel->min_, attrs.IntOr("minlength", 0, {.min = 0}));
  FASTPIPE_ASSIGN(kernel->max_, attrs.IntOr("maxlength", -1));
  FASTPIPE_ASSIGN(kernel->rows_, attrs.BoolOr("rows", false));
  FASTPIPE_ASSIGN(kernel->binary_, attrs.BoolOr("binary", false));
  if (inputs.size() == 2) kernel->dtype_ = inputs[1].dtype;
  kernel->fill_ = Find(kFills, kernel->dtype_);
  if (kernel->fill_ == nullptr) {
    return attrs.Error(
        StrCat("counts must be int32, int64 or floats, got ", DTypeName(kernel->dtype_)));
  }
  if (kernel->rows_ && inputs[0].rank() > 2) {
    return attrs.Error(StrCat("takes a vector or a matrix, got ", inputs[0].ToString()));
  }
  const int64_t bins = kernel->max_ >= 0 && kernel->min_ >= kernel->max_ ? kernel->max_ : -1;
  TensorSpec spec = TensorSpec::Of(kernel->dtype_, {bins});
  if (kernel->rows_ && inputs[0].rank() == 2) {
    spec.dims.insert(spec.dims.begin(), inputs[0].dims[0]);
  } else if (kernel->rows_ && !inputs[0].known_rank) {
    spec = TensorSpec::UnknownRank(kernel->dtype_);
  }
  return KernelPlan{{std::move(spec)}, std::move(kernel)};
}

FASTPIPE_KERNEL("bincount", Bincount::Plan);

}  // namespace
}  // namespace fastpipe
