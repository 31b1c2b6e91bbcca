#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/element.h"
#include "core/tensor.h"

namespace fastpipe {
namespace {

using Shape = std::vector<int64_t>;

TEST_CASE("tensor: the struct is at most 64 bytes") { CHECK(sizeof(Tensor) <= 64); }

TEST_CASE("tensor: a scalar needs no buffer") {
  const int64_t before = BufferPool::Get().live_bytes();
  Tensor number = Tensor::Scalar(int64_t{-7});
  CHECK(number.scalar<int64_t>() == -7);
  CHECK(number.rank() == 0);
  CHECK_FALSE(number.buffer());
  CHECK(BufferPool::Get().live_bytes() == before);
}

TEST_CASE("tensor: a copy shares the buffer and outlives the original") {
  Tensor copy;
  {
    Tensor original = Tensor::Allocate(DType::kFloat32, Shape{100});
    for (int i = 0; i < 100; ++i) original.mutable_data<float>()[i] = static_cast<float>(i);
    copy = original;
    CHECK(copy.raw() == original.raw());
  }
  CHECK(copy.data<float>()[99] == 99.0f);
}

TEST_CASE("tensor: ranks above four keep their shape through copies and moves") {
  Tensor tensor = Tensor::Allocate(DType::kUint8, Shape{1, 2, 1, 3, 1, 2});
  Tensor copy = tensor;
  Tensor moved = std::move(tensor);
  copy = moved;
  CHECK(ShapeString(copy.dims()) == "[1, 2, 1, 3, 1, 2]");
  CHECK(copy.Reshaped(Shape{12}).dim(0) == 12);
  CHECK(ShapeString(moved.Row(0).dims()) == "[2, 1, 3, 1, 2]");
}

TEST_CASE("tensor: short and long strings keep their bytes, NUL included") {
  for (const std::string& text : {std::string(), std::string("a\0b", 3), std::string(16, 'x'),
                                  std::string(17, 'y'), std::string(5000, 'z')}) {
    Tensor tensor = Tensor::String(text);
    Tensor copy = tensor;
    CHECK(copy.str() == text);
    CHECK(copy.num_bytes() == text.size());
  }
}

TEST_CASE("tensor: a string view keeps its buffer, however short, and a short slice does not") {
  const BufferRef buffer = BufferPool::Get().Allocate(100);
  const std::string_view text(reinterpret_cast<const char*>(buffer->data()), 3);
  const Tensor view = Tensor::StringView(buffer, text);
  CHECK(view.str().data() == text.data());
  CHECK(view.buffer().get() == buffer.get());
  CHECK(Tensor::StringView(buffer, text.substr(3)).str().empty());
  CHECK_FALSE(Tensor::StringSlice(buffer, text).buffer());
}

TEST_CASE("tensor: rows of a string array are its strings") {
  StringArrayBuilder builder;
  builder.Append("first");
  builder.Append("");
  builder.Append("a string that is longer than sixteen bytes");
  builder.Append("last");
  const Tensor array = builder.Build(Shape{2, 2});
  CHECK(array.num_bytes() == 51);
  const Tensor second = array.Row(1);
  CHECK(second.dim(0) == 2);
  CHECK(second.Row(0).str() == "a string that is longer than sixteen bytes");
  CHECK(second.str(1) == "last");
  CHECK(array.Row(0).Row(1).str().empty());
}

TEST_CASE("tensor: rows of a numeric tensor share its memory when they are large") {
  Tensor tensor = Tensor::Allocate(DType::kInt32, Shape{3, 8});
  for (int i = 0; i < 24; ++i) tensor.mutable_data<int32_t>()[i] = i;
  CHECK(tensor.Row(2).data<int32_t>()[7] == 23);
  CHECK(tensor.Row(1).raw() == tensor.raw() + 32);
}

TEST_CASE("half: every value survives the way through float") {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<uint16_t>(bits)};
    const float value = ToFloat(half);
    if (std::isnan(value)) {
      CHECK(std::isnan(ToFloat(ToHalf(value))));
    } else {
      REQUIRE(ToHalf(value).bits == half.bits);
    }
  }
}

TEST_CASE("half: rounds to nearest even and overflows to infinity") {
  CHECK(ToFloat(ToHalf(2049.0f)) == 2048.0f);
  CHECK(ToFloat(ToHalf(2051.0f)) == 2052.0f);
  CHECK(std::isinf(ToFloat(ToHalf(65520.0f))));
  CHECK(ToFloat(ToHalf(65519.0f)) == 65504.0f);
  CHECK(ToFloat(ToBfloat16(1.00390625f)) == 1.0f);
}

TEST_CASE("spec: accepts what it says and nothing else") {
  const TensorSpec spec = TensorSpec::Of(DType::kInt64, {-1, 3});
  CHECK(spec.Accepts(TensorSpec::Of(DType::kInt64, {5, 3})));
  CHECK_FALSE(spec.Accepts(TensorSpec::Of(DType::kInt64, {5, 4})));
  CHECK_FALSE(spec.Accepts(TensorSpec::Of(DType::kInt32, {5, 3})));
  CHECK_FALSE(spec.Accepts(TensorSpec::UnknownRank(DType::kInt64)));
  CHECK(TensorSpec::UnknownRank(DType::kInt64).Accepts(spec));
  CHECK(Union(spec, TensorSpec::Of(DType::kInt64, {2, 4})).ToString() == "int64 [?, ?]");
}

TEST_CASE("element: grows beyond its inline room and keeps its tensors") {
  Element element;
  for (int64_t i = 0; i < 9; ++i) element.push_back(Tensor::Scalar(i));
  Element moved = std::move(element);
  Element copy = moved;
  CHECK(element.empty());
  CHECK(copy.size() == 9);
  CHECK(copy[8].scalar<int64_t>() == 8);
  copy = Element{Tensor::Scalar(int64_t{1})};
  CHECK(copy.size() == 1);
}

TEST_CASE("buffer pool: gives the same memory again") {
  uint8_t* first = nullptr;
  {
    BufferRef buffer = BufferPool::Get().Allocate(1 << 20);
    first = buffer->data();
    CHECK(reinterpret_cast<uintptr_t>(first) % 64 == 0);
  }
  CHECK(BufferPool::Get().Allocate(1 << 20)->data() == first);
  BufferPool::Get().Trim();
  CHECK(BufferPool::Get().idle_bytes() == 0);
}

TEST_CASE("buffer pool: memory that is used again comes from no file") {
  constexpr size_t kSize = 700'000;
  BufferRef first = BufferPool::Get().Allocate(kSize);
  CHECK(first->origin().path == nullptr);
  first->set_origin({std::make_shared<const std::string>("a.tfrecord"), 57});
  CHECK(first->origin().offset == 57);
  const uint8_t* data = first->data();
  first = {};
  const BufferRef second = BufferPool::Get().Allocate(kSize);
  CHECK(second->data() == data);
  CHECK(second->origin().path == nullptr);
  CHECK(second->origin().offset == Origin::kWholeFile);
}

TEST_CASE("buffer pool: a class never holds less than was asked for") {
  for (size_t size = 1; size < (1 << 22); size = size * 5 / 4 + 1) {
    REQUIRE(BufferPool::Get().Allocate(size)->capacity() >= size);
  }
}

}  // namespace
}  // namespace fastpipe
