// random(seed, rerandomize_each_iteration): int64 numbers uniform in [0, 2^32), without end; those
// that TensorFlow gives for the seed.

#include "core/registry.h"
#include "runtime/seed.h"

namespace fastpipe {
namespace {

class Random final : public Dataset {
 public:
  explicit Random(Seed seed) : Dataset({TensorSpec::Scalar(DType::kInt64)}, {}), seed_(seed) {}
  const Seed* seed() const override { return &seed_; }
  int64_t Cardinality() const override { return kInfinite; }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const Seed seed_;
};

class RandomIterator final : public IteratorOf<Random> {
 public:
  RandomIterator(const Random& op, const IteratorContext& context)
      : IteratorOf(op, context), seed_(op, context), random_(seed_.Random()) {}

 private:
  Status Produce(Element* out) override {
    out->push_back(Tensor::Scalar(static_cast<int64_t>(random_.At(next_++))));
    return Status::Ok();
  }
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    next_ += static_cast<uint64_t>(count);
    *skipped += count;
    return Status::Ok();
  }
  Status SavePosition(PositionWriter* writer) override {
    seed_.Save(writer);
    writer->PutInt(static_cast<int64_t>(next_));
    return Status::Ok();
  }
  Status RestorePosition(PositionReader* reader) override {
    seed_.Restore(reader);
    random_ = seed_.Random();
    next_ = static_cast<uint64_t>(reader->GetCount());
    return Status::Ok();
  }

  PassSeed seed_;
  Philox random_;
  uint64_t next_ = 0;
};

std::unique_ptr<Iterator> Random::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<RandomIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeRandom(const Args& args, std::vector<DatasetRef>) {
  FASTPIPE_ASSIGN(const bool anew, args.BoolOr("rerandomize_each_iteration", false));
  FASTPIPE_ASSIGN(const Seed seed, SeedArgument(args, anew));
  return std::make_shared<Random>(seed);
}

FASTPIPE_OP("random", MakeRandom);

}  // namespace
}  // namespace fastpipe
