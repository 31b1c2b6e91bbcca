#include <doctest/doctest.h>

#include "core/row_space.h"
#include "core/stack.h"

namespace fastpipe {
namespace {

const int64_t kRow = 2048;
const Dims kDims(&kRow, 1);

Element ElementOf(Tensor tensor) {
  Element element;
  element.push_back(std::move(tensor));
  return element;
}

// Rows with numbers `first` ... as the batch gets them, filled with their number.
std::vector<Element> RowsFrom(RowSpace* space, int64_t first, int64_t count) {
  std::vector<Element> rows;
  for (int64_t number = first; number < first + count; ++number) {
    std::optional<Tensor> row = space->Claim(number, 0, DType::kUint8, kDims);
    REQUIRE(row.has_value());
    std::fill_n(row->mutable_raw(), kRow, static_cast<uint8_t>(number));
    rows.push_back(ElementOf(std::move(*row)));
  }
  return rows;
}

void CheckBatch(const std::vector<Element>& rows, int64_t first, bool copied) {
  Tensor batch;
  REQUIRE(StackComponent(rows, 0, &batch).ok());
  CHECK(batch.dim(0) == static_cast<int64_t>(rows.size()));
  for (size_t i = 0; i < rows.size(); ++i) {
    CHECK(batch.raw()[i * kRow] == static_cast<uint8_t>(first + static_cast<int64_t>(i)));
    CHECK(batch.raw()[(i + 1) * kRow - 1] == batch.raw()[i * kRow]);
  }
  CHECK((batch.raw() != rows[0][0].raw()) == copied);
}

TEST_CASE("row space: the rows of a batch are the batch, without a copy") {
  RowSpace space(4);
  const auto rows = RowsFrom(&space, 0, 8);
  CheckBatch({rows.begin(), rows.begin() + 4}, 0, /*copied=*/false);
  CheckBatch({rows.begin() + 4, rows.end()}, 4, /*copied=*/false);
}

TEST_CASE("row space: a batch that was made shares its memory with nobody") {
  RowSpace space(4);
  auto rows = RowsFrom(&space, 0, 4);
  Element batch;
  REQUIRE(StackElements(rows, &batch).ok());
  space.NextBatchFrom(4);
  rows.clear();
  CHECK(batch[0].buffer().unique());
}

TEST_CASE("row space: rows that an error shifted are copied, and later ones lie right again") {
  RowSpace space(4);
  auto rows = RowsFrom(&space, 0, 5);
  rows.erase(rows.begin() + 1);
  Tensor batch;
  REQUIRE(StackComponent(rows, 0, &batch).ok());
  CHECK(batch.raw()[kRow] == 2);
  CHECK(batch.raw()[3 * kRow] == 4);
  space.NextBatchFrom(5);
  CheckBatch(RowsFrom(&space, 5, 4), 5, /*copied=*/false);
  // Row 4 belongs to what has been taken already.
  CHECK_FALSE(space.Claim(4, 0, DType::kUint8, kDims).has_value());
}

TEST_CASE("row space: the last, short batch does not keep the memory of a full one") {
  RowSpace space(4);
  CheckBatch(RowsFrom(&space, 0, 3), 0, /*copied=*/false);
  CheckBatch(RowsFrom(&space, 4, 2), 4, /*copied=*/true);
}

TEST_CASE("row space: small rows, other shapes and huge batches are allocated by themselves") {
  RowSpace space(4);
  const int64_t small = 16;
  CHECK_FALSE(space.Claim(0, 0, DType::kUint8, Dims(&small, 1)).has_value());
  const int64_t none[] = {4096, 0};
  CHECK_FALSE(space.Claim(0, 0, DType::kUint8, none).has_value());
  const int64_t huge[] = {int64_t{1} << 40, int64_t{1} << 40};
  CHECK_FALSE(space.Claim(0, 0, DType::kFloat32, huge).has_value());
  REQUIRE(space.Claim(0, 0, DType::kUint8, kDims).has_value());
  const int64_t other = kRow + 1;
  CHECK_FALSE(space.Claim(1, 0, DType::kUint8, Dims(&other, 1)).has_value());
  CHECK_FALSE(space.Claim(1, 0, DType::kInt8, kDims).has_value());
}

TEST_CASE("row space: components have memory of their own") {
  RowSpace space(2);
  const auto first = space.Claim(0, 0, DType::kUint8, kDims);
  const auto second = space.Claim(0, 1, DType::kUint8, kDims);
  REQUIRE(first.has_value());
  REQUIRE(second.has_value());
  CHECK(first->buffer().get() != second->buffer().get());
}

TEST_CASE("stack: rows of a much larger buffer are copied, so as not to keep it alive") {
  const int64_t many[] = {64, kRow};
  const Tensor large = Tensor::Allocate(DType::kUint8, many);
  const std::vector<Element> rows = {ElementOf(large.Row(3)), ElementOf(large.Row(4))};
  Tensor batch;
  REQUIRE(StackComponent(rows, 0, &batch).ok());
  CHECK(batch.buffer().get() != large.buffer().get());
}

}  // namespace
}  // namespace fastpipe
