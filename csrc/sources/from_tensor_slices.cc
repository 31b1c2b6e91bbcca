// from_tensor_slices(components): the rows of axis 0 of all components side by side. A row shares
// memory with its component.

#include <algorithm>

#include "core/registry.h"
#include "core/stack.h"

namespace fastpipe {
namespace {

class FromTensorSlices final : public Dataset {
 public:
  // `components` is empty while a function is being traced and does not know them yet.
  FromTensorSlices(ElementSpec spec, std::vector<Tensor> components, int64_t size)
      : Dataset(std::move(spec), {}), components_(std::move(components)), size_(size) {}

  int64_t Cardinality() const override { return size_; }
  const std::vector<Tensor>& components() const { return components_; }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const std::vector<Tensor> components_;
  const int64_t size_;  // kUnknown while traced
};

class FromTensorSlicesIterator final : public IteratorOf<FromTensorSlices> {
 public:
  using IteratorOf::IteratorOf;

 private:
  Status Produce(Element* out) override {
    if (next_ == op().Cardinality()) return Status::EndOfSequence();
    for (const Tensor& component : op().components()) out->push_back(component.Row(next_));
    ++next_;
    return Status::Ok();
  }
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    const int64_t step = std::min(count, op().Cardinality() - next_);
    next_ += step;
    *skipped += step;
    return step == count ? Status::Ok() : Status::EndOfSequence();
  }
  Status SavePosition(PositionWriter* writer) override {
    writer->PutInt(next_);
    return Status::Ok();
  }
  Status RestorePosition(PositionReader* reader) override {
    next_ = reader->GetCount(op().Cardinality());
    return Status::Ok();
  }

  int64_t next_ = 0;
};

std::unique_ptr<Iterator> FromTensorSlices::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<FromTensorSlicesIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeFromTensorSlices(const Args& args, std::vector<DatasetRef>) {
  FASTPIPE_ASSIGN(ElementSpec spec, args.TensorSpecs("components"));
  FASTPIPE_ASSIGN(std::vector<Tensor> components, args.Tensors("components"));
  if (spec.empty()) return args.Error("components must hold at least one tensor, got none");
  int64_t rows = 0;
  const Status status = UnstackSpec(&spec, &rows);
  if (!status.ok()) return args.Error(status.message());
  return std::make_shared<FromTensorSlices>(std::move(spec), std::move(components),
                                            rows < 0 ? kUnknown : rows);
}

FASTPIPE_OP("from_tensor_slices", MakeFromTensorSlices);

}  // namespace
}  // namespace fastpipe
