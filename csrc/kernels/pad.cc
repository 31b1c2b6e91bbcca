// pad(x): x with values added before and after each axis. `paddings`, an IntegersArgument, holds
// how many before and after, axis by axis.
//
// Mode "constant" adds the last input, a scalar `value`; "reflect" mirrors x without its edge,
// "symmetric" with it; these two take no value.

#include <algorithm>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/dispatch.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

enum class Mode { kConstant, kReflect, kSymmetric };

struct PadPlan {
  Args attrs;
  Mode mode = Mode::kConstant;
  IntegersArgument paddings;
};

// The shape of the result. Sizes and paddings of -1 are unknown, if `planning`.
Result<std::vector<int64_t>> PaddedDims(const PadPlan& plan, Dims dims,
                                        const std::vector<int64_t>& paddings, bool planning) {
  if (paddings.size() != 2 * dims.size()) {
    return plan.attrs.Error(StrCat("paddings must hold 2 integers for each axis of shape ",
                                   ShapeString(dims), ", got ", paddings.size()));
  }
  std::vector<int64_t> padded;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    const int64_t before = paddings[2 * axis];
    const int64_t after = paddings[2 * axis + 1];
    if (planning && (before < 0 || after < 0 || dims[axis] < 0)) {
      padded.push_back(-1);
      continue;
    }
    if (before < 0 || after < 0) {
      return plan.attrs.Error(
          StrCat("paddings must be >= 0, got ", before, " and ", after, " for axis ", axis));
    }
    const int64_t most = dims[axis] - (plan.mode == Mode::kReflect ? 1 : 0);
    if (plan.mode != Mode::kConstant && std::max(before, after) > most) {
      return plan.attrs.Error(StrCat("an axis of size ", dims[axis], " can be mirrored by at most ",
                                     std::max<int64_t>(most, 0), ", got paddings ", before, " and ",
                                     after, " for axis ", axis));
    }
    int64_t size = 0;
    if (__builtin_add_overflow(before, after, &size) ||
        __builtin_add_overflow(size, dims[axis], &size)) {
      return plan.attrs.Error(StrCat("paddings ", before, " and ", after, " are too large"));
    }
    padded.push_back(size);
  }
  return padded;
}

// Which position of an axis of size `size` stands at `index`, counted from its start; -1: none.
int64_t SourceIndex(Mode mode, int64_t index, int64_t size) {
  if (index >= 0 && index < size) return index;
  if (mode == Mode::kConstant) return -1;
  const int64_t edge = mode == Mode::kSymmetric ? 1 : 0;
  return index < 0 ? -index - edge : 2 * size - 2 - index + edge;
}

// Appends `axis` and those inside it, of the part of x that starts at value `start`.
class Padder {
 public:
  Padder(Mode mode, const Tensor& x, Dims padded, const std::vector<int64_t>& paddings,
         const Tensor* value, Assembler* result)
      : mode_(mode),
        x_(x),
        padded_(padded),
        paddings_(paddings),
        value_(value),
        strides_(RowMajorStrides(x.dims())),
        result_(result) {}

  void AppendAxis(size_t axis, int64_t start) const {
    if (axis == padded_.size()) return result_->Append(x_, start, 1);
    const int64_t size = x_.dims()[axis];
    const int64_t before = paddings_[2 * axis];
    const bool innermost = axis + 1 == padded_.size();
    for (int64_t i = 0; i < padded_[axis]; ++i) {
      const int64_t source = SourceIndex(mode_, i - before, size);
      if (source < 0) {
        result_->Repeat(*value_, NumElements(padded_.subspan(axis + 1)));
      } else if (innermost && i == before) {
        result_->Append(x_, start, size);
        i += size - 1;
      } else {
        AppendAxis(axis + 1, start + source * strides_[axis]);
      }
    }
  }

 private:
  const Mode mode_;
  const Tensor& x_;
  const Dims padded_;
  const std::vector<int64_t>& paddings_;
  const Tensor* const value_;
  const std::vector<int64_t> strides_;
  Assembler* const result_;
};

Status Pad(const PadPlan& plan, Inputs in, Output* out) {
  const Tensor& x = *in[0];
  const std::vector<int64_t> paddings = plan.paddings.Get(in);
  FASTPIPE_ASSIGN(const std::vector<int64_t> dims, PaddedDims(plan, x.dims(), paddings, false));
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(plan.attrs.owner(), dims));
  Assembler result(x.dtype(), dims, out);
  const Tensor* value = plan.mode == Mode::kConstant ? in.back() : nullptr;
  if (NumElements(dims) > 0) {
    Padder(plan.mode, x, dims, paddings, value, &result).AppendAxis(0, 0);
  }
  result.Finish();
  return Status::Ok();
}

Result<Mode> ReadMode(const Args& attrs) {
  FASTPIPE_ASSIGN(const std::string mode, attrs.StringOr("mode", "constant"));
  if (mode == "constant") return Mode::kConstant;
  if (mode == "reflect") return Mode::kReflect;
  if (mode == "symmetric") return Mode::kSymmetric;
  return attrs.Error(StrCat("mode must be 'constant', 'reflect' or 'symmetric', got '", mode, "'"));
}

Result<KernelPlan> PlanPad(const Args& attrs, Specs inputs) {
  if (inputs.empty()) return attrs.Error("takes a tensor, got none");
  PadPlan plan{attrs, Mode::kConstant, {}};
  FASTPIPE_ASSIGN(plan.mode, ReadMode(attrs));
  size_t next = 1;
  FASTPIPE_ASSIGN(plan.paddings, IntegersArgument::Read(attrs, "paddings", inputs, &next));
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, next + (plan.mode == Mode::kConstant)));
  if (plan.mode == Mode::kConstant) {
    const TensorSpec& value = inputs.back();
    if (value.dtype != inputs[0].dtype || value.rank() > 0) {
      return attrs.Error(StrCat("value must be a scalar of dtype ", DTypeName(inputs[0].dtype),
                                ", got ", value.ToString()));
    }
  }
  TensorSpec spec = TensorSpec::UnknownRank(inputs[0].dtype);
  if (inputs[0].known_rank && plan.paddings.size()) {
    FASTPIPE_ASSIGN(spec.dims, PaddedDims(plan, inputs[0].dims, plan.paddings.Known(),
                                          !plan.paddings.IsStatic() || !inputs[0].fully_known()));
    spec.known_rank = true;
  } else if (inputs[0].known_rank) {
    spec = TensorSpec::Of(inputs[0].dtype, std::vector<int64_t>(inputs[0].dims.size(), -1));
  }
  return KernelPlan{{std::move(spec)}, KernelFrom([plan](KernelContext*, Inputs in, Outputs out) {
                      return Pad(plan, in, &out[0]);
                    })};
}

FASTPIPE_KERNEL("pad", PlanPad);

}  // namespace
}  // namespace fastpipe
