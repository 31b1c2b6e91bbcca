// The kernels that parse messages and text: parse_example and its kin, and decode_csv. What is
// parsed alone must come out as in a batch of one.

#include <string>
#include <vector>

#include "../../target.h"
#include "api.h"

namespace fastpipe::fuzz {
namespace {

Value Text(const char* text) { return Value{std::string(text)}; }
Value Number(int64_t number) { return Value{number}; }

Value FeatureOf(const char* name, const char* kind, const char* dtype, ValueList shape = {},
                Value fallback = {}) {
  return Value{ValueList{Text(name), Text(kind), Text(dtype), Value{std::move(shape)},
                         std::move(fallback), Text("int64"), Value{true}}};
}

Tensor Words() {
  StringArrayBuilder words;
  words.Append("x");
  return words.Build();
}

ValueList ExampleFeatures() {
  return {FeatureOf("a", "fixed", "int64"),
          FeatureOf("b", "fixed", "float32", {Number(2)}),
          FeatureOf("c", "fixed", "string", {}, Value{Tensor::String("none")}),
          FeatureOf("a", "sparse", "int64"),
          FeatureOf("d", "sparse", "string"),
          FeatureOf("e", "sequence", "float32", {Number(2)}, Value{Tensor::Scalar(1.5f)}),
          FeatureOf("f", "ragged", "int64")};
}

ValueList ListFeatures() {
  return {FeatureOf("g", "sequence", "int64", {}, Value{Tensor::Scalar(int64_t{7})}),
          FeatureOf("h", "sparse", "float32"), FeatureOf("i", "ragged", "string")};
}

Tensor BatchOfOne(std::string_view text) {
  StringArrayBuilder batch;
  batch.Append(text);
  return batch.Build();
}

Status Run(const Args& attrs, Tensor input, std::vector<Tensor>* outputs) {
  const Status status = api::RunKernel(attrs, {std::move(input)}, outputs);
  CheckError(status, {Code::kInvalidArgument, Code::kResourceExhausted, Code::kDataLoss});
  return status;
}

size_t ValuesOf(const std::vector<Tensor>& tensors) {
  size_t bytes = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.is_string()) bytes += tensor.num_bytes();
  }
  return bytes;
}

// `single` on the text, `batched` on a batch of it: both fail or none, with as much text.
void RunBoth(const Args& single, const Args& batched, std::string_view text) {
  std::vector<Tensor> alone;
  std::vector<Tensor> in_batch;
  const Status status = Run(single, Tensor::String(text), &alone);
  const Status also = Run(batched, BatchOfOne(text), &in_batch);
  Check(status.ok() == also.ok(),
        StrCat("alone or in a batch: ", status.ToString(), " or ", also.ToString()));
  if (status.ok()) Check(ValuesOf(alone) == ValuesOf(in_batch), "the texts are the same");
}

void FuzzExample(std::string_view bytes) {
  const Value features{ExampleFeatures()};
  RunBoth(Args("parse_single_example", {{"features", features}}),
          Args("parse_example", {{"features", features}}), bytes);
  const Value lists{ListFeatures()};
  RunBoth(Args("parse_single_sequence_example", {{"context", features}, {"lists", lists}}),
          Args("parse_sequence_example", {{"context", features}, {"lists", lists}}), bytes);
}

void FuzzCsv(std::string_view bytes) {
  Choices choices(bytes);
  const auto none = [](DType dtype) {
    const int64_t zero = 0;
    return dtype == DType::kString ? StringArrayBuilder().Build()
                                   : Tensor::Allocate(dtype, Dims(&zero, 1));
  };
  const int64_t one = 1;
  Tensor fallback = Tensor::Allocate(DType::kFloat32, Dims(&one, 1));
  *fallback.mutable_data<float>() = 0.5f;
  const ValueList defaults = {Value{none(DType::kInt32)}, Value{none(DType::kInt64)},
                              Value{fallback}, Value{none(DType::kFloat64)}, Value{Words()}};
  Args args("decode_csv", {{"record_defaults", Value{defaults}}});
  args.Set("use_quote_delim", Value{!choices.Flag()});
  args.Set("na_value", Text(choices.Flag() ? "NA" : ""));
  RunBoth(args, args, choices.rest());
}

FASTPIPE_FUZZ_TARGET("parse_example", FuzzExample);
FASTPIPE_FUZZ_TARGET("decode_csv", FuzzCsv);

}  // namespace
}  // namespace fastpipe::fuzz
