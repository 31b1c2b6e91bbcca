// string_ngrams(texts, row_splits): the runs of `widths` neighbouring strings of each row, joined
// by `separator`, and their row splits.
//
// Attributes: widths (all runs of the first width of a row come first), left_pad and right_pad with
// pad_width (how many stand at each side; -1: one less than the run), preserve_short (a row that is
// too short for any run gives one of all its strings).

#include <algorithm>

#include "core/registry.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

class Ngrams final : public Kernel {
 public:
  static Result<KernelPlan> Plan(const Args& attrs, Specs inputs);

  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    const std::vector<int64_t> splits = IntegersOf(*in[1]);
    StringArrayBuilder runs;
    std::vector<int64_t> ends{0};
    for (size_t row = 0; row + 1 < splits.size(); ++row) {
      if (splits[row] < 0 || splits[row + 1] < splits[row] ||
          splits[row + 1] > in[0]->num_elements()) {
        return attrs_.Error(
            StrCat("row splits must be in order, got ", splits[row + 1], " after ", splits[row]));
      }
      AppendRow(*in[0], splits[row], splits[row + 1] - splits[row], &runs);
      ends.push_back(runs.size());
    }
    out[0].Set(runs.Build());
    const int64_t count = static_cast<int64_t>(ends.size());
    std::copy(ends.begin(), ends.end(), out[1].Allocate<int64_t>(Dims(&count, 1)));
    return Status::Ok();
  }

 private:
  int64_t PadFor(int64_t width) const {
    return pad_width_ < 0 ? width - 1 : std::min(pad_width_, width - 1);
  }

  void AppendRow(const Tensor& texts, int64_t start, int64_t size, StringArrayBuilder* runs) const {
    const int64_t before = runs->size();
    for (int64_t width : widths_) {
      const int64_t pad = PadFor(width);
      for (int64_t first = -pad; first + width <= size + pad; ++first) {
        AppendRun(texts, start, size, first, width, runs);
      }
    }
    if (!preserve_short_ || runs->size() != before || size == 0) return;
    const int64_t pad = pad_width_ < 0 ? 0 : pad_width_;
    AppendRun(texts, start, size, -pad, size + 2 * pad, runs);
  }

  // The run of `width` strings from position `first` of the padded row on.
  void AppendRun(const Tensor& texts, int64_t start, int64_t size, int64_t first, int64_t width,
                 StringArrayBuilder* runs) const {
    std::string text;
    for (int64_t i = first; i < first + width; ++i) {
      if (i > first) text += separator_;
      text += i < 0       ? std::string_view(left_)
              : i >= size ? std::string_view(right_)
                          : texts.str(start + i);
    }
    runs->Append(text);
  }

  Args attrs_;
  std::vector<int64_t> widths_;
  std::string separator_;
  std::string left_;
  std::string right_;
  int64_t pad_width_ = 0;
  bool preserve_short_ = false;
};

Result<KernelPlan> Ngrams::Plan(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 1, DType::kInt64));
  auto kernel = std::make_shared<Ngrams>();
  kernel->attrs_ = attrs;
  FASTPIPE_ASSIGN(kernel->widths_, attrs.Ints("widths"));
  for (int64_t width : kernel->widths_) {
    if (width < 1) return attrs.Error(StrCat("widths must be >= 1, got ", width));
  }
  FASTPIPE_ASSIGN(kernel->separator_, attrs.StringOr("separator", " "));
  FASTPIPE_ASSIGN(kernel->left_, attrs.StringOr("left_pad", ""));
  FASTPIPE_ASSIGN(kernel->right_, attrs.StringOr("right_pad", ""));
  FASTPIPE_ASSIGN(kernel->pad_width_, attrs.IntOr("pad_width", 0, {.min = -1}));
  FASTPIPE_ASSIGN(kernel->preserve_short_, attrs.BoolOr("preserve_short", false));
  return KernelPlan{{TensorSpec::Of(DType::kString, {-1}), inputs[1]}, std::move(kernel)};
}

FASTPIPE_KERNEL("string_ngrams", Ngrams::Plan);

}  // namespace
}  // namespace fastpipe
