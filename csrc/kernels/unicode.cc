// unicode_decode(text): the code points of all strings in row-major order, int32; the row splits,
//   int64, one more than there are strings; where each starts in its string, in bytes, int64. With
//   `pieces` the characters themselves, as strings, in place of code points.
// unicode_encode(code_points, row_splits): one string a row.
// unicode_transcode(text): each string in another encoding.
//
// Attributes: input_encoding, output_encoding, errors, replacement_char,
// replace_control_characters.

#include <algorithm>

#include "core/registry.h"
#include "kernels/integers_argument.h"
#include "kernels/string_map.h"
#include "kernels/unicode_text.h"

namespace fastpipe {
namespace {

template <typename T, typename From>
void Give(const std::vector<From>& values, Output* out) {
  const int64_t count = static_cast<int64_t>(values.size());
  std::copy(values.begin(), values.end(), out->Allocate<T>(Dims(&count, 1)));
}

class Decode final : public Kernel {
 public:
  Decode(UnicodeEncoding encoding, MalformedText malformed, bool pieces)
      : encoding_(encoding), malformed_(std::move(malformed)), pieces_(pieces) {}

  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    const int64_t count = in[0]->num_elements();
    std::vector<int32_t> code_points;
    StringArrayBuilder pieces;
    std::vector<int64_t> row_splits{0};
    std::vector<int64_t> starts;
    std::string piece;
    for (int64_t i = 0; i < count; ++i) {
      const std::string_view text = in[0]->str(i);
      for (size_t at = 0; at < text.size();) {
        const Decoded decoded = DecodeFirst(encoding_, text.substr(at));
        FASTPIPE_ASSIGN(const std::optional<char32_t> taken, malformed_.Take(decoded));
        if (taken) {
          starts.push_back(static_cast<int64_t>(at));
          if (pieces_) {
            piece.clear();
            EncodeTo(encoding_, *taken, &piece);
            pieces.Append(piece);
          } else {
            code_points.push_back(static_cast<int32_t>(*taken));
          }
        }
        at += decoded.size;
      }
      row_splits.push_back(static_cast<int64_t>(starts.size()));
    }
    if (pieces_) {
      out[0].Set(pieces.Build());
    } else {
      Give<int32_t>(code_points, &out[0]);
    }
    Give<int64_t>(row_splits, &out[1]);
    Give<int64_t>(starts, &out[2]);
    return Status::Ok();
  }

 private:
  const UnicodeEncoding encoding_;
  const MalformedText malformed_;
  const bool pieces_;
};

Result<KernelPlan> PlanDecode(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  FASTPIPE_ASSIGN(const bool pieces, attrs.BoolOr("pieces", false));
  // The pieces are written in the encoding that they are read in.
  FASTPIPE_ASSIGN(const UnicodeEncoding encoding, ReadEncoding(attrs, "input_encoding", pieces));
  FASTPIPE_ASSIGN(MalformedText malformed, MalformedText::Read(attrs));
  const int64_t count = inputs[0].fully_known() ? NumElements(inputs[0].dims) : -1;
  return KernelPlan{{TensorSpec::Of(pieces ? DType::kString : DType::kInt32, {-1}),
                     TensorSpec::Of(DType::kInt64, {count < 0 ? -1 : count + 1}),
                     TensorSpec::Of(DType::kInt64, {-1})},
                    std::make_shared<const Decode>(encoding, std::move(malformed), pieces)};
}

Result<KernelPlan> PlanEncode(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kInt32));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 1, DType::kInt64));
  FASTPIPE_ASSIGN(const UnicodeEncoding encoding, ReadEncoding(attrs, "output_encoding", true));
  FASTPIPE_ASSIGN(MalformedText malformed, MalformedText::Read(attrs));
  const int64_t splits = inputs[1].fully_known() ? NumElements(inputs[1].dims) : -1;
  return KernelPlan{
      {TensorSpec::Of(DType::kString, {splits < 0 ? -1 : splits - 1})},
      KernelFrom([attrs, encoding, malformed](KernelContext*, Inputs in, Outputs out) {
        const std::vector<int64_t> splits = IntegersOf(*in[1]);
        StringArrayBuilder builder;
        std::string text;
        for (size_t row = 0; row + 1 < splits.size(); ++row) {
          if (splits[row] < 0 || splits[row + 1] < splits[row] ||
              splits[row + 1] > in[0]->num_elements()) {
            return attrs.Error(StrCat("row splits must be in order, got ", splits[row + 1],
                                      " after ", splits[row]));
          }
          text.clear();
          for (int64_t i = splits[row]; i < splits[row + 1]; ++i) {
            const int32_t code_point = in[0]->data<int32_t>()[i];
            FASTPIPE_ASSIGN(
                const std::optional<char32_t> taken,
                malformed.Take({static_cast<char32_t>(code_point), 4, IsScalarValue(code_point)}));
            if (taken) EncodeTo(encoding, *taken, &text);
          }
          builder.Append(text);
        }
        out[0].Set(builder.Build());
        return Status::Ok();
      })};
}

Result<KernelPlan> PlanTranscode(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(const UnicodeEncoding from, ReadEncoding(attrs, "input_encoding", false));
  FASTPIPE_ASSIGN(const UnicodeEncoding to, ReadEncoding(attrs, "output_encoding", true));
  FASTPIPE_ASSIGN(const MalformedText malformed, MalformedText::Read(attrs));
  return PlanStringMap(
      attrs, inputs, DType::kString, [from, to, malformed](const Tensor& input, Output* output) {
        return RewriteStrings(
            input, output, [&](std::string_view text, std::string* out) -> Status {
              while (!text.empty()) {
                const Decoded decoded = DecodeFirst(from, text);
                FASTPIPE_ASSIGN(const std::optional<char32_t> taken, malformed.Take(decoded));
                if (taken) EncodeTo(to, *taken, out);
                text.remove_prefix(decoded.size);
              }
              return Status::Ok();
            });
      });
}

FASTPIPE_KERNEL("unicode_decode", PlanDecode);
FASTPIPE_KERNEL("unicode_encode", PlanEncode);
FASTPIPE_KERNEL("unicode_transcode", PlanTranscode);

}  // namespace
}  // namespace fastpipe
