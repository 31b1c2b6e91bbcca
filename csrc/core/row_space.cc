#include "core/row_space.h"

#include <algorithm>

namespace fastpipe {
namespace {

// A row below this is copied sooner than a lock is taken.
constexpr size_t kSmallestRow = 1024;
constexpr int64_t kLargestBatch = 256 << 20;

}  // namespace

void RowSpace::NextBatchFrom(int64_t number) {
  MutexLock lock(mutex_);
  origin_ = number;
  std::erase_if(batches_, [&](const Batch& batch) { return batch.first + rows_ <= number; });
}

std::optional<Tensor> RowSpace::Claim(int64_t number, size_t component, DType dtype, Dims dims) {
  if (dims.empty()) return std::nullopt;  // soon, for a million scalars a second
  const int64_t values = NumElements(dims);
  const size_t size = DTypeSize(dtype);
  if (values > kLargestBatch / static_cast<int64_t>(size) / rows_) return std::nullopt;
  const size_t bytes = static_cast<size_t>(values) * size;
  if (bytes < kSmallestRow || dims.size() + 1 > kMaxRank) return std::nullopt;
  MutexLock lock(mutex_);
  // Of a batch that has been made already.
  if (number < origin_) return std::nullopt;
  const int64_t first = number - (number - origin_) % rows_;
  auto batch = std::find_if(batches_.begin(), batches_.end(),
                            [first](const Batch& each) { return each.first == first; });
  if (batch == batches_.end()) batch = batches_.insert(batch, {first, {}});
  if (batch->components.size() <= component) batch->components.resize(component + 1);
  Tensor& stacked = batch->components[component];
  if (stacked.dtype() == DType::kInvalid) {
    std::vector<int64_t> all = {rows_};
    all.insert(all.end(), dims.begin(), dims.end());
    stacked = Tensor::Allocate(dtype, all);
  }
  const Dims rows = stacked.dims().subspan(1);
  if (stacked.dtype() != dtype || !std::equal(rows.begin(), rows.end(), dims.begin(), dims.end())) {
    return std::nullopt;
  }
  return stacked.Row(number - first);
}

}  // namespace fastpipe
