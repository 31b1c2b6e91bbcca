// prefetch(buffer_size): runs its input ahead of the consumer on one thread. 0 passes through.

#include "core/registry.h"
#include "runtime/worker_stage.h"

namespace fastpipe {
namespace {

class Prefetch final : public Dataset {
 public:
  Prefetch(DatasetRef input, int64_t buffer_size)
      : Dataset(input->spec(), {input}), buffer_size_(buffer_size) {}
  int64_t buffer_size() const { return buffer_size_; }
  int64_t Cardinality() const override { return input()->Cardinality(); }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const int64_t buffer_size_;
};

class PrefetchIterator final : public IteratorOf<Prefetch> {
 public:
  PrefetchIterator(const Prefetch& op, const IteratorContext& context)
      : IteratorOf(op, context),
        below_(context.Below()),
        input_(op.inputs().front()->MakeIterator(below_)),
        stage_({.label = op.label(), .op = &op, .buffer = op.buffer_size()}, Work(), context) {}
  ~PrefetchIterator() override { below_.cancel->Cancel(); }

 private:
  StageWork<Element> Work() {
    StageWork<Element> work = WorkOnElements(input_.get());
    work.new_compute = [] {
      return [](Element* job, Element* out) {
        *out = std::move(*job);
        return Status::Ok();
      };
    };
    return work;
  }

  Status Produce(Element* out) override { return stage_.Next(out); }
  // Restoring passes over much that nobody needs.
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    return stage_.started() ? Iterator::ProduceSkip(count, skipped)
                            : stage_.SkipBeforeStart(count, skipped);
  }
  Status SavePosition(PositionWriter* writer) override { return stage_.Save(writer); }
  Status RestorePosition(PositionReader* reader) override { return stage_.Restore(reader); }

  const IteratorContext below_;
  std::unique_ptr<Iterator> input_;
  WorkerStage<Element> stage_;
};

// Its position is that of the stage, so that a pass may go on with another buffer_size.
class PassThroughIterator final : public UnaryIterator<Prefetch> {
 public:
  using UnaryIterator::UnaryIterator;

 private:
  Status Produce(Element* out) override { return input_->Next(out); }
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    return input_->Skip(count, skipped);
  }
  Status SavePosition(PositionWriter* writer) override {
    return SaveLikeStage(input_.get(), writer);
  }
  Status RestorePosition(PositionReader* reader) override {
    return RestoreLikeStage(input_.get(), reader);
  }
};

std::unique_ptr<Iterator> Prefetch::MakeIterator(const IteratorContext& context) const {
  if (buffer_size_ == 0) return std::make_unique<PassThroughIterator>(*this, context);
  return std::make_unique<PrefetchIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakePrefetch(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(const int64_t buffer_size,
                  args.IntOr("buffer_size", kAutotune, {.min = kAutotune}));
  return std::make_shared<Prefetch>(inputs[0], buffer_size);
}

FASTPIPE_OP("prefetch", MakePrefetch);

}  // namespace
}  // namespace fastpipe
