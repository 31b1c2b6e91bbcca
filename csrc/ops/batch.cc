// batch(batch_size, drop_remainder, num_parallel_calls, deterministic, parts): stacks elements
// along a new first axis. The rows are always pulled in order; with num_parallel_calls they are
// stacked by the threads of a stage.

#include "core/composite.h"
#include "core/guard.h"
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

  // What throws on the way is an error of this batch, not of the rows.
  Status Stack(std::span<const Element> rows, Element* out) const {
    return Guarded([&] {
      return all_tensors_ ? StackElements(rows, out) : StackComposites(rows, components_, out);
    });
  }
  Status Stack(std::span<const Block> rows, Element* out) const {
    return Guarded([&] {
      JoinBlocks(rows, out);
      return Status::Ok();
    });
  }
  // Makes a RowCollector or a BlockCollector.
  template <typename Collector>
  Collector MakeRows(const IteratorContext& context) const {
    if constexpr (std::is_same_v<Collector, RowCollector>) {
      if (all_tensors_ && context.run->options().fusion) {
        auto space = std::make_shared<RowSpace>(batch_size_);
        return {input()->MakeIteratorInto(space, context), batch_size_, drop_remainder_, space};
      }
    }
    return {input()->MakeIterator(context), batch_size_, drop_remainder_};
  }
  bool TakesBlocks(const RunOptions& options) const override {
    return all_tensors_ && input()->GivesBlocks(options);
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

template <typename Collector>
class BatchIterator final : public IteratorOf<Batch> {
 public:
  BatchIterator(const Batch& op, const IteratorContext& context)
      : IteratorOf(op, context), rows_(op.MakeRows<Collector>(context)) {}

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
  Status SavePosition(PositionWriter* writer) override {
    return SaveLikeStage([this](PositionWriter* input) { return rows_.Save(input); }, writer);
  }
  Status RestorePosition(PositionReader* reader) override {
    return RestoreLikeStage(
        [this](PositionReader* input) { return rows_.Restore(input); },
        [this](int64_t count, int64_t* skipped) { return rows_.Skip(count, skipped); }, reader);
  }

  Collector rows_;
};

template <typename Collector>
class ParallelBatchIterator final : public IteratorOf<Batch> {
 public:
  ParallelBatchIterator(const Batch& op, const IteratorContext& context)
      : IteratorOf(op, context),
        below_(context.Below()),
        rows_(op.MakeRows<Collector>(below_)),
        stage_({.label = op.label(),
                .op = &op,
                .ordered = op.ordered(context.run->options()),
                .threads = op.threads(),
                .max_threads = kMaxThreads},
               Work(), context) {}
  ~ParallelBatchIterator() override { below_.cancel->Cancel(); }

 private:
  using Rows = typename Collector::Rows;

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
                for (auto& row : *rows) row.clear();
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
  // Restoring passes over much that nobody needs.
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    return stage_.started() ? Iterator::ProduceSkip(count, skipped)
                            : stage_.SkipBeforeStart(count, skipped);
  }
  Status SavePosition(PositionWriter* writer) override { return stage_.Save(writer); }
  Status RestorePosition(PositionReader* reader) override { return stage_.Restore(reader); }

  const IteratorContext below_;
  Collector rows_;
  WorkerStage<Rows> stage_;
};

template <typename Collector>
std::unique_ptr<Iterator> MakeBatchIterator(const Batch& op, const IteratorContext& context) {
  if (op.threads() == 0) return std::make_unique<BatchIterator<Collector>>(op, context);
  return std::make_unique<ParallelBatchIterator<Collector>>(op, context);
}

std::unique_ptr<Iterator> Batch::MakeIterator(const IteratorContext& context) const {
  const bool blocks = TakesBlocks(context.run->options());
  return blocks ? MakeBatchIterator<BlockCollector>(*this, context)
                : MakeBatchIterator<RowCollector>(*this, context);
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
