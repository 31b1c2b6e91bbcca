#include "kernels/broadcast.h"

#include <algorithm>

namespace fastpipe {
namespace {

constexpr int64_t kAny = -1;

// What an axis of size `a` and one of size `b` become; false if they cannot agree. Unknown beside a
// known size other than 1 is that size, or fails when the kernel runs.
bool Merge(int64_t a, int64_t b, int64_t* merged) {
  if (a == 1 || a == b) {
    *merged = b;
  } else if (b == 1) {
    *merged = a;
  } else if (a == kAny || b == kAny) {
    *merged = std::max(a, b);
  } else {
    return false;
  }
  return true;
}

// Merges `dims` into `result`, which grows to the greater rank.
bool MergeAll(Dims dims, std::vector<int64_t>* result) {
  if (dims.size() > result->size())
    result->insert(result->begin(), dims.size() - result->size(), 1);
  int64_t* aligned = result->data() + (result->size() - dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!Merge(aligned[i], dims[i], &aligned[i])) return false;
  }
  return true;
}

}  // namespace

Result<TensorSpec> BroadcastSpecs(const Args& attrs, Specs inputs, DType dtype) {
  TensorSpec result = TensorSpec::Scalar(dtype);
  for (const TensorSpec& input : inputs) {
    if (!input.known_rank) return TensorSpec::UnknownRank(dtype);
  }
  for (const TensorSpec& input : inputs) {
    if (MergeAll(input.dims, &result.dims)) continue;
    std::string shapes;
    for (const TensorSpec& each : inputs) {
      shapes += (shapes.empty() ? "" : " and ") + ShapeString(each.dims);
    }
    return attrs.Error(StrCat("shapes must be equal or broadcast to each other, got ", shapes));
  }
  return result;
}

Result<std::vector<int64_t>> BroadcastDims(std::string_view owner, Inputs inputs) {
  std::vector<int64_t> result;
  for (const Tensor* input : inputs) {
    if (MergeAll(input->dims(), &result)) continue;
    std::string shapes;
    for (const Tensor* each : inputs) {
      shapes += (shapes.empty() ? "" : " and ") + ShapeString(each->dims());
    }
    return InvalidArgument(
        StrCat(owner, ": shapes must be equal or broadcast to each other, got ", shapes));
  }
  return result;
}

StridedLoop BroadcastLoop(Dims result, std::initializer_list<Dims> operands) {
  std::array<std::vector<int64_t>, StridedLoop::kOperands> strides;
  size_t count = 0;
  for (Dims dims : operands) strides[count++] = RowMajorStrides(dims);
  StridedLoop loop(result.size());
  for (size_t axis = 0; axis < result.size(); ++axis) {
    StridedLoop::Axis added{result[axis], {}};
    size_t index = 0;
    for (Dims dims : operands) {
      const size_t missing = result.size() - dims.size();
      if (axis >= missing && dims[axis - missing] != 1) {
        added.strides[index] = strides[index][axis - missing];
      }
      ++index;
    }
    loop.AddAxis(added);
  }
  return loop;
}

}  // namespace fastpipe
