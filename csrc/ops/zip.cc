// zip(inputs...): the components of one element of each input side by side, up to the shortest.

#include <algorithm>
#include <set>

#include "core/registry.h"
#include "ops/interrupted_element.h"
#include "runtime/seed.h"

namespace fastpipe {
namespace {

ElementSpec JoinedSpec(const std::vector<DatasetRef>& inputs) {
  ElementSpec spec;
  for (const DatasetRef& input : inputs) {
    spec.insert(spec.end(), input->spec().begin(), input->spec().end());
  }
  return spec;
}

// True if a dataset that `seen` holds is, or is under, `dataset`. Adds those that are not.
bool Shares(const DatasetRef& dataset, std::set<const Dataset*>* seen) {
  if (!seen->insert(dataset.get()).second) return true;
  // All inputs are visited, so that the next of zip's own inputs finds them.
  bool shares = false;
  for (const DatasetRef& input : dataset->inputs()) shares = Shares(input, seen) || shares;
  return shares;
}

class Zip final : public Dataset {
 public:
  explicit Zip(std::vector<DatasetRef> inputs)
      : Dataset(JoinedSpec(inputs), inputs), independent_(Independent(inputs)) {}

  // False if some dataset is used twice: if it is a cache, who comes first fills it.
  bool independent() const { return independent_; }

  // Of a known number of elements, so that no input is asked for more rows than the others have.
  bool GivesBlocks(const RunOptions& options) const override {
    return independent_ && Cardinality() != kUnknown &&
           std::all_of(inputs().begin(), inputs().end(),
                       [&](const DatasetRef& input) { return input->GivesBlocks(options); });
  }
  int64_t Cardinality() const override {
    int64_t shortest = kInfinite;
    for (const DatasetRef& input : inputs()) {
      const int64_t size = input->Cardinality();
      if (size == kUnknown) return kUnknown;
      if (size != kInfinite) shortest = shortest == kInfinite ? size : std::min(shortest, size);
    }
    return shortest;
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  static bool Independent(const std::vector<DatasetRef>& inputs) {
    std::set<const Dataset*> seen;
    return std::none_of(inputs.begin(), inputs.end(),
                        [&](const DatasetRef& input) { return Shares(input, &seen); });
  }

  const bool independent_;
};

class ZipIterator final : public IteratorOf<Zip> {
 public:
  ZipIterator(const Zip& op, const IteratorContext& context) : IteratorOf(op, context) {
    for (size_t i = 0; i < op.inputs().size(); ++i) {
      inputs_.push_back(
          op.inputs()[i]->MakeIterator(ForInput(context, op.inputs(), i, static_cast<int64_t>(i))));
    }
  }

 private:
  // After an error the inputs that follow are asked all the same: they must stay in step. After an
  // interrupt the next call goes on with the input where this one was.
  Status Produce(Element* out) override {
    *out = std::move(begun_);
    begun_.clear();
    for (; asked_ < inputs_.size(); ++asked_) {
      Status status = inputs_[asked_]->Next(&part_);
      if (status.end_of_sequence()) return status;
      if (status.code() == Code::kCancelled) {
        begun_ = std::move(*out);
        return status;
      }
      if (status.error() && first_error_.ok()) first_error_ = std::move(status);
      for (Tensor& tensor : part_) out->push_back(std::move(tensor));
    }
    asked_ = 0;
    return std::exchange(first_error_, Status::Ok());
  }
  // The first input says how many rows there are, as far as an epoch of it goes. An interrupt may
  // come between two inputs: then the next call goes on where this one was.
  Status ProduceBlock(int64_t most, Block* out) override {
    if (op().Cardinality() != kInfinite) most = std::min(most, op().Cardinality() - count());
    Element none;
    if (most <= 0) return Produce(&none);
    while (taken_ < inputs_.size()) {
      FASTPIPE_RETURN_IF_ERROR(TakeRows(inputs_[taken_].get(), most));
      JoinBlocks(parts_, &joined_.columns);
      parts_.clear();  // so that nobody shares the columns
      part_rows_ = 0;
      ++taken_;
    }
    taken_ = 0;
    *out = std::exchange(joined_, {});
    return Status::Ok();
  }
  // Takes what is missing of one input's rows; of the first, one block of `most` at most.
  Status TakeRows(Iterator* input, int64_t most) {
    const int64_t rows = taken_ == 0 ? 1 : joined_.rows;
    while (part_rows_ < rows) {
      Block part;
      FASTPIPE_RETURN_IF_ERROR(input->NextBlock(taken_ == 0 ? most : rows - part_rows_, &part));
      part_rows_ += part.rows;
      parts_.push_back(std::move(part));
    }
    if (taken_ == 0) joined_.rows = part_rows_;
    return Status::Ok();
  }

  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    if (!op().independent()) return Iterator::ProduceSkip(count, skipped);
    int64_t shortest = count;
    passed_.resize(inputs_.size());
    for (size_t i = 0; i < inputs_.size(); ++i) {
      // What an interrupted call has passed over, this one, which repeats it, need not.
      Status status = inputs_[i]->Skip(count - passed_[i], &passed_[i]);
      if (status.error()) return status;
      shortest = std::min(shortest, passed_[i]);
    }
    passed_.clear();
    *skipped += shortest;
    return shortest == count ? Status::Ok() : Status::EndOfSequence();
  }
  Status SavePosition(PositionWriter* writer) override {
    if (asked_ > 0 || taken_ > 0 || !passed_.empty()) {
      return InterruptedWithinElement(op().label());
    }
    for (const auto& input : inputs_) FASTPIPE_RETURN_IF_ERROR(input->Save(writer));
    return Status::Ok();
  }
  Status RestorePosition(PositionReader* reader) override {
    for (const auto& input : inputs_) FASTPIPE_RETURN_IF_ERROR(input->Restore(reader));
    return Status::Ok();
  }

  std::vector<std::unique_ptr<Iterator>> inputs_;
  Element part_;
  // The element that is being made.
  size_t asked_ = 0;  // inputs that gave their part
  Element begun_;
  Status first_error_;
  std::vector<int64_t> passed_;  // of each input, by a Skip that was interrupted
  // The block that is being made.
  Block joined_;  // of the first taken_ inputs
  size_t taken_ = 0;
  std::vector<Block> parts_;  // of the next one
  int64_t part_rows_ = 0;
};

std::unique_ptr<Iterator> Zip::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<ZipIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeZip(const Args& args, std::vector<DatasetRef> inputs) {
  if (inputs.empty()) return args.Error("takes at least one dataset, got none");
  return std::make_shared<Zip>(std::move(inputs));
}

FASTPIPE_OP("zip", MakeZip);

}  // namespace
}  // namespace fastpipe
