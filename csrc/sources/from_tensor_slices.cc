// from_tensor_slices(components, parts): the rows of axis 0 of all components side by side. A row
// shares memory with its component.

#include <algorithm>

#include "core/composite.h"
#include "core/indexed.h"
#include "core/registry.h"
#include "core/stack.h"
#include "runtime/context.h"

namespace fastpipe {
namespace {

// Passing on a row of more bytes costs nothing beside what is done with it.
constexpr int64_t kLargestRow = 16 << 10;

bool AreSmall(const ElementSpec& spec) {
  return std::all_of(spec.begin(), spec.end(), [](const TensorSpec& component) {
    if (component.dtype == DType::kString) return component.fully_known();
    const auto size = static_cast<int64_t>(DTypeSize(component.dtype));
    return component.fully_known() && size > 0 && NumElements(component.dims) <= kLargestRow / size;
  });
}

class FromTensorSlices final : public Dataset {
 public:
  // `tensors` is empty while a function is being traced and does not know them yet.
  FromTensorSlices(ElementSpec spec, Element tensors, Components components, int64_t size)
      : Dataset(std::move(spec), {}),
        tensors_(std::move(tensors)),
        components_(std::move(components)),
        gives_blocks_(AllTensors(components_) && AreSmall(this->spec()) && size >= 0),
        size_(size) {}

  int64_t Cardinality() const override { return size_; }
  void Fill(int64_t index, Element* out) const { AppendRow(tensors_, components_, index, out); }
  bool GivesBlocks(const RunOptions& options) const override {
    return options.fusion && gives_blocks_;
  }
  int64_t FillBlock(int64_t first, int64_t count, Element* columns) const {
    for (const Tensor& tensor : tensors_) columns->push_back(tensor.Rows(first, count));
    return count;
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const Element tensors_;
  const Components components_;
  const bool gives_blocks_;
  const int64_t size_;  // kUnknown while traced
};

std::unique_ptr<Iterator> FromTensorSlices::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<IndexedIterator<FromTensorSlices>>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeFromTensorSlices(const Args& args, std::vector<DatasetRef>) {
  FASTPIPE_ASSIGN(ElementSpec spec, args.TensorSpecs("components"));
  FASTPIPE_ASSIGN(const std::vector<Tensor> given, args.Tensors("components"));
  if (spec.empty()) return args.Error("components must hold at least one tensor, got none");
  int64_t rows = 0;
  FASTPIPE_ASSIGN(Components components, ReadComponents(args, spec));
  Status status = UnstackSpec(components, &spec, &rows);
  Element tensors;
  for (const Tensor& tensor : given) tensors.push_back(tensor);
  if (status.ok() && !tensors.empty()) status = CountRows(tensors, components, &rows);
  if (!status.ok()) return args.Error(status.message());
  return std::make_shared<FromTensorSlices>(std::move(spec), std::move(tensors),
                                            std::move(components), rows < 0 ? kUnknown : rows);
}

FASTPIPE_OP("from_tensor_slices", MakeFromTensorSlices);

}  // namespace
}  // namespace fastpipe
