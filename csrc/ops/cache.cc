// cache(): keeps the elements of the first complete pass in memory and serves later passes from it.

#include <algorithm>
#include <optional>
#include <string>

#include "core/mutex.h"
#include "core/registry.h"

namespace fastpipe {
namespace {

using Elements = std::shared_ptr<const std::vector<Element>>;

// What one Cache remembers across its iterators.
class CacheMemory {
 public:
  // Null until a pass has completed.
  Elements elements() {
    MutexLock lock(mutex_);
    return elements_;
  }
  // Where the input of the pass that filled the cache began, or of the one that a position says
  // did. A new pass begins there too, so that it finds the same elements in the same order.
  std::optional<std::string> beginning() {
    MutexLock lock(mutex_);
    return beginning_;
  }
  // The first pass to complete wins.
  void Complete(std::vector<Element> elements, std::optional<std::string> beginning) {
    auto complete = std::make_shared<const std::vector<Element>>(std::move(elements));
    MutexLock lock(mutex_);
    if (elements_) return;
    elements_ = std::move(complete);
    beginning_ = std::move(beginning);
  }
  void SetBeginning(std::optional<std::string> beginning) {
    MutexLock lock(mutex_);
    if (!elements_) beginning_ = std::move(beginning);
  }

 private:
  Mutex mutex_;
  Elements elements_ GUARDED_BY(mutex_);
  std::optional<std::string> beginning_ GUARDED_BY(mutex_);
};

class Cache final : public Dataset {
 public:
  explicit Cache(DatasetRef input)
      : Dataset(input->spec(), {input}), memory_(std::make_unique<CacheMemory>()) {}
  int64_t Cardinality() const override { return input()->Cardinality(); }
  CacheMemory& memory() const { return *memory_; }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const std::unique_ptr<CacheMemory> memory_;
};

class CacheIterator final : public IteratorOf<Cache> {
 public:
  using IteratorOf::IteratorOf;

 private:
  enum class Mode : int64_t {
    kUndecided,  // before the first result
    kFilling,    // passes the input on and collects it
    kResumed,    // passes the input on from where a restored pass stood
    kFailed,     // passes the input on, which has had an error
    kServing,    // from memory
  };

  Status Produce(Element* out) override {
    FASTPIPE_RETURN_IF_ERROR(Decide());
    if (mode_ == Mode::kServing) {
      if (next_ == serving_size()) return Status::EndOfSequence();
      *out = (*elements_)[static_cast<size_t>(next_++)];
      return Status::Ok();
    }
    Status status = input_->Next(out);
    Collect(status, *out);
    return status;
  }

  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    FASTPIPE_RETURN_IF_ERROR(Decide());
    if (mode_ == Mode::kFailed) return input_->Skip(count, skipped);
    if (mode_ != Mode::kServing) return Iterator::ProduceSkip(count, skipped);
    const int64_t step = std::min(count, serving_size() - next_);
    next_ += step;
    *skipped += step;
    return step == count ? Status::Ok() : Status::EndOfSequence();
  }

  int64_t serving_size() const { return static_cast<int64_t>(elements_->size()); }

  Status Decide() {
    if (mode_ != Mode::kUndecided) return Status::Ok();
    elements_ = op().memory().elements();
    if (elements_) {
      mode_ = Mode::kServing;
      return Status::Ok();
    }
    FASTPIPE_RETURN_IF_ERROR(OpenInput());
    mode_ = Mode::kFilling;
    return Status::Ok();
  }

  // Makes the input, where the cache says that a pass begins.
  Status OpenInput() {
    input_ = op().inputs().front()->MakeIterator(context());
    beginning_ = op().memory().beginning();
    if (beginning_) {
      PositionReader reader(*beginning_);
      return input_->Restore(&reader);
    }
    PositionWriter writer;
    if (input_->Save(&writer).ok()) beginning_ = writer.bytes();
    return Status::Ok();
  }

  // Adds a result to the part collected so far. A pass with an error does not complete the cache.
  void Collect(const Status& status, const Element& element) {
    if (status.error() && status.code() != Code::kCancelled) {
      mode_ = Mode::kFailed;
      part_ = {};
    } else if (mode_ == Mode::kFilling && status.ok()) {
      part_.push_back(element);
    } else if (mode_ == Mode::kFilling && status.end_of_sequence()) {
      op().memory().Complete(std::move(part_), beginning_);
    } else if (mode_ == Mode::kResumed && status.end_of_sequence()) {
      op().memory().SetBeginning(beginning_);  // it would have completed the memory
    }
  }

  Status SavePosition(PositionWriter* writer) override {
    // A pass that has not begun yet settles where it will begin.
    FASTPIPE_RETURN_IF_ERROR(Decide());
    writer->PutInt(static_cast<int64_t>(mode_));
    const std::optional<std::string> beginning =
        mode_ == Mode::kServing ? op().memory().beginning() : beginning_;
    if (!beginning) {
      return Unimplemented(op().label() + ": its input has no position that can be saved");
    }
    writer->PutBytes(*beginning);
    writer->PutInt(mode_ == Mode::kServing ? next_ : static_cast<int64_t>(part_.size()));
    return mode_ == Mode::kServing ? Status::Ok() : input_->Save(writer);
  }

  // A restored pass has not seen the elements before its place, so it does not fill the memory. But
  // it knows where the pass began that did, or would have: once that is certain, the next one fills
  // it with the same.
  Status RestorePosition(PositionReader* reader) override {
    const auto saved = static_cast<Mode>(reader->GetCount(static_cast<int64_t>(Mode::kServing)));
    beginning_ = std::string(reader->GetBytes());
    const int64_t passed = reader->GetCount();
    FASTPIPE_RETURN_IF_ERROR(reader->status());
    if (saved == Mode::kServing) return RestoreServing(passed);
    mode_ = saved == Mode::kFilling && passed > 0 ? Mode::kResumed : saved;
    input_ = op().inputs().front()->MakeIterator(context());
    return input_->Restore(reader);
  }

  Status RestoreServing(int64_t next) {
    op().memory().SetBeginning(beginning_);
    elements_ = op().memory().elements();
    if (elements_) {
      mode_ = Mode::kServing;
      next_ = std::min(next, serving_size());
      return Status::Ok();
    }
    mode_ = Mode::kResumed;
    FASTPIPE_RETURN_IF_ERROR(OpenInput());
    int64_t skipped = 0;
    Status status = input_->Skip(next, &skipped);
    return status.end_of_sequence() ? Status::Ok() : status;
  }

  Mode mode_ = Mode::kUndecided;
  Elements elements_;  // served
  int64_t next_ = 0;   // of elements_
  std::unique_ptr<Iterator> input_;
  std::optional<std::string> beginning_;  // of input_
  std::vector<Element> part_;             // collected while filling
};

std::unique_ptr<Iterator> Cache::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<CacheIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeCache(const Args&, std::vector<DatasetRef> inputs) {
  return std::make_shared<Cache>(inputs[0]);
}

FASTPIPE_OP("cache", MakeCache);

}  // namespace
}  // namespace fastpipe
