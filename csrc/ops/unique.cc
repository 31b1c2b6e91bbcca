// unique(): the first of equal elements. Remembers every value it has seen.

#include <unordered_set>

#include "core/registry.h"
#include "ops/replayed_input.h"

namespace fastpipe {
namespace {

class Unique final : public Dataset {
 public:
  explicit Unique(DatasetRef input) : Dataset(input->spec(), {input}) {}
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;
};

// Bytes that are equal for equal tensors only.
std::string KeyOf(const Tensor& tensor) {
  std::string key;
  if (tensor.rank() > 0) {
    const Dims dims = tensor.dims();
    key.append(reinterpret_cast<const char*>(dims.data()), dims.size_bytes());
    key.push_back(static_cast<char>(tensor.rank()));
  }
  if (!tensor.is_string()) {
    key.append(reinterpret_cast<const char*>(tensor.raw()), tensor.num_bytes());
  } else if (tensor.rank() == 0) {
    key = tensor.str();
  } else {
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      key += StrCat(tensor.str(i).size(), ":", tensor.str(i));
    }
  }
  return key;
}

class UniqueIterator final : public IteratorOf<Unique> {
 public:
  UniqueIterator(const Unique& op, const IteratorContext& context)
      : IteratorOf(op, context), input_(op.inputs().front()->MakeIterator(context)) {}

 private:
  Status Produce(Element* out) override {
    while (true) {
      FASTPIPE_RETURN_IF_ERROR(input_.Next(out));
      if (seen_.insert(KeyOf((*out)[0])).second) return Status::Ok();
    }
  }
  Status SavePosition(PositionWriter* writer) override { return input_.Save(writer); }
  // The values seen are not part of the position: they are read again from the beginning.
  Status RestorePosition(PositionReader* reader) override {
    int64_t again = 0;
    FASTPIPE_RETURN_IF_ERROR(input_.Restore(reader, &again));
    Element element;
    for (int64_t i = 0; i < again; ++i) {
      Status status = input_.Next(&element);
      if (status.ok()) seen_.insert(KeyOf(element[0]));
      if (status.code() == Code::kCancelled) return status;
      if (status.end_of_sequence()) break;
    }
    return Status::Ok();
  }

  ReplayedInput input_;
  std::unordered_set<std::string> seen_;
};

std::unique_ptr<Iterator> Unique::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<UniqueIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeUnique(const Args& args, std::vector<DatasetRef> inputs) {
  const ElementSpec& spec = inputs[0]->spec();
  if (spec.size() != 1) {
    return args.Error(StrCat("expects elements of one component, got ", spec.size()));
  }
  if (spec[0].dtype == DType::kDataset) return args.Error("expects tensors, got a dataset");
  return std::make_shared<Unique>(inputs[0]);
}

FASTPIPE_OP("unique", MakeUnique);

}  // namespace
}  // namespace fastpipe
