#include "ops/tensor_position.h"

#include "core/bools.h"

namespace fastpipe {
namespace {

Status Damaged() { return DataLoss("the saved iterator position is damaged"); }

}  // namespace

void PutTensor(const Tensor& tensor, PositionWriter* writer) {
  writer->PutInt(static_cast<int64_t>(tensor.dtype()));
  writer->PutInt(tensor.rank());
  for (int64_t dim : tensor.dims()) writer->PutInt(dim);
  if (!tensor.is_string()) {
    writer->PutBytes({reinterpret_cast<const char*>(tensor.raw()), tensor.num_bytes()});
    return;
  }
  for (int64_t i = 0; i < tensor.num_elements(); ++i) writer->PutBytes(tensor.str(i));
}

Status GetTensor(PositionReader* reader, const TensorSpec& spec, Tensor* tensor) {
  const auto dtype = static_cast<DType>(reader->GetCount(static_cast<int64_t>(DType::kString)));
  std::vector<int64_t> dims(static_cast<size_t>(reader->GetCount(kMaxRank)));
  int64_t count = 1;
  for (int64_t& dim : dims) {
    dim = reader->GetCount();
    if (__builtin_mul_overflow(count, dim, &count)) return Damaged();
  }
  FASTPIPE_RETURN_IF_ERROR(reader->status());
  if (!spec.Accepts(TensorSpec::Of(dtype, dims))) return Damaged();
  if (dtype == DType::kString) {
    // Each string takes a byte at least, so a damaged count cannot ask for more than there is.
    if (static_cast<uint64_t>(count) > reader->remaining()) return Damaged();
    StringArrayBuilder builder(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) builder.Append(reader->GetBytes());
    *tensor = builder.Build(dims);
    return reader->status();
  }
  const std::string_view bytes = reader->GetBytes();
  FASTPIPE_RETURN_IF_ERROR(reader->status());
  const size_t size = DTypeSize(dtype);
  if (size == 0 || bytes.size() % size != 0 || bytes.size() / size != static_cast<size_t>(count)) {
    return Damaged();
  }
  if (dtype == DType::kBool && !AreBools(bytes)) return Damaged();
  *tensor = Tensor::Allocate(dtype, dims);
  if (!bytes.empty()) std::memcpy(tensor->mutable_raw(), bytes.data(), bytes.size());
  return Status::Ok();
}

}  // namespace fastpipe
