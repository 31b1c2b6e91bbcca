#include <doctest/doctest.h>

#include <string>

#include "ops/tensor_position.h"

namespace fastpipe {
namespace {

std::string Put(const Tensor& tensor) {
  PositionWriter writer;
  PutTensor(tensor, &writer);
  return writer.bytes();
}

Status Get(const std::string& bytes, const TensorSpec& spec, Tensor* tensor) {
  PositionReader reader(bytes);
  return GetTensor(&reader, spec, tensor);
}

TEST_CASE("tensor position: what is put is got") {
  StringArrayBuilder texts;
  for (const char* text : {"a", "", "longer than what lies inline"}) texts.Append(text);
  Tensor tensor;
  REQUIRE(Get(Put(texts.Build()), TensorSpec::Of(DType::kString, {3}), &tensor).ok());
  CHECK(tensor.str(2) == "longer than what lies inline");
  REQUIRE(Get(Put(Tensor::Scalar(2.5)), TensorSpec::UnknownRank(DType::kFloat64), &tensor).ok());
  CHECK(tensor.scalar<double>() == 2.5);
  REQUIRE(Get(Put(Tensor::Scalar(true)), TensorSpec::Scalar(DType::kBool), &tensor).ok());
  CHECK(tensor.scalar<bool>());
}

TEST_CASE("tensor position: a tensor of another dtype or shape is data loss") {
  Tensor tensor;
  const std::string number = Put(Tensor::Scalar<int64_t>(7));
  for (const TensorSpec& spec :
       {TensorSpec::Scalar(DType::kInt32), TensorSpec::Scalar(DType::kString),
        TensorSpec::Of(DType::kInt64, {1}), TensorSpec::Of(DType::kInt64, {-1})}) {
    CHECK(Get(number, spec, &tensor).code() == Code::kDataLoss);
  }
}

TEST_CASE("tensor position: a byte that is no bool is data loss") {
  std::string bytes = Put(Tensor::Scalar(true));
  REQUIRE(bytes.back() == 1);
  bytes.back() = 2;
  Tensor tensor;
  CHECK(Get(bytes, TensorSpec::Scalar(DType::kBool), &tensor).code() == Code::kDataLoss);
}

TEST_CASE("tensor position: cut anywhere it is data loss") {
  StringArrayBuilder texts;
  for (const char* text : {"one", "two"}) texts.Append(text);
  for (const Tensor& whole : {texts.Build(), Tensor::Scalar<int32_t>(9)}) {
    const std::string bytes = Put(whole);
    for (size_t size = 0; size < bytes.size(); ++size) {
      Tensor tensor;
      const TensorSpec spec = TensorSpec::UnknownRank(whole.dtype());
      CHECK(Get(bytes.substr(0, size), spec, &tensor).code() == Code::kDataLoss);
    }
  }
}

}  // namespace
}  // namespace fastpipe
