// shuffle(buffer_size, seed, reshuffle_each_iteration): delivers a random one of the next
// `buffer_size` elements; -2: of all. The order is TensorFlow's for the seed.

#include <algorithm>
#include <deque>

#include "core/registry.h"
#include "runtime/seed.h"

namespace fastpipe {
namespace {

// As buffer_size: everything.
constexpr int64_t kAll = -2;

class Shuffle final : public Dataset {
 public:
  Shuffle(DatasetRef input, int64_t buffer_size, uint64_t seed, bool reshuffle)
      : Dataset(input->spec(), {input}),
        buffer_size_(buffer_size),
        seed_(seed),
        reshuffle_(reshuffle) {}
  int64_t buffer_size() const { return buffer_size_; }
  uint64_t seed() const { return seed_; }
  bool reshuffle() const { return reshuffle_; }
  int64_t Cardinality() const override { return input()->Cardinality(); }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const int64_t buffer_size_;
  const uint64_t seed_;
  const bool reshuffle_;
};

// Takes item `index` out of the buffer; the first takes its place, as in TensorFlow.
template <typename T>
T TakeOut(std::deque<T>* buffer, size_t index) {
  T taken = std::move((*buffer)[index]);
  if (index != 0) (*buffer)[index] = std::move(buffer->front());
  buffer->pop_front();
  return taken;
}

class ShuffleIterator final : public UnaryIterator<Shuffle> {
 public:
  ShuffleIterator(const Shuffle& op, const IteratorContext& context)
      : UnaryIterator(op, context),
        seed_(op, op.seed(), op.reshuffle(), context),
        random_(seed_.Random()) {}

 private:
  Status Produce(Element* out) override {
    if (!started_) NoteBeginning();
    FASTPIPE_RETURN_IF_ERROR(FillBuffer());
    if (buffer_.empty()) {
      buffer_ = {};
      return Status::EndOfSequence();
    }
    *out = TakeOut(&buffer_, random_.At(static_cast<uint64_t>(picks_++)) % buffer_.size());
    return Status::Ok();
  }

  Status FillBuffer() {
    while (!input_ended_ && static_cast<int64_t>(buffer_.size()) < op().buffer_size()) {
      Element element;
      Status status = input_->Next(&element);
      if (status.end_of_sequence()) {
        input_ended_ = true;
        break;
      }
      if (status.code() == Code::kCancelled) return status;
      ++results_;
      FASTPIPE_RETURN_IF_ERROR(std::move(status));
      ++elements_;
      buffer_.push_back(std::move(element));
    }
    return Status::Ok();
  }

  void NoteBeginning() {
    started_ = true;
    beginning_status_ = input_->Save(&beginning_);
  }

  Status SavePosition(PositionWriter* writer) override {
    if (!started_) {
      beginning_.clear();
      beginning_status_ = input_->Save(&beginning_);
    }
    FASTPIPE_RETURN_IF_ERROR(Status(beginning_status_));
    seed_.Save(writer);
    writer->PutInt(picks_);
    writer->PutInt(results_);
    writer->PutInt(elements_);
    writer->PutBytes(beginning_.bytes());
    return Status::Ok();
  }

  // Draws the picks again over the numbers of the elements, and then pulls only those elements that
  // no pick took.
  Status RestorePosition(PositionReader* reader) override {
    seed_.Restore(reader);
    random_ = seed_.Random();
    picks_ = reader->GetCount();
    const int64_t results = reader->GetCount();
    const int64_t elements = reader->GetCount(results);
    if (picks_ > elements) return DataLoss("the saved iterator position is damaged");
    PositionReader beginning(reader->GetBytes());
    FASTPIPE_RETURN_IF_ERROR(reader->status());
    FASTPIPE_RETURN_IF_ERROR(input_->Restore(&beginning));
    NoteBeginning();
    const std::deque<int64_t> kept = RedrawPicks(elements);
    FASTPIPE_RETURN_IF_ERROR(PullKept(kept, results, results == elements));
    results_ = results;
    elements_ = elements;
    return Status::Ok();
  }

  // The numbers of the elements that `picks_` picks leave in the buffer, in its order.
  std::deque<int64_t> RedrawPicks(int64_t elements) const {
    std::deque<int64_t> buffer;
    int64_t pulled = 0;
    const auto fill = [&] {
      while (pulled < elements && static_cast<int64_t>(buffer.size()) < op().buffer_size()) {
        buffer.push_back(pulled++);
      }
    };
    for (int64_t i = 0; i < picks_; ++i) {
      fill();
      TakeOut(&buffer, random_.At(static_cast<uint64_t>(i)) % buffer.size());
    }
    fill();
    return buffer;
  }

  // Passes over `results` results and keeps the elements of the numbers `kept`. Elements have the
  // numbers of their results only if no result was an error: otherwise each is looked at.
  Status PullKept(const std::deque<int64_t>& kept, int64_t results, bool all_elements) {
    std::vector<std::pair<int64_t, size_t>> wanted;  // number of the element, place in the buffer
    for (size_t i = 0; i < kept.size(); ++i) wanted.emplace_back(kept[i], i);
    std::sort(wanted.begin(), wanted.end());
    buffer_.resize(kept.size());
    auto next = wanted.begin();
    int64_t number = 0;
    int64_t result = 0;
    Element element;
    while (result < results) {
      if (all_elements) {
        const int64_t until = next == wanted.end() ? results : next->first;
        const int64_t before = result;
        Status status = input_->Skip(until - before, &result);
        number += result - before;
        if (!status.ok()) return PulledLess(std::move(status));
        if (result == results) break;
      }
      Status status = input_->Next(&element);
      if (status.end_of_sequence() || status.code() == Code::kCancelled) {
        return PulledLess(std::move(status));
      }
      ++result;
      if (!status.ok()) continue;
      if (next != wanted.end() && next->first == number) {
        buffer_[(next++)->second] = std::move(element);
      }
      ++number;
    }
    return next == wanted.end() ? Status::Ok() : PulledLess(Status::EndOfSequence());
  }

  static Status PulledLess(Status status) {
    if (status.error()) return status;
    return FailedPrecondition(
        "the input of the shuffle is not what it was when the position was saved: it has fewer "
        "elements");
  }

  PassSeed seed_;
  Philox random_;
  int64_t picks_ = 0;
  int64_t results_ = 0;   // of the input, errors too
  int64_t elements_ = 0;  // of the input
  bool input_ended_ = false;
  bool started_ = false;
  PositionWriter beginning_;  // where the input stood before the first result
  Status beginning_status_;
  std::deque<Element> buffer_;
};

std::unique_ptr<Iterator> Shuffle::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<ShuffleIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeShuffle(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(int64_t buffer_size, args.Int("buffer_size"));
  FASTPIPE_ASSIGN(const uint64_t seed, SeedArgument(args));
  FASTPIPE_ASSIGN(const bool reshuffle, args.BoolOr("reshuffle_each_iteration", true));
  if (buffer_size < 1 && buffer_size != kAll) {
    return args.Error(
        StrCat("buffer_size must be >= 1, or -2 for all elements, got ", buffer_size));
  }
  if (buffer_size == kAll) buffer_size = INT64_MAX;
  return std::make_shared<Shuffle>(inputs[0], buffer_size, seed, reshuffle);
}

FASTPIPE_OP("shuffle", MakeShuffle);

}  // namespace
}  // namespace fastpipe
