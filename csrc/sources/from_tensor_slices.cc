// from_tensor_slices(components): the rows of axis 0 of all components side by side. A row shares
// memory with its component.

#include "core/indexed.h"
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
  void Fill(int64_t index, Element* out) const {
    for (const Tensor& component : components_) out->push_back(component.Row(index));
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const std::vector<Tensor> components_;
  const int64_t size_;  // kUnknown while traced
};

std::unique_ptr<Iterator> FromTensorSlices::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<IndexedIterator<FromTensorSlices>>(*this, context);
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
