// from_tensors(components): one element, the components as they are.

#include "core/registry.h"

namespace fastpipe {
namespace {

class FromTensors final : public Dataset {
 public:
  // `components` is empty while a function is being traced and does not know them yet.
  FromTensors(ElementSpec spec, const std::vector<Tensor>& components)
      : Dataset(std::move(spec), {}) {
    for (const Tensor& component : components) element_.push_back(component);
  }

  int64_t Cardinality() const override { return 1; }
  const Element& element() const { return element_; }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  Element element_;
};

class FromTensorsIterator final : public IteratorOf<FromTensors> {
 public:
  using IteratorOf::IteratorOf;

 private:
  Status Produce(Element* out) override {
    if (delivered_) return Status::EndOfSequence();
    delivered_ = true;
    *out = op().element();
    return Status::Ok();
  }
  Status SavePosition(PositionWriter* writer) override {
    writer->PutInt(delivered_ ? 1 : 0);
    return Status::Ok();
  }
  Status RestorePosition(PositionReader* reader) override {
    delivered_ = reader->GetCount(1) == 1;
    return Status::Ok();
  }

  bool delivered_ = false;
};

std::unique_ptr<Iterator> FromTensors::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<FromTensorsIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeFromTensors(const Args& args, std::vector<DatasetRef>) {
  FASTPIPE_ASSIGN(ElementSpec spec, args.TensorSpecs("components"));
  FASTPIPE_ASSIGN(const std::vector<Tensor> components, args.Tensors("components"));
  return std::make_shared<FromTensors>(std::move(spec), components);
}

FASTPIPE_OP("from_tensors", MakeFromTensors);

}  // namespace
}  // namespace fastpipe
