#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <numeric>
#include <string>
#include <vector>

#include "core/block.h"
#include "core/random.h"
#include "core/row_ring.h"
#include "core/select_rows.h"

namespace fastpipe {
namespace {

Tensor Numbers(int64_t first, int64_t count) {
  Tensor tensor = Tensor::Allocate(DType::kInt64, Dims(&count, 1));
  std::iota(tensor.mutable_data<int64_t>(), tensor.mutable_data<int64_t>() + count, first);
  return tensor;
}

Tensor Texts(const std::vector<std::string>& texts) {
  StringArrayBuilder builder;
  for (const std::string& text : texts) builder.Append(text);
  return builder.Build();
}

std::vector<int64_t> Values(const Tensor& tensor) {
  return {tensor.data<int64_t>(), tensor.data<int64_t>() + tensor.num_elements()};
}

std::vector<std::string> Strings(const Tensor& tensor) {
  std::vector<std::string> texts;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) texts.emplace_back(tensor.str(i));
  return texts;
}

Block BlockOfNumbers(int64_t first, int64_t count) {
  Block block;
  block.rows = count;
  block.columns.push_back(Numbers(first, count));
  return block;
}

TEST_CASE("tensor: rows of a numeric tensor share its memory unless they are few") {
  const Tensor tensor = Numbers(0, 10);
  const Tensor rows = tensor.Rows(3, 4);
  CHECK(Values(rows) == std::vector<int64_t>{3, 4, 5, 6});
  CHECK(rows.raw() == tensor.raw() + 24);
  const Tensor small = Numbers(5, 2);  // inline
  CHECK(Values(small.Rows(1, 1)) == std::vector<int64_t>{6});
  CHECK(Values(tensor.Rows(10, 0)).empty());
}

TEST_CASE("tensor: rows keep the other axes, however many there are") {
  const int64_t dims[] = {3, 1, 2, 1, 1};
  const Tensor deep = Numbers(0, 6).Reshaped(dims);
  const Tensor rows = deep.Rows(1, 2);
  CHECK(rows.rank() == 5);
  CHECK(rows.dim(0) == 2);
  CHECK(Values(rows) == std::vector<int64_t>{2, 3, 4, 5});
}

TEST_CASE("tensor: rows of strings are those strings") {
  const Tensor texts = Texts({"a", "", "a longer text than fits inline", "d"});
  CHECK(Strings(texts.Rows(1, 3)) ==
        std::vector<std::string>{"", "a longer text than fits inline", "d"});
  CHECK(Strings(texts.Rows(1, 3).Rows(2, 1)) == std::vector<std::string>{"d"});
}

TEST_CASE("block: one element is a block of one row") {
  Element element = {Tensor::Scalar<int64_t>(7), Tensor::String("text")};
  const Block block = BlockOf(element);
  CHECK(block.rows == 1);
  CHECK(Values(block.columns[0]) == std::vector<int64_t>{7});
  Element back;
  AppendRow(block, 0, &back);
  CHECK(back[0].scalar<int64_t>() == 7);
  CHECK(back[1].str() == "text");
}

TEST_CASE("block: parts are joined in their order") {
  std::vector<Block> parts = {BlockOfNumbers(0, 2), BlockOfNumbers(2, 3)};
  parts[0].columns.push_back(Texts({"a", "b"}));
  parts[1].columns.push_back(Texts({"c", "d", "e"}));
  Element joined;
  JoinBlocks(parts, &joined);
  CHECK(Values(joined[0]) == std::vector<int64_t>{0, 1, 2, 3, 4});
  CHECK(Strings(joined[1]) == std::vector<std::string>{"a", "b", "c", "d", "e"});
}

TEST_CASE("block: a single part is not copied unless its memory is shared") {
  const std::vector<Block> own = {BlockOfNumbers(0, 100)};
  Element joined;
  JoinBlocks(own, &joined);
  CHECK(joined[0].raw() == own[0].columns[0].raw());
  const Tensor whole = Numbers(0, 100);
  std::vector<Block> part(1);
  part[0].rows = 10;
  part[0].columns.push_back(whole.Rows(20, 10));
  joined.clear();
  JoinBlocks(part, &joined);
  CHECK(joined[0].raw() != part[0].columns[0].raw());
  CHECK(Values(joined[0]) == Values(part[0].columns[0]));
}

TEST_CASE("block: a value is repeated for each row") {
  CHECK(Values(RepeatedRow(Tensor::Scalar<int64_t>(3), 4)) == std::vector<int64_t>{3, 3, 3, 3});
  CHECK(Values(RepeatedRow(Numbers(1, 2), 2)) == std::vector<int64_t>{1, 2, 1, 2});
  CHECK(Strings(RepeatedRow(Tensor::String("x"), 2)) == std::vector<std::string>{"x", "x"});
}

TEST_CASE("select_rows: those that are kept, in their order, of any width") {
  const std::array<bool, 5> keep = {false, true, true, false, true};
  CHECK(Values(SelectRows(Numbers(0, 5), keep, 3)) == std::vector<int64_t>{1, 2, 4});
  const int64_t dims[] = {5, 3};
  CHECK(Values(SelectRows(Numbers(0, 15).Reshaped(dims), keep, 3)) ==
        std::vector<int64_t>{3, 4, 5, 6, 7, 8, 12, 13, 14});
  CHECK(Strings(SelectRows(Texts({"a", "b", "c", "d", "e"}), keep, 3)) ==
        std::vector<std::string>{"b", "c", "e"});
}

// What a RowRing must do, with a deque.
struct Model {
  std::deque<int64_t> rows;
  int64_t TakeOut(int64_t index) {
    const int64_t taken = rows[static_cast<size_t>(index)];
    rows[static_cast<size_t>(index)] = rows.front();
    rows.pop_front();
    return taken;
  }
};

TEST_CASE("row_ring: picks over rows that come in, and over what is left, are those of a deque") {
  const ElementSpec spec = {TensorSpec::Scalar(DType::kInt64), TensorSpec::Of(DType::kUint8, {3})};
  for (const int64_t capacity : {1, 2, 7, 64}) {
    RowRing ring(spec, capacity);
    Model model;
    const CounterRandom random(static_cast<uint64_t>(capacity), 0);
    uint64_t drawn = 0;
    int64_t next = 0;
    const auto block_of = [&](int64_t count) {
      Block block = BlockOfNumbers(next, count);
      const int64_t dims[] = {count, 3};
      Tensor bytes = Tensor::Allocate(DType::kUint8, dims);
      for (int64_t i = 0; i < 3 * count; ++i) {
        bytes.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(3 * next + i);
      }
      block.columns.push_back(std::move(bytes));
      next += count;
      return block;
    };
    const auto check = [](const Block& taken, const std::vector<int64_t>& expected) {
      CHECK(Values(taken.columns[0]) == expected);
      for (size_t i = 0; i < expected.size(); ++i) {
        CHECK(taken.columns[1].data<uint8_t>()[3 * i + 2] ==
              static_cast<uint8_t>(3 * expected[i] + 2));
      }
    };
    const int64_t held = capacity - 1;
    for (int64_t i = 0; i < held; ++i) model.rows.push_back(i);
    if (held > 0) ring.Append(block_of(held));
    for (const int64_t count : {1, 3, 50, 200}) {
      const Block incoming = block_of(count);
      std::vector<int64_t> picks;
      std::vector<int64_t> expected;
      for (int64_t i = 0; i < count; ++i) {
        picks.push_back(static_cast<int64_t>(random.At(drawn++) % static_cast<uint64_t>(capacity)));
        model.rows.push_back(Values(incoming.columns[0])[static_cast<size_t>(i)]);
        expected.push_back(model.TakeOut(picks.back()));
      }
      Block taken;
      ring.TakeOut(&incoming, picks, &taken);
      check(taken, expected);
    }
    while (ring.size() > 0) {
      const auto index =
          static_cast<int64_t>(random.At(drawn++) % static_cast<uint64_t>(ring.size()));
      Element taken;
      ring.TakeOut(index, &taken);
      CHECK(taken[0].scalar<int64_t>() == model.TakeOut(index));
    }
  }
}

TEST_CASE("row_ring: rows may be set before they have values") {
  RowRing ring({TensorSpec::Scalar(DType::kInt64)}, 10);
  ring.Resize(3);
  for (int64_t i : {2, 0, 1}) ring.Set(i, {Tensor::Scalar<int64_t>(10 * i)});
  ring.Append(Element{Tensor::Scalar<int64_t>(30)});
  CHECK(ring.size() == 4);
  Element taken;
  ring.TakeOut(3, &taken);
  CHECK(taken[0].scalar<int64_t>() == 30);
  taken.clear();
  ring.TakeOut(0, &taken);  // row 0 moved to where 3 was, and 1 is the first now
  CHECK(taken[0].scalar<int64_t>() == 10);
}

TEST_CASE("row_ring: fits numbers of known shapes that take few bytes") {
  CHECK(RowRing::Fits({TensorSpec::Scalar(DType::kFloat32), TensorSpec::Of(DType::kInt8, {16})}));
  CHECK_FALSE(RowRing::Fits({TensorSpec::Scalar(DType::kString)}));
  CHECK_FALSE(RowRing::Fits({TensorSpec::Of(DType::kInt8, {-1})}));
  CHECK_FALSE(RowRing::Fits({TensorSpec::Of(DType::kInt64, {1000})}));
  CHECK_FALSE(RowRing::Fits({}));
}

}  // namespace
}  // namespace fastpipe
