// shuffle(buffer_size, seed, reshuffle_each_iteration): delivers a random one of the next
// `buffer_size` elements; -2: of all. The order is TensorFlow's for the seed.

#include <algorithm>
#include <deque>

#include "core/registry.h"
#include "core/row_ring.h"
#include "runtime/seed.h"

namespace fastpipe {
namespace {

// As buffer_size: everything.
constexpr int64_t kAll = -2;

class Shuffle final : public Dataset {
 public:
  Shuffle(DatasetRef input, int64_t buffer_size, Seed seed)
      : Dataset(input->spec(), {input}), buffer_size_(buffer_size), seed_(seed) {}
  int64_t buffer_size() const { return buffer_size_; }
  const Seed* seed() const override { return &seed_; }
  // Small numbers are held in columns, and pass in blocks.
  bool TakesBlocks(const RunOptions& options) const override {
    return input()->GivesBlocks(options) && RowRing::Fits(spec());
  }
  bool GivesBlocks(const RunOptions& options) const override { return TakesBlocks(options); }
  int64_t Cardinality() const override { return input()->Cardinality(); }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const int64_t buffer_size_;
  const Seed seed_;
};

// Takes item `index` out of the buffer; the first takes its place, as in TensorFlow.
template <typename T>
T TakeOut(std::deque<T>* buffer, size_t index) {
  T taken = std::move((*buffer)[index]);
  if (index != 0) (*buffer)[index] = std::move(buffer->front());
  buffer->pop_front();
  return taken;
}

// What a RowRing is, of elements of any kind.
class ElementBuffer {
 public:
  ElementBuffer(const ElementSpec&, int64_t) {}
  int64_t size() const { return static_cast<int64_t>(elements_.size()); }
  void clear() { elements_ = {}; }
  void Append(Element element) { elements_.push_back(std::move(element)); }
  void Append(const Block& block) {
    for (int64_t row = 0; row < block.rows; ++row) {
      AppendRow(block, row, &elements_.emplace_back());
    }
  }
  void TakeOut(int64_t index, Element* out) {
    *out = fastpipe::TakeOut(&elements_, static_cast<size_t>(index));
  }
  void Resize(int64_t size) { elements_.resize(static_cast<size_t>(size)); }
  void Set(int64_t index, Element element) {
    elements_[static_cast<size_t>(index)] = std::move(element);
  }

 private:
  std::deque<Element> elements_;
};

// The picks of a pass, in their order.
class Picks {
 public:
  explicit Picks(Philox random) : random_(random) {}
  int64_t count() const { return count_; }
  // One of `size` rows.
  int64_t Next(int64_t size) { return Number() % size; }
  // One of `size` rows each.
  void Next(int64_t size, std::span<int64_t> picks) {
    if (size > UINT32_MAX) {
      for (int64_t& pick : picks) pick = Next(size);
      return;
    }
    // A division by one number again and again: Lemire, Kaser, Kurz, "Faster remainder by direct
    // computation".
    const uint64_t inverse = UINT64_MAX / static_cast<uint64_t>(size) + 1;
    for (int64_t& pick : picks) {
      const uint64_t fraction = inverse * static_cast<uint64_t>(Number());
      pick = static_cast<int64_t>(
          (static_cast<unsigned __int128>(fraction) * static_cast<uint64_t>(size)) >> 64);
    }
  }

 private:
  int64_t Number() {
    const auto place = static_cast<uint64_t>(count_++);
    if (place % 4 == 0) block_ = random_.Next();
    return block_[place % 4];
  }

  Philox random_;
  int64_t count_ = 0;
  Philox::Block block_{};
};

template <typename Buffer>
class ShuffleIterator final : public UnaryIterator<Shuffle> {
 public:
  ShuffleIterator(const Shuffle& op, const IteratorContext& context)
      : UnaryIterator(op, context),
        seed_(op, context),
        picks_(seed_.Random()),
        buffer_(op.spec(), op.buffer_size()) {}

 private:
  Status Produce(Element* out) override {
    if (!started_) NoteBeginning();
    FASTPIPE_RETURN_IF_ERROR(FillBuffer(op().buffer_size()));
    if (buffer_.size() == 0) return End();
    buffer_.TakeOut(picks_.Next(buffer_.size()), out);
    return Status::Ok();
  }

  Status ProduceBlock(int64_t most, Block* out) override {
    if constexpr (kRows) {
      if (!started_) NoteBeginning();
      // Before each pick the buffer is filled, so that behind each it lacks one.
      FASTPIPE_RETURN_IF_ERROR(FillBuffer(op().buffer_size() - 1));
      if (!input_ended_) FASTPIPE_RETURN_IF_ERROR(PullBlock(most));
      return input_ended_ ? Drain(most, out) : PassThrough(out);
    } else {
      Element element;
      FASTPIPE_RETURN_IF_ERROR(Produce(&element));
      *out = BlockOf(element);
      return Status::Ok();
    }
  }

  // Picks as many rows as came in.
  Status PassThrough(Block* out) {
    drawn_.resize(static_cast<size_t>(in_.rows));
    picks_.Next(buffer_.size() + 1, drawn_);
    buffer_.TakeOut(&in_, drawn_, out);
    return Status::Ok();
  }

  Status Drain(int64_t most, Block* out) {
    if (buffer_.size() == 0) return End();
    drawn_.resize(static_cast<size_t>(std::min(most, buffer_.size())));
    int64_t left = buffer_.size();
    for (int64_t& pick : drawn_) pick = picks_.Next(left--);
    buffer_.TakeOut(nullptr, drawn_, out);
    return Status::Ok();
  }

  static constexpr bool kRows = std::is_same_v<Buffer, RowRing>;

  Status End() {
    buffer_.clear();
    return Status::EndOfSequence();
  }

  Status PullBlock(int64_t most) {
    Status status = input_->NextBlock(most, &in_);
    input_ended_ = status.end_of_sequence();
    if (input_ended_) return Status::Ok();
    if (status.code() == Code::kCancelled) return status;
    results_ += status.ok() ? in_.rows : 1;
    elements_ += in_.rows;
    return status;
  }

  // Pulls until the buffer holds `size` elements or the input has ended.
  Status FillBuffer(int64_t size) {
    while (!input_ended_ && buffer_.size() < size) {
      if (kRows && size - buffer_.size() > 1) {
        FASTPIPE_RETURN_IF_ERROR(PullBlock(size - buffer_.size()));
        if (!input_ended_) buffer_.Append(in_);
      } else {
        FASTPIPE_RETURN_IF_ERROR(PullElement());
      }
    }
    return Status::Ok();
  }

  Status PullElement() {
    Element element;
    Status status = input_->Next(&element);
    input_ended_ = status.end_of_sequence();
    if (input_ended_) return Status::Ok();
    if (status.code() == Code::kCancelled) return status;
    ++results_;
    FASTPIPE_RETURN_IF_ERROR(std::move(status));
    ++elements_;
    buffer_.Append(std::move(element));
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
    writer->PutInt(picks_.count());
    writer->PutInt(results_);
    writer->PutInt(elements_);
    writer->PutBytes(beginning_.bytes());
    return Status::Ok();
  }

  // Draws the picks again over the numbers of the elements, and then pulls only those elements that
  // no pick took.
  Status RestorePosition(PositionReader* reader) override {
    seed_.Restore(reader);
    picks_ = Picks(seed_.Random());
    const int64_t picks = reader->GetCount();
    const int64_t results = reader->GetCount();
    const int64_t elements = reader->GetCount(results);
    // Errors are results beyond the cardinality.
    const int64_t most = op().inputs().front()->Cardinality();
    if (picks > elements || (most >= 0 && elements > most)) {
      return DataLoss("the saved iterator position is damaged");
    }
    PositionReader beginning(reader->GetBytes());
    FASTPIPE_RETURN_IF_ERROR(reader->status());
    if (most < 0 && std::min(elements - picks, op().buffer_size()) > kTrustedRows) {
      FASTPIPE_RETURN_IF_ERROR(ExpectResults(beginning, results));
    }
    FASTPIPE_RETURN_IF_ERROR(input_->Restore(&beginning));
    NoteBeginning();
    std::deque<int64_t> kept;
    FASTPIPE_RETURN_IF_ERROR(RedrawPicks(picks, elements, &kept));
    FASTPIPE_RETURN_IF_ERROR(PullKept(kept, results, results == elements));
    results_ = results;
    elements_ = elements;
    return Status::Ok();
  }

  // The numbers of the elements that `picks` picks leave in the buffer, in its order.
  Status RedrawPicks(int64_t picks, int64_t elements, std::deque<int64_t>* buffer) {
    int64_t pulled = 0;
    const auto fill = [&] {
      while (pulled < elements && static_cast<int64_t>(buffer->size()) < op().buffer_size()) {
        buffer->push_back(pulled++);
        if (pulled % kResultsPerLook == 0) FASTPIPE_RETURN_IF_ERROR(Look());
      }
      return Status::Ok();
    };
    while (picks_.count() < picks) {
      FASTPIPE_RETURN_IF_ERROR(fill());
      TakeOut(buffer, static_cast<size_t>(picks_.Next(static_cast<int64_t>(buffer->size()))));
    }
    return fill();
  }

  // A damaged position may claim any number of elements: before memory is taken for very many they
  // must be seen.
  Status ExpectResults(PositionReader beginning, int64_t results) const {
    const auto input = op().inputs().front()->MakeIterator(context());
    FASTPIPE_RETURN_IF_ERROR(input->Restore(&beginning));
    int64_t skipped = 0;
    Status status = input->Skip(results, &skipped);
    return status.ok() ? status : PulledLess(std::move(status));
  }
  static constexpr int64_t kTrustedRows = 1 << 24;

  Status Look() const {
    if (context().cancel->cancelled()) return Cancelled("the iterator was closed");
    return CheckInterrupt();
  }
  static constexpr int64_t kResultsPerLook = 1 << 16;

  // Passes over `results` results and keeps the elements of the numbers `kept`. Elements have the
  // numbers of their results only if no result was an error: otherwise each is looked at.
  Status PullKept(const std::deque<int64_t>& kept, int64_t results, bool all_elements) {
    std::vector<std::pair<int64_t, int64_t>> wanted;  // number of the element, place in the buffer
    for (int64_t number : kept) wanted.emplace_back(number, wanted.size());
    std::sort(wanted.begin(), wanted.end());
    buffer_.Resize(static_cast<int64_t>(kept.size()));
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
        buffer_.Set((next++)->second, std::move(element));
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
  Picks picks_;
  int64_t results_ = 0;   // of the input, errors too
  int64_t elements_ = 0;  // of the input
  bool input_ended_ = false;
  bool started_ = false;
  PositionWriter beginning_;  // where the input stood before the first result
  Status beginning_status_;
  Buffer buffer_;
  // Scratch of ProduceBlock.
  Block in_;
  std::vector<int64_t> drawn_;
};

std::unique_ptr<Iterator> Shuffle::MakeIterator(const IteratorContext& context) const {
  if (TakesBlocks(context.run->options())) {
    return std::make_unique<ShuffleIterator<RowRing>>(*this, context);
  }
  return std::make_unique<ShuffleIterator<ElementBuffer>>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeShuffle(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(int64_t buffer_size, args.Int("buffer_size"));
  FASTPIPE_ASSIGN(const bool reshuffle, args.BoolOr("reshuffle_each_iteration", true));
  FASTPIPE_ASSIGN(const Seed seed, SeedArgument(args, reshuffle));
  if (buffer_size < 1 && buffer_size != kAll) {
    return args.Error(
        StrCat("buffer_size must be >= 1, or -2 for all elements, got ", buffer_size));
  }
  if (buffer_size == kAll) buffer_size = INT64_MAX;
  return std::make_shared<Shuffle>(inputs[0], buffer_size, seed);
}

FASTPIPE_OP("shuffle", MakeShuffle);

}  // namespace
}  // namespace fastpipe
