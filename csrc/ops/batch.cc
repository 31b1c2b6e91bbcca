// batch(batch_size, drop_remainder, num_parallel_calls, deterministic, parts): stacks elements
// along a new first axis. The rows are always pulled in order; with num_parallel_calls they are
// stacked by the threads of a stage.

#include "core/composite.h"
#include "core/registry.h"
#include "core/stack.h"
#include "ops/collect_blocks.h"
#include "ops/collect_rows.h"
#include "runtime/worker_stage.h"

namespace fastpipe {
namespace {

// Stacking is a copy: more threads than this only wait for memory.
constexpr int64_t kMaxThreads = 16;

class Batch final : public Dataset {
 public:
  Batch(DatasetRef input, Components components, const BatchSize& size, int64_t threads,
        std::optional<bool> deterministic)
      : Dataset(StackedSpec(input->spec(), components, size.known_rows), {input}),
        components_(std::move(components)),
        all_tensors_(AllTensors(components_)),
        batch_size_(size.rows),
        drop_remainder_(size.drop_remainder),
        threads_(threads),
        deterministic_(deterministic) {}

  Status Stack(std::span<const Element> rows, Element* out) const {
    return all_tensors_ ? StackElements(rows, out) : StackComposites(rows, components_, out);
  }
  RowCollector MakeRows(const IteratorContext& context) const {
    if (!all_tensors_) {
      return {input()->MakeIterator(context), batch_size_, drop_remainder_};
    }
    auto space = std::make_shared<RowSpace>(batch_size_);
    return {input()->MakeIteratorInto(space, context), batch_size_, drop_remainder_, space};
  }
  // Blocks are stacked already: nothing is left for threads to do.
  bool TakesBlocks(const RunOptions& options) const override {
    return threads_ == 0 && all_tensors_ && input()->GivesBlocks(options);
  }
  BlockCollector MakeBlocks(const IteratorContext& context) const {
    return {input()->MakeIterator(context), batch_size_, drop_remainder_};
  }
  int64_t threads() const { return threads_; }  // 0: sequential
  bool ordered(const RunOptions& options) const {
    return deterministic_.value_or(options.deterministic);
  }
  int64_t Cardinality() const override {
    return BatchCardinality(input()->Cardinality(), batch_size_, drop_remainder_);
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const Components components_;
  const bool all_tensors_;
  const int64_t batch_size_;
  const bool drop_remainder_;
  const int64_t threads_;
  const std::optional<bool> deterministic_;
};

// The position of an op that batches on its consumer's thread, in the format of WorkerStage.
template <typename Collector>
Status SaveCollected(Collector* rows, PositionWriter* writer) {
  return SaveLikeStage([rows](PositionWriter* input) { return rows->Save(input); }, writer);
}
template <typename Collector>
Status RestoreCollected(Collector* rows, PositionReader* reader) {
  return RestoreLikeStage(
      [rows](PositionReader* input) { return rows->Restore(input); },
      [rows](int64_t count, int64_t* skipped) { return rows->Skip(count, skipped); }, reader);
}

class BatchIterator final : public IteratorOf<Batch> {
 public:
  BatchIterator(const Batch& op, const IteratorContext& context)
      : IteratorOf(op, context), rows_(op.MakeRows(context)) {}

 private:
  Status Produce(Element* out) override {
    FASTPIPE_RETURN_IF_ERROR(rows_.Collect());
    Status status = op().Stack(rows_.rows(), out);
    rows_.Clear();
    return status;
  }
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    return rows_.Skip(count, skipped);
  }
  Status SavePosition(PositionWriter* writer) override { return SaveCollected(&rows_, writer); }
  Status RestorePosition(PositionReader* reader) override {
    return RestoreCollected(&rows_, reader);
  }

  RowCollector rows_;
};

class BlockBatchIterator final : public IteratorOf<Batch> {
 public:
  BlockBatchIterator(const Batch& op, const IteratorContext& context)
      : IteratorOf(op, context), rows_(op.MakeBlocks(context)) {}

 private:
  Status Produce(Element* out) override { return rows_.Collect(out); }
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    return rows_.Skip(count, skipped);
  }
  Status SavePosition(PositionWriter* writer) override { return SaveCollected(&rows_, writer); }
  Status RestorePosition(PositionReader* reader) override {
    return RestoreCollected(&rows_, reader);
  }

  BlockCollector rows_;
};

class ParallelBatchIterator final : public IteratorOf<Batch> {
 public:
  ParallelBatchIterator(const Batch& op, const IteratorContext& context)
      : IteratorOf(op, context),
        below_(context.Below()),
        rows_(op.MakeRows(below_)),
        stage_({.label = op.label(),
                .op = &op,
                .ordered = op.ordered(context.run->options()),
                .threads = op.threads(),
                .max_threads = kMaxThreads},
               Work(), context) {}
  ~ParallelBatchIterator() override { below_.cancel->Cancel(); }

 private:
  using Rows = std::vector<Element>;

  StageWork<Rows> Work() {
    return {
        .pull =
            [this](Rows* rows) {
              FASTPIPE_RETURN_IF_ERROR(rows_.Collect());
              rows_.Exchange(rows);
              return Status::Ok();
            },
        .new_compute =
            [this] {
              return [this](Rows* rows, Element* out) {
                Status status = op().Stack(*rows, out);
                for (Element& row : *rows) row.clear();
                return status;
              };
            },
        .direct = nullptr,
        .save = [this](PositionWriter* writer) { return rows_.Save(writer); },
        .restore = [this](PositionReader* reader) { return rows_.Restore(reader); },
        .skip = [this](int64_t count, int64_t* skipped) { return rows_.Skip(count, skipped); },
    };
  }

  Status Produce(Element* out) override { return stage_.Next(out); }
  Status SavePosition(PositionWriter* writer) override { return stage_.Save(writer); }
  Status RestorePosition(PositionReader* reader) override { return stage_.Restore(reader); }

  const IteratorContext below_;
  RowCollector rows_;
  WorkerStage<Rows> stage_;
};

std::unique_ptr<Iterator> Batch::MakeIterator(const IteratorContext& context) const {
  if (TakesBlocks(context.run->options())) {
    return std::make_unique<BlockBatchIterator>(*this, context);
  }
  if (threads_ == 0) return std::make_unique<BatchIterator>(*this, context);
  return std::make_unique<ParallelBatchIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeBatch(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(const BatchSize size, ReadBatchSize(args));
  FASTPIPE_RETURN_IF_ERROR(ExpectStackable(args, inputs[0]->spec()));
  FASTPIPE_ASSIGN(const int64_t threads, ParallelCalls(args));
  FASTPIPE_ASSIGN(const std::optional<bool> deterministic, Deterministic(args));
  FASTPIPE_ASSIGN(Components components, ReadComponents(args, inputs[0]->spec()));
  return std::make_shared<Batch>(inputs[0], std::move(components), size, threads, deterministic);
}

FASTPIPE_OP("batch", MakeBatch);

}  // namespace
}  // namespace fastpipe
