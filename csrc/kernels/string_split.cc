// string_split(text): the pieces of each string, as Python's str.split has them.
//
// Attributes: sep (None or "": runs of ASCII white space), maxsplit (<= -1: no limit), ragged. Not
// ragged, the text is a scalar and the one result its pieces. Ragged, the results are the pieces of
// all strings in row-major order and the int64 row splits, one more than there are strings.

#include <algorithm>
#include <vector>

#include "core/registry.h"
#include "io/text.h"

namespace fastpipe {
namespace {

void SplitAtSpace(std::string_view text, int64_t maxsplit, StringArrayBuilder* pieces) {
  const auto drop_space = [&text] {
    while (!text.empty() && IsAsciiSpace(text.front())) text.remove_prefix(1);
  };
  drop_space();
  for (int64_t splits = 0; !text.empty();) {
    const auto end = std::find_if(text.begin(), text.end(), IsAsciiSpace);
    const size_t size = static_cast<size_t>(end - text.begin());
    pieces->Append(text.substr(0, size));
    text.remove_prefix(size);
    drop_space();
    if (++splits == maxsplit) {
      pieces->Append(text);  // what is left, even nothing: as TensorFlow
      return;
    }
  }
}

void SplitAtSeparator(std::string_view text, std::string_view separator, int64_t maxsplit,
                      StringArrayBuilder* pieces) {
  for (int64_t splits = 0; splits != maxsplit; ++splits) {
    const size_t at = text.find(separator);
    if (at == std::string_view::npos) break;
    pieces->Append(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  pieces->Append(text);
}

class Split final : public Kernel {
 public:
  Split(std::string separator, int64_t maxsplit, bool ragged)
      : separator_(std::move(separator)), maxsplit_(maxsplit), ragged_(ragged) {}

  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    const Tensor& input = *in[0];
    if (!ragged_ && input.rank() != 0) {
      return InvalidArgument(
          StrCat("string_split: the text must be a scalar, got shape ", ShapeString(input.dims())));
    }
    const int64_t count = input.num_elements();
    StringArrayBuilder pieces(static_cast<size_t>(count));
    std::vector<int64_t> row_splits{0};
    for (int64_t i = 0; i < count; ++i) {
      Append(input.str(i), &pieces);
      row_splits.push_back(pieces.size());
    }
    out[0].Set(pieces.Build());
    if (ragged_) {
      const int64_t size = count + 1;
      std::copy(row_splits.begin(), row_splits.end(), out[1].Allocate<int64_t>(Dims(&size, 1)));
    }
    return Status::Ok();
  }

 private:
  void Append(std::string_view text, StringArrayBuilder* pieces) const {
    if (maxsplit_ == 0) {
      pieces->Append(text);
    } else if (separator_.empty()) {
      SplitAtSpace(text, maxsplit_, pieces);
    } else {
      SplitAtSeparator(text, separator_, maxsplit_, pieces);
    }
  }

  const std::string separator_;
  const int64_t maxsplit_;
  const bool ragged_;
};

Result<KernelPlan> PlanSplit(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  FASTPIPE_ASSIGN(std::string separator, attrs.StringOr("sep", ""));
  FASTPIPE_ASSIGN(const int64_t maxsplit, attrs.IntOr("maxsplit", -1));
  FASTPIPE_ASSIGN(const bool ragged, attrs.BoolOr("ragged", false));
  const TensorSpec& text = inputs[0];
  std::vector<TensorSpec> outputs{TensorSpec::Of(DType::kString, {-1})};
  if (ragged) {
    const int64_t count = text.fully_known() ? NumElements(text.dims) : -1;
    outputs.push_back(TensorSpec::Of(DType::kInt64, {count < 0 ? -1 : count + 1}));
  } else if (text.known_rank && text.rank() != 0) {
    return attrs.Error(StrCat("the text must be a scalar, got ", text.ToString()));
  }
  return KernelPlan{
      std::move(outputs),
      std::make_shared<const Split>(std::move(separator), std::max<int64_t>(maxsplit, -1), ragged)};
}

FASTPIPE_KERNEL("string_split", PlanSplit);

}  // namespace
}  // namespace fastpipe
