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
  bool GivesBlocks(const RunOptions& options) const override {
    return input()->GivesBlocks(options);
  }
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
    out->push_back(Tensor::Scalar(NextNumber()));
    for (Tensor& tensor : in_) out->push_back(std::move(tensor));
    return Status::Ok();
  }
  Status ProduceBlock(int64_t most, Block* out) override {
    FASTPIPE_RETURN_IF_ERROR(input_->NextBlock(most, &block_));
    Tensor numbers = Tensor::Allocate(DType::kInt64, Dims(&block_.rows, 1));
    int64_t* to = numbers.mutable_data<int64_t>();
    for (int64_t i = 0; i < block_.rows; ++i) to[i] = NextNumber();
    out->columns.push_back(std::move(numbers));
    for (Tensor& column : block_.columns) out->columns.push_back(std::move(column));
    out->rows = block_.rows;
    return Status::Ok();
  }

  int64_t NextNumber() {
    // Unsigned, so that the number after the last may wrap.
    return std::exchange(number_, static_cast<int64_t>(static_cast<uint64_t>(number_) + 1));
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
  Block block_;
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
