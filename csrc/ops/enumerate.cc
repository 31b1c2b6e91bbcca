// enumerate(start): puts the number of the element, an int64, before its components.

#include "core/registry.h"

namespace fastpipe {
namespace {

ElementSpec NumberedSpec(const ElementSpec& spec) {
  ElementSpec numbered = {TensorSpec::Scalar(DType::kInt64)};
  numbered.insert(numbered.end(), spec.begin(), spec.end());
  return numbered;
}

class Enumerate final : public Dataset {
 public:
  Enumerate(DatasetRef input, int64_t start)
      : Dataset(NumberedSpec(input->spec()), {input}), start_(start) {}
  int64_t start() const { return start_; }
  int64_t Cardinality() const override { return input()->Cardinality(); }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const int64_t start_;
};

class EnumerateIterator final : public UnaryIterator<Enumerate> {
 public:
  EnumerateIterator(const Enumerate& op, const IteratorContext& context)
      : UnaryIterator(op, context), number_(op.start()) {}

 private:
  Status Produce(Element* out) override {
    FASTPIPE_RETURN_IF_ERROR(input_->Next(&in_));
    out->push_back(Tensor::Scalar(number_));
    // Unsigned, so that the number after the last may wrap.
    number_ = static_cast<int64_t>(static_cast<uint64_t>(number_) + 1);
    for (Tensor& tensor : in_) out->push_back(std::move(tensor));
    return Status::Ok();
  }
  Status SavePosition(PositionWriter* writer) override {
    writer->PutInt(number_);
    return UnaryIterator::SavePosition(writer);
  }
  Status RestorePosition(PositionReader* reader) override {
    number_ = reader->GetInt();
    return UnaryIterator::RestorePosition(reader);
  }

  int64_t number_;  // of the next element; an error passes without a number
  Element in_;
};

std::unique_ptr<Iterator> Enumerate::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<EnumerateIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeEnumerate(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(const int64_t start, args.IntOr("start", 0));
  return std::make_shared<Enumerate>(inputs[0], start);
}

FASTPIPE_OP("enumerate", MakeEnumerate);

}  // namespace
}  // namespace fastpipe
