#include <doctest/doctest.h>

#include "io/element_bytes.h"

namespace fastpipe {
namespace {

Tensor Numbers(std::vector<int64_t> dims) {
  Tensor tensor = Tensor::Allocate(DType::kInt32, dims);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    tensor.mutable_data<int32_t>()[i] = static_cast<int32_t>(i);
  }
  return tensor;
}

Tensor Texts() {
  StringArrayBuilder builder;
  for (const char* text : {"a", "", "longer than what lies inline"}) builder.Append(text);
  return builder.Build();
}

// The bytes in a buffer, as a reader has them.
struct Bytes {
  explicit Bytes(const std::string& text) : buffer(BufferPool::Get().Allocate(text.size() + 1)) {
    std::memcpy(buffer->data(), text.data(), text.size());
    view = {reinterpret_cast<const char*>(buffer->data()), text.size()};
  }
  BufferRef buffer;
  std::string_view view;
};

TEST_CASE("element bytes: what is appended is parsed") {
  const Element element{Tensor::Scalar<int64_t>(7), Numbers({30, 20}), Texts()};
  const ElementSpec known{TensorSpec::Scalar(DType::kInt64),
                          TensorSpec::Of(DType::kInt32, {30, 20}),
                          TensorSpec::Of(DType::kString, {3})};
  const ElementSpec open{TensorSpec::UnknownRank(DType::kInt64),
                         TensorSpec::Of(DType::kInt32, {-1, 20}),
                         TensorSpec::UnknownRank(DType::kString)};
  for (const ElementSpec& spec : {known, open}) {
    std::string text;
    REQUIRE(AppendElement(element, spec, &text).ok());
    const Bytes bytes(text);
    Element parsed;
    REQUIRE(ParseElement(bytes.view, bytes.buffer, spec, &parsed).ok());
    REQUIRE(parsed.size() == 3);
    CHECK(parsed[0].scalar<int64_t>() == 7);
    CHECK(ShapeString(parsed[1].dims()) == "[30, 20]");
    CHECK(parsed[1].data<int32_t>()[599] == 599);
    CHECK(reinterpret_cast<uintptr_t>(parsed[1].raw()) % 64 == 0);
    CHECK(parsed[2].str(2) == "longer than what lies inline");
  }
}

TEST_CASE("element bytes: an element of another shape is refused") {
  std::string text;
  const ElementSpec spec{TensorSpec::Of(DType::kInt32, {3})};
  CHECK(AppendElement({Numbers({4})}, spec, &text).code() == Code::kInvalidArgument);
}

TEST_CASE("element bytes: bytes of an element of another shape are data loss") {
  std::string text;
  REQUIRE(AppendElement({Numbers({3, 4})}, {TensorSpec::UnknownRank(DType::kInt32)}, &text).ok());
  const auto parse = [&](std::vector<int64_t> dims) {
    const Bytes bytes(text);
    Element parsed;
    return ParseElement(bytes.view, bytes.buffer, {TensorSpec::Of(DType::kInt32, std::move(dims))},
                        &parsed)
        .code();
  };
  for (const auto& dims : std::vector<std::vector<int64_t>>{{-1, 4}, {3, -1}, {-1, -1}}) {
    CHECK(parse(dims) == Code::kOk);
  }
  for (const auto& dims : std::vector<std::vector<int64_t>>{{-1}, {-1, 5}, {2, -1}, {-1, -1, -1}}) {
    CHECK(parse(dims) == Code::kDataLoss);
  }
}

TEST_CASE("element bytes: a byte that is no bool is data loss") {
  const ElementSpec spec{TensorSpec::Of(DType::kBool, {3})};
  const std::vector<std::string> texts = {std::string("\0\1\1", 3), std::string("\0\1\2", 3)};
  for (const std::string& text : texts) {
    const Bytes bytes(text);
    Element parsed;
    CHECK(ParseElement(bytes.view, bytes.buffer, spec, &parsed).ok() == (text.back() == 1));
  }
}

TEST_CASE("element bytes: cut or changed bytes are data loss, or an element, and never more") {
  const Element element{Numbers({5}), Texts(), Tensor::String(std::string(2000, 'x'))};
  const ElementSpec spec{TensorSpec::UnknownRank(DType::kInt32),
                         TensorSpec::UnknownRank(DType::kString),
                         TensorSpec::UnknownRank(DType::kString)};
  std::string text;
  REQUIRE(AppendElement(element, spec, &text).ok());
  for (size_t size = 0; size < text.size(); ++size) {
    const Bytes bytes(text.substr(0, size));
    Element parsed;
    CHECK(ParseElement(bytes.view, bytes.buffer, spec, &parsed).code() == Code::kDataLoss);
  }
  for (size_t place = 0; place < 60; ++place) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = text;
      changed[place] = static_cast<char>(changed[place] ^ (1 << bit));
      const Bytes bytes(changed);
      Element parsed;
      const Status status = ParseElement(bytes.view, bytes.buffer, spec, &parsed);
      CHECK((status.ok() || status.code() == Code::kDataLoss));
    }
  }
}

}  // namespace
}  // namespace fastpipe
