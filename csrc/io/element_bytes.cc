#include "io/element_bytes.h"

#include "core/bools.h"
#include "core/position.h"

namespace fastpipe {
namespace {

// Values of 1 KiB and more lie where vector instructions like them.
constexpr size_t kLarge = 1024;
constexpr size_t kLargeAlignment = 64;

size_t PaddingBefore(DType dtype, size_t bytes, size_t at) {
  const size_t alignment = bytes >= kLarge ? kLargeAlignment : DTypeSize(dtype);
  return (alignment - at % alignment) % alignment;
}

void AppendTensor(const Tensor& tensor, const TensorSpec& spec, size_t begin, std::string* out) {
  PositionWriter numbers;
  if (!spec.fully_known()) {
    numbers.PutInt(tensor.rank());
    for (int64_t dim : tensor.dims()) numbers.PutInt(dim);
  }
  if (!tensor.is_string()) {
    out->append(numbers.bytes());
    const size_t bytes = tensor.num_bytes();
    out->append(PaddingBefore(tensor.dtype(), bytes, out->size() - begin), '\0');
    out->append(reinterpret_cast<const char*>(tensor.raw()), bytes);
    return;
  }
  const int64_t count = tensor.num_elements();
  for (int64_t i = 0; i < count; ++i) {
    numbers.PutInt(static_cast<int64_t>(tensor.str(i).size()));
  }
  out->append(numbers.bytes());
  for (int64_t i = 0; i < count; ++i) out->append(tensor.str(i));
}

Status Damaged() { return DataLoss("the bytes are not those of an element"); }

// Reads the components of one element.
class Parser {
 public:
  Parser(std::string_view bytes, const BufferRef& buffer) : bytes_(bytes), buffer_(buffer) {}

  Status Parse(const TensorSpec& spec, Tensor* tensor) {
    std::vector<int64_t> dims = spec.dims;
    if (!spec.fully_known()) FASTPIPE_RETURN_IF_ERROR(ParseDims(spec, &dims));
    int64_t count = 1;
    for (int64_t dim : dims) {
      if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) return Damaged();
    }
    if (spec.dtype == DType::kString) return ParseStrings(dims, count, tensor);
    uint64_t size = 0;
    if (__builtin_mul_overflow(static_cast<uint64_t>(count), DTypeSize(spec.dtype), &size)) {
      return Damaged();
    }
    const size_t padding = PaddingBefore(spec.dtype, size, at_);
    if (padding > left() || size > left() - padding) return Damaged();
    at_ += padding;
    const std::string_view values = Take(size);
    if (spec.dtype == DType::kBool && !AreBools(values)) return Damaged();
    if (size >= kLarge) {
      auto* data = reinterpret_cast<uint8_t*>(const_cast<char*>(values.data()));
      *tensor = Tensor::View(spec.dtype, dims, buffer_, data);
      return Status::Ok();
    }
    // Small ones are copied, so that they do not keep a whole block.
    *tensor = Tensor::Allocate(spec.dtype, dims);
    if (size > 0) std::memcpy(tensor->mutable_raw(), values.data(), size);
    return Status::Ok();
  }

  bool at_end() const { return left() == 0; }

 private:
  size_t left() const { return bytes_.size() - at_; }
  std::string_view Take(size_t size) {
    const std::string_view taken = bytes_.substr(at_, size);
    at_ += size;
    return taken;
  }
  Result<int64_t> TakeCount(int64_t limit) {
    PositionReader reader(bytes_.substr(at_));
    const int64_t value = reader.GetCount(limit);
    if (!reader.status().ok()) return Damaged();
    at_ = bytes_.size() - reader.remaining();
    return value;
  }
  Status ParseDims(const TensorSpec& spec, std::vector<int64_t>* dims) {
    FASTPIPE_ASSIGN(const int64_t rank, TakeCount(kMaxRank));
    dims->resize(static_cast<size_t>(rank));
    for (int64_t& dim : *dims) {
      FASTPIPE_ASSIGN(dim, TakeCount(INT64_MAX));
    }
    return spec.Accepts(TensorSpec::Of(spec.dtype, *dims)) ? Status::Ok() : Damaged();
  }
  Status ParseStrings(Dims dims, int64_t count, Tensor* tensor) {
    if (static_cast<uint64_t>(count) > left()) return Damaged();
    std::vector<size_t> sizes(static_cast<size_t>(count));
    for (size_t& size : sizes) {
      FASTPIPE_ASSIGN(size, TakeCount(static_cast<int64_t>(bytes_.size())));
    }
    StringArrayBuilder builder(sizes.size());
    for (size_t size : sizes) {
      if (size > left()) return Damaged();
      const std::string_view text = Take(size);
      if (dims.empty() && size >= kLarge) {
        *tensor = Tensor::StringSlice(buffer_, text);
        return Status::Ok();
      }
      builder.Append(text);
    }
    *tensor = builder.Build(dims);
    return Status::Ok();
  }

  const std::string_view bytes_;
  const BufferRef& buffer_;
  size_t at_ = 0;
};

}  // namespace

Status AppendElement(const Element& element, const ElementSpec& spec, std::string* out) {
  const size_t begin = out->size();
  for (size_t i = 0; i < spec.size(); ++i) {
    if (!spec[i].Accepts(element[i])) {
      return InvalidArgument(StrCat("component ", i, " of an element has shape ",
                                    ShapeString(element[i].dims()), ", the dataset said ",
                                    spec[i].ToString()));
    }
    AppendTensor(element[i], spec[i], begin, out);
  }
  return Status::Ok();
}

Status ParseElement(std::string_view bytes, const BufferRef& buffer, const ElementSpec& spec,
                    Element* out) {
  Parser parser(bytes, buffer);
  for (const TensorSpec& component : spec) {
    Tensor tensor;
    FASTPIPE_RETURN_IF_ERROR(parser.Parse(component, &tensor));
    out->push_back(std::move(tensor));
  }
  return parser.at_end() ? Status::Ok() : Damaged();
}

}  // namespace fastpipe
