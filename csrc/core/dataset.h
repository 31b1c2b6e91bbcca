// Dataset and Iterator: THE interface of every source and transformation.
//
// Contract: a Dataset is const and shared; it makes Iterators. An Iterator is one pass, mutable,
// private to its consumer. An op writes one class of each, in an anonymous namespace, and registers
// a factory under its name (core/registry.h). Next() does once, for every op, what all share:
// cancellation, counting, sticky end, and where an error happened; Produce() is what an op writes.
//
// Ownership: a Dataset shares its inputs; an Iterator owns its input Iterators, which it declares
// before its worker threads, so that destruction joins the workers first.
// Thread rule: Datasets may be used by all threads at once. An Iterator is used by one thread at a
// time: the one that pulls from it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/block.h"
#include "core/cancel.h"
#include "core/element.h"
#include "core/epochs.h"
#include "core/position.h"
#include "core/random.h"
#include "core/status.h"
#include "core/tensor.h"

namespace fastpipe {

class Dataset;
class Iterator;
class RowSpace;    // core/row_space.h
class RunContext;  // runtime/context.h: what the iterators of one run share
struct RunOptions;
struct Seed;  // core/drawn_seeds.h

using DatasetRef = std::shared_ptr<const Dataset>;

constexpr int64_t kInfinite = -1;
constexpr int64_t kUnknown = -2;

// What an Iterator is born with.
struct IteratorContext {
  std::shared_ptr<RunContext> run;
  std::shared_ptr<CancelToken> cancel;
  RandomKey random = {};
  std::shared_ptr<Epochs> epochs = {};

  // The same run below a token of its own: cancelling that stops only what is made from it.
  IteratorContext Below() const { return {run, cancel->Child(), random, epochs}; }
  // For one of several iterators that an op makes: of an input over and over (kEpoch), or of one of
  // its inputs (kInput).
  IteratorContext Within(RandomKey::Part part, int64_t number) const {
    return {run, cancel, random.Within(part, number), epochs};
  }
  // For an iterator of a dataset that a function made, or was given, for element `number`.
  IteratorContext ForElement(int64_t number) const {
    const RandomKey within = random.Within(RandomKey::Part::kElement, number);
    return {run, cancel, within, std::make_shared<Epochs>(within.pass)};
  }
};

class Dataset : public std::enable_shared_from_this<Dataset> {
 public:
  virtual ~Dataset() = default;
  Dataset(const Dataset&) = delete;
  Dataset& operator=(const Dataset&) = delete;

  // Never fails and never blocks: files are opened, and threads started, by the first Next.
  // The Iterator may outlive every other reference to this Dataset.
  virtual std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const = 0;
  // The same for a consumer that stacks the results; an op that computes them can do so in `rows`.
  virtual std::unique_ptr<Iterator> MakeIteratorInto(const std::shared_ptr<RowSpace>& rows,
                                                     const IteratorContext& context) const {
    static_cast<void>(rows);
    return MakeIterator(context);
  }

  // Whether in a run of these options a consumer may take elements by NextBlock. Then every
  // component has one shape, and computing it never fails. Only the op itself pays for being asked.
  virtual bool GivesBlocks(const RunOptions& options) const {
    static_cast<void>(options);
    return false;
  }
  // Whether in such a run its own iterators take their input by NextBlock, whoever asks them.
  virtual bool TakesBlocks(const RunOptions& options) const {
    static_cast<void>(options);
    return false;
  }

  const ElementSpec& spec() const { return spec_; }
  // Number of elements, kInfinite or kUnknown. Whatever cannot be known without running is unknown.
  virtual int64_t Cardinality() const { return kUnknown; }
  // "map (train.py:12)": for errors and explanations.
  const std::string& label() const { return label_; }
  void set_label(std::string label) { label_ = std::move(label); }  // once, before sharing
  // Whether a function made it while the pipeline ran, so that only its element has passes over it.
  bool made_in_run() const { return made_in_run_; }
  void set_made_in_run(bool made_in_run) { made_in_run_ = made_in_run; }  // once, before sharing
  const std::vector<DatasetRef>& inputs() const { return inputs_; }
  // Datasets below it, along the longest path: tells the ops of a pipeline apart.
  int depth() const { return depth_; }
  // Of an op whose passes draw random numbers.
  virtual const Seed* seed() const { return nullptr; }
  // The ops with a seed that its passes may iterate, in functions too and without itself: each
  // once, in an order that follows from the description.
  const std::vector<DatasetRef>& drawing_below() const { return drawing_below_; }
  // The same and itself, if it has a seed.
  std::vector<const Dataset*> DrawingOps() const;
  void set_drawing_below(std::vector<DatasetRef> ops) { drawing_below_ = std::move(ops); }  // once

 protected:
  Dataset(ElementSpec spec, std::vector<DatasetRef> inputs)
      : spec_(std::move(spec)), inputs_(std::move(inputs)), depth_(DepthAbove(inputs_)) {}
  const DatasetRef& input() const { return inputs_.front(); }

 private:
  static int DepthAbove(const std::vector<DatasetRef>& inputs);

  const ElementSpec spec_;
  const std::vector<DatasetRef> inputs_;
  const int depth_;
  std::vector<DatasetRef> drawing_below_;
  std::string label_;
  bool made_in_run_ = false;
};

class Iterator {
 public:
  virtual ~Iterator() = default;
  Iterator(const Iterator&) = delete;
  Iterator& operator=(const Iterator&) = delete;

  // The next result: OK and an element in `*out`, end of sequence, or an error. After an error the
  // next call goes on with the next element. After the end or a cancellation every call says so
  // again. `*out` is overwritten; its old tensors are dropped.
  Status Next(Element* out);

  // The same for up to `most` elements at once: OK and at least one of them in `*out`, or else one
  // result as Next would give. May alternate with Next. REQUIRES: most >= 1, and that the dataset
  // GivesBlocks in this run.
  Status NextBlock(int64_t most, Block* out);

  // Passes over `count` results (an element or an error each) as cheaply as the op can, and adds
  // the number passed to `*skipped`. OK even if an error result was passed over; end of sequence if
  // the sequence ended first.
  Status Skip(int64_t count, int64_t* skipped);

  // Appends where this pass stands: the next result after Restore is the one that would be next
  // now. Unimplemented, naming the op, where that cannot be replayed. Called by the thread that
  // pulls, between two Nexts.
  Status Save(PositionWriter* writer);
  // REQUIRES: a fresh Iterator of an equal Dataset, before its first Next.
  Status Restore(PositionReader* reader);

  // Results delivered or skipped so far.
  int64_t count() const { return count_; }

 protected:
  Iterator(DatasetRef dataset, const IteratorContext& context)
      : dataset_(std::move(dataset)), context_(context) {}

  const IteratorContext& context() const { return context_; }
  RunContext& run() const { return *context_.run; }
  const Dataset& dataset() const { return *dataset_; }

  // Writes 1 to `most` elements to `*out` (empty on entry), or as Produce. The default asks Produce
  // for one.
  virtual Status ProduceBlock(int64_t most, Block* out);
  // Like Skip. The default produces and drops.
  virtual Status ProduceSkip(int64_t count, int64_t* skipped);

 private:
  // Writes the next element to `*out` (empty on entry), or returns end of sequence or an error.
  // Not called again after it returned end of sequence.
  virtual Status Produce(Element* out) = 0;
  virtual Status SavePosition(PositionWriter* writer) = 0;
  virtual Status RestorePosition(PositionReader* reader) = 0;

  Status Conclude(Status status, int64_t results);

  const DatasetRef dataset_;
  const IteratorContext context_;
  int64_t count_ = 0;
  int64_t blocks_ = 0;
  bool ended_ = false;
};

// The Iterator of an `Op`, which is a Dataset: reads its parameters through op().
template <typename Op>
class IteratorOf : public Iterator {
 public:
  IteratorOf(const Op& op, const IteratorContext& context)
      : Iterator(op.shared_from_this(), context), op_(op) {}

 protected:
  const Op& op() const { return op_; }

 private:
  const Op& op_;  // kept alive by the base
};

// The Iterator of an `Op` with one input. Its position is that of the input unless it adds to it.
template <typename Op>
class UnaryIterator : public IteratorOf<Op> {
 public:
  UnaryIterator(const Op& op, const IteratorContext& context)
      : IteratorOf<Op>(op, context), input_(op.inputs().front()->MakeIterator(context)) {}

 protected:
  Status SavePosition(PositionWriter* writer) override { return input_->Save(writer); }
  Status RestorePosition(PositionReader* reader) override { return input_->Restore(reader); }

  std::unique_ptr<Iterator> input_;
};

// A Dataset as a component of an element (DType::kDataset).
Tensor TensorOf(DatasetRef dataset);
// REQUIRES: tensor.dtype() == kDataset
const DatasetRef& DatasetOf(const Tensor& tensor);
TensorSpec DatasetSpec(const ElementSpec& element);

}  // namespace fastpipe
