#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/stack.h"

namespace fastpipe {
namespace {

template <typename T>
Tensor Vector(const std::vector<T>& values) {
  const std::vector<int64_t> dims = {static_cast<int64_t>(values.size())};
  Tensor tensor = Tensor::Allocate(DTypeOf<T>(), dims);
  std::copy(values.begin(), values.end(), tensor.mutable_data<T>());
  return tensor;
}

Tensor Strings(const std::vector<std::string>& values) {
  StringArrayBuilder builder(values.size());
  for (const std::string& value : values) builder.Append(value);
  return builder.Build();
}

template <typename T>
std::vector<T> Values(const Tensor& tensor) {
  return {tensor.data<T>(), tensor.data<T>() + tensor.num_elements()};
}

std::vector<std::string> Texts(const Tensor& tensor) {
  std::vector<std::string> texts;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) texts.emplace_back(tensor.str(i));
  return texts;
}

std::vector<int64_t> Shape(const Tensor& tensor) {
  return {tensor.dims().begin(), tensor.dims().end()};
}

TEST_CASE_TEMPLATE("stack: scalars of every width", T, int8_t, int16_t, int32_t, int64_t, double) {
  std::vector<Element> rows;
  for (T value = 0; value < 5; ++value) rows.push_back({Tensor::Scalar(value)});
  Element out;
  REQUIRE(StackElements(rows, &out).ok());
  CHECK(out[0].dtype() == DTypeOf<T>());
  CHECK(Shape(out[0]) == std::vector<int64_t>{5});
  CHECK(Values<T>(out[0]) == std::vector<T>{0, 1, 2, 3, 4});
}

TEST_CASE("stack: rows get a new first axis, each component its own") {
  const std::vector<Element> rows = {{Vector<int32_t>({1, 2, 3}), Tensor::Scalar(1.5)},
                                     {Vector<int32_t>({4, 5, 6}), Tensor::Scalar(2.5)}};
  Element out;
  REQUIRE(StackElements(rows, &out).ok());
  REQUIRE(out.size() == 2);
  CHECK(Shape(out[0]) == std::vector<int64_t>{2, 3});
  CHECK(Values<int32_t>(out[0]) == std::vector<int32_t>{1, 2, 3, 4, 5, 6});
  CHECK(Values<double>(out[1]) == std::vector<double>{1.5, 2.5});
}

TEST_CASE("stack: empty rows") {
  const std::vector<Element> rows(3, Element{Vector<float>({})});
  Element out;
  REQUIRE(StackElements(rows, &out).ok());
  CHECK(Shape(out[0]) == std::vector<int64_t>{3, 0});
}

TEST_CASE("stack: strings, short, long, empty and with NUL") {
  const std::vector<std::string> texts = {"a", std::string(100, 'b'), "", std::string("c\0d", 3)};
  std::vector<Element> rows;
  for (const std::string& text : texts) rows.push_back({Tensor::String(text)});
  Element out;
  REQUIRE(StackElements(rows, &out).ok());
  CHECK(Shape(out[0]) == std::vector<int64_t>{4});
  CHECK(Texts(out[0]) == texts);
}

TEST_CASE("stack: arrays of strings, and rows of a stacked one") {
  const std::vector<Element> rows = {{Strings({"a", "bb"})}, {Strings({"", "dddd"})}};
  Element out;
  REQUIRE(StackElements(rows, &out).ok());
  CHECK(Shape(out[0]) == std::vector<int64_t>{2, 2});
  CHECK(Texts(out[0]) == std::vector<std::string>{"a", "bb", "", "dddd"});
  CHECK(Texts(out[0].Row(1)) == std::vector<std::string>{"", "dddd"});
}

TEST_CASE("stack: a shape that does not fit is named with its component and its place") {
  const std::vector<Element> rows = {{Tensor::Scalar(1), Vector<int32_t>({1, 2})},
                                     {Tensor::Scalar(1), Vector<int32_t>({1, 2})},
                                     {Tensor::Scalar(1), Vector<int32_t>({1, 2, 3})}};
  Element out;
  const Status status = StackElements(rows, &out);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message().find("component 1") != std::string::npos);
  CHECK(status.message().find("[2]") != std::string::npos);
  CHECK(status.message().find("[3]") != std::string::npos);
  CHECK(status.message().find("element 2") != std::string::npos);
}

TEST_CASE("stack: a scalar among vectors does not fit") {
  const std::vector<Element> rows = {{Vector<int32_t>({1})}, {Tensor::Scalar<int32_t>(1)}};
  Element out;
  CHECK(StackElements(rows, &out).code() == Code::kInvalidArgument);
}

TEST_CASE("stack: the spec has the new axis where the rank is known") {
  const ElementSpec spec = {TensorSpec::Of(DType::kInt32, {3, -1}),
                            TensorSpec::UnknownRank(DType::kString)};
  const ElementSpec stacked = StackedSpec(spec, 8);
  CHECK(stacked[0] == TensorSpec::Of(DType::kInt32, {8, 3, -1}));
  CHECK(stacked[1] == spec[1]);
}

TEST_CASE("unstack: the spec loses its row axis and tells the number of rows") {
  ElementSpec spec = {TensorSpec::Of(DType::kInt32, {-1, 3}), TensorSpec::Of(DType::kString, {4}),
                      TensorSpec::UnknownRank(DType::kBool)};
  int64_t rows = 0;
  REQUIRE(UnstackSpec(&spec, &rows).ok());
  CHECK(rows == 4);
  CHECK(spec[0] == TensorSpec::Of(DType::kInt32, {3}));
  CHECK(spec[1] == TensorSpec::Scalar(DType::kString));
}

TEST_CASE("unstack: scalars and unequal rows are refused") {
  int64_t rows = 0;
  ElementSpec scalar = {TensorSpec::Scalar(DType::kInt32)};
  CHECK(UnstackSpec(&scalar, &rows).code() == Code::kInvalidArgument);
  ElementSpec unequal = {TensorSpec::Of(DType::kInt32, {2}), TensorSpec::Of(DType::kInt32, {3})};
  const Status status = UnstackSpec(&unequal, &rows);
  CHECK(status.message().find("component 0 has 2, component 1 has 3") != std::string::npos);
  CHECK(CountRows({Vector<int32_t>({1}), Vector<int32_t>({1, 2})}, &rows).code() ==
        Code::kInvalidArgument);
  REQUIRE(CountRows({Vector<int32_t>({1, 2}), Strings({"a", "b"})}, &rows).ok());
  CHECK(rows == 2);
}

}  // namespace
}  // namespace fastpipe
