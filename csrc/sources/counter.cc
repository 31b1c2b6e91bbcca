// counter(start, step, dtype): start, start + step, ... without end.

#include "core/registry.h"
#include "core/scalar.h"

namespace fastpipe {
namespace {

class Counter final : public Dataset {
 public:
  Counter(int64_t start, int64_t step, DType dtype, ScalarMaker make)
      : Dataset({TensorSpec::Scalar(dtype)}, {}), start_(start), step_(step), make_(make) {}

  int64_t Cardinality() const override { return kInfinite; }
  Tensor At(int64_t index) const {
    return make_(static_cast<int64_t>(static_cast<uint64_t>(start_) +
                                      static_cast<uint64_t>(index) * static_cast<uint64_t>(step_)));
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const int64_t start_;
  const int64_t step_;
  const ScalarMaker make_;
};

class CounterIterator final : public IteratorOf<Counter> {
 public:
  using IteratorOf::IteratorOf;

 private:
  Status Produce(Element* out) override {
    out->push_back(op().At(next_++));
    return Status::Ok();
  }
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    next_ += count;
    *skipped += count;
    return Status::Ok();
  }
  Status SavePosition(PositionWriter* writer) override {
    writer->PutInt(next_);
    return Status::Ok();
  }
  Status RestorePosition(PositionReader* reader) override {
    next_ = reader->GetCount();
    return Status::Ok();
  }

  int64_t next_ = 0;
};

std::unique_ptr<Iterator> Counter::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<CounterIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeCounter(const Args& args, std::vector<DatasetRef>) {
  FASTPIPE_ASSIGN(const int64_t start, args.IntOr("start", 0));
  FASTPIPE_ASSIGN(const int64_t step, args.IntOr("step", 1));
  FASTPIPE_ASSIGN(const DType dtype, args.DtypeOr("dtype", DType::kInt64));
  const ScalarMaker make = ScalarMakerOf(dtype);
  if (make == nullptr) {
    return args.Error(StrCat("dtype must be an integer or floating type, got ", DTypeName(dtype)));
  }
  return std::make_shared<Counter>(start, step, dtype, make);
}

FASTPIPE_OP("counter", MakeCounter);

}  // namespace
}  // namespace fastpipe
