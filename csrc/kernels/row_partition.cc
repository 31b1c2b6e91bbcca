// row_splits(partition, [rows], count): where each of the rows begins that `count` values are split
// into, and where the last ends: integers of the partition's dtype, from 0 to `count`.
//
// Attribute kind says what the partition is: "splits" (checked only), "lengths", "starts",
// "limits", "rowids" (the row of each value, ascending) or "uniform" (one length). `rows` is the
// number of rows, for "rowids" and "uniform" only. value_rowids(row_splits): the row of each value.

#include <algorithm>
#include <array>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

using Splits = std::vector<int64_t>;

// Where an error is found, and how many values and rows there must be; rows -1: not given.
struct Extent {
  const Args& attrs;
  int64_t count;
  int64_t rows;
};

Status ExpectSplits(const Extent& extent, const char* what, const Splits& splits) {
  if (splits.empty() || splits.front() != 0) {
    return extent.attrs.Error(
        StrCat(what, " must begin with 0, got ",
               splits.empty() ? std::string("none") : std::to_string(splits.front())));
  }
  const auto falls = std::adjacent_find(splits.begin(), splits.end(), std::greater<>());
  if (falls != splits.end()) {
    return extent.attrs.Error(
        StrCat(what, " must not decrease, got ", falls[1], " after ", falls[0]));
  }
  if (splits.back() != extent.count) {
    return extent.attrs.Error(StrCat(what, " must make rows of all ", extent.count,
                                     " values, got rows of ", splits.back()));
  }
  return Status::Ok();
}

Result<Splits> FromSplits(const Extent& extent, Splits given) {
  FASTPIPE_RETURN_IF_ERROR(ExpectSplits(extent, "row_splits", given));
  return given;
}

Result<Splits> FromLengths(const Extent& extent, Splits given) {
  Splits splits{0};
  for (const int64_t length : given) {
    if (length < 0 || length > extent.count - splits.back()) {
      return extent.attrs.Error(StrCat("row_lengths must be >= 0 and sum up to the ", extent.count,
                                       " values, got ", length, " after ", splits.back()));
    }
    splits.push_back(splits.back() + length);
  }
  FASTPIPE_RETURN_IF_ERROR(ExpectSplits(extent, "row_lengths", splits));
  return splits;
}

Result<Splits> FromStarts(const Extent& extent, Splits given) {
  if (given.empty() && extent.count == 0) return Splits{0};
  given.push_back(extent.count);
  FASTPIPE_RETURN_IF_ERROR(ExpectSplits(extent, "row_starts", given));
  return given;
}

Result<Splits> FromLimits(const Extent& extent, Splits given) {
  given.insert(given.begin(), 0);
  FASTPIPE_RETURN_IF_ERROR(ExpectSplits(extent, "row_limits", given));
  return given;
}

Result<Splits> FromRowIds(const Extent& extent, Splits given) {
  if (static_cast<int64_t>(given.size()) != extent.count) {
    return extent.attrs.Error(StrCat("value_rowids must name the row of each of the ", extent.count,
                                     " values, got ", given.size()));
  }
  if (!std::is_sorted(given.begin(), given.end()) || (!given.empty() && given[0] < 0)) {
    return extent.attrs.Error("value_rowids must be >= 0 and must not decrease");
  }
  const int64_t used = given.empty() ? 0 : given.back() + 1;
  const int64_t rows = extent.rows < 0 ? used : extent.rows;
  if (rows < used) {
    return extent.attrs.Error(
        StrCat("value_rowids must be less than nrows, ", rows, ", got ", used - 1));
  }
  const int64_t dims[1] = {rows + 1};
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(extent.attrs.owner(), dims));
  Splits splits(static_cast<size_t>(rows) + 1, 0);
  for (const int64_t id : given) ++splits[static_cast<size_t>(id) + 1];
  for (size_t i = 1; i < splits.size(); ++i) splits[i] += splits[i - 1];
  return splits;
}

Result<Splits> FromUniform(const Extent& extent, Splits given) {
  const int64_t length = given[0];
  if (length < 0)
    return extent.attrs.Error(StrCat("uniform_row_length must be >= 0, got ", length));
  if (length == 0 ? extent.count > 0 : extent.count % length != 0) {
    return extent.attrs.Error(StrCat("uniform_row_length must divide the number of values, got ",
                                     length, " for ", extent.count));
  }
  const int64_t made = length == 0 ? std::max<int64_t>(extent.rows, 0) : extent.count / length;
  if (extent.rows >= 0 && made != extent.rows) {
    return extent.attrs.Error(StrCat("nrows must be ", made, " for ", extent.count,
                                     " values in rows of ", length, ", got ", extent.rows));
  }
  const int64_t dims[1] = {made + 1};
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(extent.attrs.owner(), dims));
  Splits splits;
  for (int64_t i = 0; i <= made; ++i) splits.push_back(i * length);
  return splits;
}

struct Partition {
  const char* kind;
  int rank;
  int64_t extra;  // splits there are beyond the entries of the partition; -1: depends on values
  Result<Splits> (*make)(const Extent&, Splits);
};

constexpr std::array<Partition, 6> kPartitions = {{
    {"splits", 1, 0, FromSplits},
    {"lengths", 1, 1, FromLengths},
    {"starts", 1, 1, FromStarts},
    {"limits", 1, 1, FromLimits},
    {"rowids", 1, -1, FromRowIds},
    {"uniform", 0, -1, FromUniform},
}};

Tensor Vector(DType dtype, const Splits& values) {
  const int64_t size = static_cast<int64_t>(values.size());
  Tensor tensor = Tensor::Allocate(dtype, Dims(&size, 1));
  if (dtype == DType::kInt32) {
    std::copy(values.begin(), values.end(), tensor.mutable_data<int32_t>());
  } else {
    std::copy(values.begin(), values.end(), tensor.mutable_data<int64_t>());
  }
  return tensor;
}

Status ExpectPartition(const Args& attrs, const TensorSpec& spec, int rank) {
  const bool integer = spec.dtype == DType::kInt32 || spec.dtype == DType::kInt64;
  if (integer && (!spec.known_rank || spec.rank() == rank)) return Status::Ok();
  return attrs.Error(StrCat("a row partition must be int32 or int64 ",
                            rank == 0 ? "scalar" : "vector", ", got ", spec.ToString()));
}

Result<KernelPlan> PlanRowSplits(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(const std::string kind, attrs.String("kind"));
  const auto found = std::find_if(kPartitions.begin(), kPartitions.end(),
                                  [&](const Partition& each) { return each.kind == kind; });
  if (found == kPartitions.end())
    return attrs.Error(StrCat("there is no row partition '", kind, "'"));
  if (inputs.size() != 3) FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectPartition(attrs, inputs[0], found->rank));
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (!IsInteger(inputs[i].dtype) || inputs[i].rank() > 0) {
      return attrs.Error(StrCat("sizes must be integers, got ", inputs[i].ToString()));
    }
  }
  const DType dtype = inputs[0].dtype;
  int64_t size = -1;
  if (found->extra >= 0 && inputs[0].known_rank && inputs[0].dims[0] >= 0) {
    size = inputs[0].dims[0] + found->extra;
  }
  return KernelPlan{
      {TensorSpec::Of(dtype, {size})},
      KernelFrom([attrs, partition = *found](KernelContext*, Inputs in, Outputs out) {
        FASTPIPE_RETURN_IF_ERROR(ExpectPartition(attrs, TensorSpec::Of(*in[0]), partition.rank));
        const int64_t rows = in.size() == 3 ? in[1]->AsInt64() : -1;
        if (in.size() == 3 && rows < 0)
          return attrs.Error(StrCat("nrows must be >= 0, got ", rows));
        const Extent extent{attrs, in.back()->AsInt64(), rows};
        FASTPIPE_ASSIGN(const Splits splits, partition.make(extent, IntegersOf(*in[0])));
        out[0].Set(Vector(in[0]->dtype(), splits));
        return Status::Ok();
      })};
}

Result<KernelPlan> PlanValueRowIds(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectPartition(attrs, inputs[0], 1));
  return KernelPlan{{TensorSpec::Of(inputs[0].dtype, {-1})},
                    KernelFrom([attrs](KernelContext*, Inputs in, Outputs out) {
                      const Splits splits = IntegersOf(*in[0]);
                      const Extent extent{attrs, splits.empty() ? 0 : splits.back(), -1};
                      FASTPIPE_RETURN_IF_ERROR(ExpectSplits(extent, "row_splits", splits));
                      Splits ids;
                      for (size_t row = 0; row + 1 < splits.size(); ++row) {
                        ids.insert(ids.end(), static_cast<size_t>(splits[row + 1] - splits[row]),
                                   static_cast<int64_t>(row));
                      }
                      out[0].Set(Vector(in[0]->dtype(), ids));
                      return Status::Ok();
                    })};
}

FASTPIPE_KERNEL("row_splits", PlanRowSplits);
FASTPIPE_KERNEL("value_rowids", PlanValueRowIds);

}  // namespace
}  // namespace fastpipe
