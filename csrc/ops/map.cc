// map(function, num_parallel_calls, deterministic): one result of `function` for each element.
// Without num_parallel_calls it runs on the consumer's thread; with it, it is a stage.

#include <optional>

#include "core/column_program.h"
#include "core/program.h"
#include "core/registry.h"
#include "ops/interrupted_element.h"
#include "runtime/worker_stage.h"

namespace fastpipe {
namespace {

// How far AUTOTUNE may go with a map that waits (on storage, on a service).
constexpr int64_t kMaxThreads = 256;

class Map final : public Dataset {
 public:
  Map(DatasetRef input, Function function, int64_t threads, std::optional<bool> deterministic)
      : Dataset(function.program->output_specs(), {input}),
        function_(std::move(function)),
        columns_(function_),
        threads_(threads),
        deterministic_(deterministic) {}

  const Function& function() const { return function_; }
  int64_t threads() const { return threads_; }  // 0: sequential
  bool ordered(const RunOptions& options) const {
    return deterministic_.value_or(options.deterministic);
  }
  // What computes blocks; null if the function sees elements one by one.
  const ColumnProgram* columns() const { return columns_.get(); }
  // A number of threads that the user chose is kept, and only single elements can be shared out.
  bool GivesBlocks(const RunOptions& options) const override {
    const bool consumer_may_compute =
        threads_ == 0 || (threads_ == kAutotune && options.autotune && options.min_threads == 0);
    return consumer_may_compute && input()->GivesBlocks(options) && columns() != nullptr;
  }
  int64_t Cardinality() const override { return input()->Cardinality(); }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override {
    return MakeIteratorInto(nullptr, context);
  }
  std::unique_ptr<Iterator> MakeIteratorInto(const std::shared_ptr<RowSpace>& rows,
                                             const IteratorContext& context) const override;

 private:
  const Function function_;
  const OwnColumnProgram columns_;
  const int64_t threads_;
  const std::optional<bool> deterministic_;
};

// Computes blocks on the consumer's thread.
class BlockMap {
 public:
  BlockMap(const Map& op, const IteratorContext& context)
      : call_(*op.columns(), context.run->kernel_context(op, context)) {}

  Status Next(Iterator* input, int64_t most, Block* out) {
    FASTPIPE_RETURN_IF_ERROR(input->NextBlock(call_.RowsOf(most), &in_));
    Status status = call_.Run(in_, out);
    in_.clear();
    return status;
  }

 private:
  ColumnCall call_;
  Block in_;
};

class SequentialMapIterator final : public UnaryIterator<Map> {
 public:
  SequentialMapIterator(const Map& op, std::shared_ptr<RowSpace> rows,
                        const IteratorContext& context)
      : UnaryIterator(op, context),
        rows_(std::move(rows)),
        call_(op.function(), context.run->kernel_context(op, context), rows_.get()) {}

 private:
  Status Produce(Element* out) override {
    FASTPIPE_RETURN_IF_ERROR(interrupted_.Next(input_.get(), &in_));
    Status status = interrupted_.Keep(call_.Run(input_->count() - 1, in_, out), &in_);
    in_.clear();
    return status;
  }
  Status ProduceBlock(int64_t most, Block* out) override {
    if (!blocks_) blocks_.emplace(op(), context());
    return blocks_->Next(input_.get(), most, out);
  }
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    if (!interrupted_.held() || count == 0) return input_->Skip(count, skipped);
    interrupted_ = {};
    ++*skipped;
    return input_->Skip(count - 1, skipped);
  }
  Status SavePosition(PositionWriter* writer) override {
    FASTPIPE_RETURN_IF_ERROR(interrupted_.ExpectNone(op().label()));
    return SaveLikeStage(input_.get(), writer);
  }
  Status RestorePosition(PositionReader* reader) override {
    return RestoreLikeStage(input_.get(), reader);
  }

  const std::shared_ptr<RowSpace> rows_;
  FunctionCall call_;
  std::optional<BlockMap> blocks_;
  Element in_;
  InterruptedElement interrupted_;
};

// An element of the input and its number.
struct MapJob {
  Element element;
  int64_t number = 0;
};

class ParallelMapIterator final : public IteratorOf<Map> {
 public:
  ParallelMapIterator(const Map& op, std::shared_ptr<RowSpace> rows, const IteratorContext& context)
      : IteratorOf(op, context),
        // In free order a result is no row in particular.
        rows_(op.ordered(context.run->options()) ? std::move(rows) : nullptr),
        below_(context.Below()),
        input_(op.inputs().front()->MakeIterator(below_)),
        stage_({.label = op.label(),
                .op = &op,
                .ordered = op.ordered(context.run->options()),
                .threads = op.threads(),
                .max_threads = kMaxThreads},
               Work(), context) {}
  ~ParallelMapIterator() override { below_.cancel->Cancel(); }

 private:
  StageWork<MapJob> Work() {
    StageWork<MapJob> work = WorkOnInput<MapJob>(input_.get());
    work.pull = [this](MapJob* job) {
      Status status = input_->Next(&job->element);
      job->number = input_->count() - 1;
      return status;
    };
    work.new_compute = [this] {
      auto call = std::make_shared<FunctionCall>(
          op().function(), below_.run->kernel_context(op(), below_), rows_.get());
      return [call](MapJob* job, Element* out) {
        Status status = call->Run(job->number, job->element, out);
        job->element.clear();
        return status;
      };
    };
    work.save = [this](PositionWriter* writer) {
      return pending_ ? InterruptedWithinElement(op().label()) : input_->Save(writer);
    };
    work.direct = [this](Element* out) {
      if (!pending_) FASTPIPE_RETURN_IF_ERROR(input_->Next(&in_));
      if (!call_) {
        call_.emplace(op().function(), below_.run->kernel_context(op(), below_), rows_.get());
      }
      Status status = call_->Run(input_->count() - 1, in_, out);
      // Ctrl+C: the next call computes this element again.
      pending_ = status.code() == Code::kCancelled;
      if (!pending_) in_.clear();
      return status;
    };
    return work;
  }

  Status Produce(Element* out) override { return stage_.Next(out); }
  Status ProduceBlock(int64_t most, Block* out) override {
    FASTPIPE_ASSIGN(const bool direct, stage_.ComputesDirectly());
    if (!direct || pending_) {
      Element element;
      FASTPIPE_RETURN_IF_ERROR(Produce(&element));
      *out = BlockOf(element);
      return Status::Ok();
    }
    if (!blocks_) blocks_.emplace(op(), below_);
    FASTPIPE_RETURN_IF_ERROR(blocks_->Next(input_.get(), most, out));
    stage_.CountDirect(out->rows);
    return Status::Ok();
  }
  // Restoring passes over much that nobody needs.
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    return stage_.started() ? Iterator::ProduceSkip(count, skipped)
                            : stage_.SkipBeforeStart(count, skipped);
  }
  Status SavePosition(PositionWriter* writer) override { return stage_.Save(writer); }
  Status RestorePosition(PositionReader* reader) override { return stage_.Restore(reader); }

  const std::shared_ptr<RowSpace> rows_;
  const IteratorContext below_;
  std::unique_ptr<Iterator> input_;
  // Of the consumer, while it computes directly.
  std::optional<FunctionCall> call_;
  std::optional<BlockMap> blocks_;
  Element in_;
  bool pending_ = false;  // in_ was pulled and has no result yet
  WorkerStage<MapJob> stage_;
};

std::unique_ptr<Iterator> Map::MakeIteratorInto(const std::shared_ptr<RowSpace>& rows,
                                                const IteratorContext& context) const {
  if (threads_ == 0) return std::make_unique<SequentialMapIterator>(*this, rows, context);
  return std::make_unique<ParallelMapIterator>(*this, rows, context);
}

Result<std::shared_ptr<Dataset>> MakeMap(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(Function function, args.Func("function"));
  FASTPIPE_RETURN_IF_ERROR(ExpectArgs(args, function, inputs[0]->spec()));
  FASTPIPE_ASSIGN(const int64_t threads, ParallelCalls(args));
  FASTPIPE_ASSIGN(const std::optional<bool> deterministic, Deterministic(args));
  return std::make_shared<Map>(inputs[0], std::move(function), threads, deterministic);
}

FASTPIPE_OP("map", MakeMap);

}  // namespace
}  // namespace fastpipe
