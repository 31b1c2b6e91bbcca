// interleave(function, cycle_length, block_length, ...) and flat_map(function), which is interleave
// with a cycle of one: blocks of elements from several inner datasets in turn, in tf.data's order.

#include "ops/interleave.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ops/interrupted_element.h"
#include "runtime/window.h"

namespace fastpipe {
namespace {

constexpr int64_t kDefaultCycleLength = 16;
// Each slot of the cycle takes memory from the start.
constexpr int64_t kMaxCycleLength = 1 << 20;

// Sequential, in the consumer's thread. A slot that runs dry is refilled when the cycle comes back
// to it; an inner that ends within a block forfeits the rest of it.
class SequentialInterleaveIterator final : public UnaryIterator<Interleave> {
 public:
  SequentialInterleaveIterator(const Interleave& op, const IteratorContext& context)
      : UnaryIterator(op, context),
        opener_(op, context),
        slots_(static_cast<size_t>(op.settings().cycle_length)) {}

 private:
  struct Lane {
    std::unique_ptr<Iterator> inner;  // null: the slot is free
    int64_t sequence = 0;             // which result of the input it came from
    Checkpoint before;                // of the input, before that result
  };

  Status Produce(Element* out) override {
    while (true) {
      Lane& lane = slots_[cycle_index_];
      if (lane.inner) {
        Status status = lane.inner->Next(out);
        if (status.ok() && ++block_index_ == op().settings().block_length) Advance();
        if (!status.end_of_sequence()) return status;
        lane.inner.reset();
        --open_;
        Advance();
      } else if (!input_ended_) {
        FASTPIPE_RETURN_IF_ERROR(Open(&lane));
      } else if (open_ == 0) {
        return Status::EndOfSequence();
      } else {
        Advance();
      }
    }
  }

  void Advance() {
    block_index_ = 0;
    cycle_index_ = (cycle_index_ + 1) % slots_.size();
  }

  // Fills `lane` from the input, unless that has ended.
  Status Open(Lane* lane) {
    if (!marked_) MarkInput(lane);
    Element element;
    Status status = interrupted_.Next(input_.get(), &element);
    if (status.end_of_sequence()) {
      input_ended_ = true;
      return Status::Ok();
    }
    marked_ = status.code() == Code::kCancelled;
    if (!marked_) ++pulled_;
    FASTPIPE_RETURN_IF_ERROR(std::move(status));
    auto inner = opener_.Open(input_->count() - 1, element);
    status = interrupted_.Keep(inner.status(), &element);
    marked_ = interrupted_.held();
    if (marked_) --pulled_;
    FASTPIPE_RETURN_IF_ERROR(std::move(status));
    lane->inner = std::move(inner.value());
    ++open_;
    return Status::Ok();
  }

  // Notes where the input stands before the result that will fill `lane`.
  void MarkInput(Lane* lane) {
    PositionWriter writer;
    Status status = input_->Save(&writer);
    lane->before = {std::move(status), writer.bytes()};
    lane->sequence = pulled_;
  }

  Status SavePosition(PositionWriter* writer) override {
    FASTPIPE_RETURN_IF_ERROR(interrupted_.ExpectNone(op().label()));
    const Lane* oldest = nullptr;
    for (const Lane& lane : slots_) {
      if (lane.inner && (!oldest || lane.sequence < oldest->sequence)) oldest = &lane;
    }
    InterleavePosition saved;
    saved.cycle_index = static_cast<int64_t>(cycle_index_);
    saved.block_index = block_index_;
    if (oldest) {
      FASTPIPE_RETURN_IF_ERROR(Status(oldest->before.status));
      saved.input = oldest->before.position;
      saved.pulled = pulled_ - oldest->sequence;
    } else {
      PositionWriter input;
      FASTPIPE_RETURN_IF_ERROR(input_->Save(&input));
      saved.input = input.bytes();
    }
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (!slots_[i].inner) continue;
      PositionWriter inner;
      FASTPIPE_RETURN_IF_ERROR(slots_[i].inner->Save(&inner));
      saved.inners.push_back(
          {static_cast<int64_t>(i), slots_[i].sequence - oldest->sequence, inner.bytes(), 0});
    }
    saved.Write(writer);
    return Status::Ok();
  }

  Status RestorePosition(PositionReader* reader) override {
    InterleavePosition saved;
    FASTPIPE_RETURN_IF_ERROR(saved.Read(reader, op().settings()));
    cycle_index_ = static_cast<size_t>(saved.cycle_index);
    block_index_ = saved.block_index;
    PositionReader input(saved.input);
    FASTPIPE_RETURN_IF_ERROR(input_->Restore(&input));
    for (const InterleavePosition::Inner& inner : saved.inners) {
      FASTPIPE_RETURN_IF_ERROR(SkipInput(inner.sequence));
      Lane& lane = slots_[static_cast<size_t>(inner.slot)];
      MarkInput(&lane);
      Element element;
      FASTPIPE_RETURN_IF_ERROR(input_->Next(&element));
      ++pulled_;
      FASTPIPE_ASSIGN(lane.inner, opener_.Reopen(input_->count() - 1, element, inner));
      ++open_;
    }
    return SkipInput(saved.pulled);
  }

  // Passes over results of the input until `sequence` of them are used.
  Status SkipInput(int64_t sequence) {
    int64_t skipped = 0;
    Status status = input_->Skip(sequence - pulled_, &skipped);
    pulled_ = sequence;
    return status.end_of_sequence() ? Status::Ok() : status;
  }

  InnerOpener opener_;
  InterruptedElement interrupted_;
  std::vector<Lane> slots_;
  size_t cycle_index_ = 0;
  int64_t block_index_ = 0;
  int64_t pulled_ = 0;  // results of the input so far
  int64_t open_ = 0;
  bool input_ended_ = false;
  bool marked_ = false;  // the result that was marked last has yet to come: it was interrupted
};

Result<Function> DatasetFunction(const Args& args, const DatasetRef& input) {
  FASTPIPE_ASSIGN(Function function, args.Func("function"));
  FASTPIPE_RETURN_IF_ERROR(ExpectArgs(args, function, input->spec()));
  const ElementSpec& outputs = function.program->output_specs();
  if (outputs.size() == 1 && outputs[0].dtype == DType::kDataset) return function;
  return args.Error("the function must return a dataset");
}

Result<std::shared_ptr<Dataset>> MakeInterleave(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(Function function, DatasetFunction(args, inputs[0]));
  Interleave::Settings settings;
  FASTPIPE_ASSIGN(settings.cycle_length, args.IntOr("cycle_length", kAutotune));
  FASTPIPE_ASSIGN(settings.block_length, args.IntOr("block_length", 1, {.min = 1}));
  FASTPIPE_ASSIGN(settings.threads, ParallelCalls(args));
  FASTPIPE_ASSIGN(settings.deterministic, Deterministic(args));
  if (settings.cycle_length == 0 || settings.cycle_length < kAutotune) {
    return args.Error(StrCat("cycle_length must be >= 1 or AUTOTUNE, got ", settings.cycle_length));
  }
  if (settings.cycle_length > kMaxCycleLength) {
    return args.Error(
        StrCat("cycle_length must be at most ", kMaxCycleLength, ", got ", settings.cycle_length));
  }
  if (settings.cycle_length == kAutotune) {
    // The order must not depend on the number of threads, so these give way.
    settings.cycle_length = kDefaultCycleLength;
    settings.tunes_cycle = settings.threads == kAutotune;
    settings.threads = std::min(settings.threads, kDefaultCycleLength);
  }
  if (settings.threads > settings.cycle_length) {
    return args.Error(StrCat("num_parallel_calls must be <= cycle_length (", settings.cycle_length,
                             ") or AUTOTUNE, got ", settings.threads));
  }
  return std::make_shared<Interleave>(inputs[0], std::move(function), settings);
}

Result<std::shared_ptr<Dataset>> MakeFlatMap(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(Function function, DatasetFunction(args, inputs[0]));
  return std::make_shared<Interleave>(inputs[0], std::move(function), Interleave::Settings{});
}

FASTPIPE_OP("interleave", MakeInterleave);
FASTPIPE_OP("flat_map", MakeFlatMap);

}  // namespace

std::unique_ptr<Iterator> Interleave::MakeIterator(const IteratorContext& context) const {
  if (settings_.threads == 0) {
    return std::make_unique<SequentialInterleaveIterator>(*this, context);
  }
  return MakeParallelInterleave(*this, context);
}

void InterleavePosition::Write(PositionWriter* writer) const {
  writer->PutInt(cycle_index);
  writer->PutInt(block_index);
  writer->PutBytes(input);
  writer->PutInt(pulled);
  writer->PutInt(static_cast<int64_t>(inners.size()));
  for (const Inner& inner : inners) {
    writer->PutInt(inner.slot);
    writer->PutInt(inner.sequence);
    writer->PutBytes(inner.position);
    writer->PutInt(inner.since);
  }
}

Status InterleavePosition::Read(PositionReader* reader, const Interleave::Settings& settings) {
  cycle_index = reader->GetCount(settings.cycle_length - 1);
  block_index = reader->GetCount(settings.block_length - 1);
  input = reader->GetBytes();
  pulled = reader->GetCount();
  const int64_t open = reader->GetCount(settings.cycle_length);
  std::set<int64_t> slots;
  for (int64_t i = 0; i < open; ++i) {
    Inner inner;
    inner.slot = reader->GetCount(settings.cycle_length - 1);
    inner.sequence = reader->GetCount(pulled - 1);
    inner.position = reader->GetBytes();
    inner.since = reader->GetCount();
    if (!slots.insert(inner.slot).second) reader->NoteDamage();
    FASTPIPE_RETURN_IF_ERROR(reader->status());
    inners.push_back(std::move(inner));
  }
  std::sort(inners.begin(), inners.end(),
            [](const Inner& a, const Inner& b) { return a.sequence < b.sequence; });
  const auto same = [](const Inner& a, const Inner& b) { return a.sequence == b.sequence; };
  if (std::adjacent_find(inners.begin(), inners.end(), same) != inners.end()) reader->NoteDamage();
  return reader->status();
}

Result<std::unique_ptr<Iterator>> InnerOpener::Open(int64_t number, const Element& input) {
  Element made;
  FASTPIPE_RETURN_IF_ERROR(call_.Run(number, input, &made));
  return DatasetOf(made[0])->MakeIterator(context_.ForElement(number));
}

Result<std::unique_ptr<Iterator>> InnerOpener::Reopen(int64_t number, const Element& input,
                                                      const InterleavePosition::Inner& saved) {
  FASTPIPE_ASSIGN(std::unique_ptr<Iterator> inner, Open(number, input));
  if (!saved.position.empty()) {
    PositionReader reader(saved.position);
    FASTPIPE_RETURN_IF_ERROR(inner->Restore(&reader));
  }
  int64_t skipped = 0;
  Status status = inner->Skip(saved.since, &skipped);
  if (status.error()) return status;
  return inner;
}

}  // namespace fastpipe
