#include "core/dataset.h"

#include <algorithm>

#include "core/guard.h"
#include "core/interrupt_checks.h"

namespace fastpipe {
namespace {

class DatasetObject final : public Object {
 public:
  explicit DatasetObject(DatasetRef dataset) : dataset_(std::move(dataset)) {}
  const DatasetRef& dataset() const { return dataset_; }

 private:
  // Ref counts for itself, so the last one hands the object back to unique_ptr.
  void Dispose() override { std::unique_ptr<DatasetObject> owned(this); }
  friend std::default_delete<DatasetObject>;
  ~DatasetObject() override = default;
  const DatasetRef dataset_;
};

}  // namespace

int Dataset::DepthAbove(const std::vector<DatasetRef>& inputs) {
  int depth = 0;
  for (const DatasetRef& input : inputs) depth = std::max(depth, input->depth() + 1);
  return depth;
}

std::vector<const Dataset*> Dataset::DrawingOps() const {
  std::vector<const Dataset*> ops;
  for (const DatasetRef& op : drawing_below_) ops.push_back(op.get());
  if (seed() != nullptr) ops.push_back(this);
  return ops;
}

Status Iterator::Conclude(Status status, int64_t results) {
  if (status.ok()) {
    count_ += results;
  } else if (status.end_of_sequence()) {
    ended_ = true;
  } else if (status.code() != Code::kCancelled) {
    if (!status.located()) {
      // Without memory for its place, an error is still the error.
      static_cast<void>(Guarded([&] {
        status.AddTrail(StrCat(dataset_->label(), ", element ", count_));
        return Status::Ok();
      }));
      status.set_located();
    }
    ++count_;
  }
  return status;
}

Status Iterator::Next(Element* out) {
  out->clear();
  if (context_.cancel->cancelled()) return Cancelled("the iterator was closed");
  if (ended_) return Status::EndOfSequence();
  if (TimeForInterruptCheck(results_per_interrupt_check, count_)) {
    FASTPIPE_RETURN_IF_ERROR(CheckInterrupt());
  }
  return Conclude(Guarded([&] { return Produce(out); }), 1);
}

Status Iterator::NextBlock(int64_t most, Block* out) {
  out->clear();
  if (context_.cancel->cancelled()) return Cancelled("the iterator was closed");
  if (ended_) return Status::EndOfSequence();
  if (TimeForInterruptCheck(blocks_per_interrupt_check, blocks_++)) {
    FASTPIPE_RETURN_IF_ERROR(CheckInterrupt());
  }
  Status status = Guarded([&] { return ProduceBlock(std::min(most, kMostBlockRows), out); });
  if (!status.ok()) out->clear();
  return Conclude(std::move(status), out->rows);
}

Status Iterator::ProduceBlock(int64_t most, Block* out) {
  static_cast<void>(most);
  Element element;
  FASTPIPE_RETURN_IF_ERROR(Produce(&element));
  *out = BlockOf(element);
  return Status::Ok();
}

Status Iterator::Skip(int64_t count, int64_t* skipped) {
  if (context_.cancel->cancelled()) return Cancelled("the iterator was closed");
  if (ended_ && count > 0) return Status::EndOfSequence();
  const int64_t before = *skipped;
  Status status = Guarded([&] { return ProduceSkip(count, skipped); });
  count_ += *skipped - before;
  if (status.end_of_sequence()) ended_ = true;
  return status;
}

Status Iterator::ProduceSkip(int64_t count, int64_t* skipped) {
  Element dropped;
  for (int64_t i = 0; i < count; ++i) {
    dropped.clear();
    if (TimeForInterruptCheck(results_per_interrupt_check, i)) {
      FASTPIPE_RETURN_IF_ERROR(CheckInterrupt());
    }
    Status status = Produce(&dropped);
    if (status.end_of_sequence() || status.code() == Code::kCancelled) return status;
    ++*skipped;
  }
  return Status::Ok();
}

Status Iterator::Save(PositionWriter* writer) {
  writer->PutInt(count_);
  writer->PutInt(ended_ ? 1 : 0);
  if (!ended_) return SavePosition(writer);
  // Past the end there is nothing to come back to, whatever the op.
  EpochCounts epochs(*dataset_, context_.epochs);
  epochs.Note();
  epochs.Save(writer);
  return Status::Ok();
}

Status Iterator::Restore(PositionReader* reader) {
  count_ = reader->GetCount();
  ended_ = reader->GetCount(1) == 1;
  FASTPIPE_RETURN_IF_ERROR(reader->status());
  if (ended_) {
    EpochCounts(*dataset_, context_.epochs).Restore(reader);
  } else {
    FASTPIPE_RETURN_IF_ERROR(RestorePosition(reader));
  }
  return reader->status();
}

Tensor TensorOf(DatasetRef dataset) {
  auto object = std::make_unique<DatasetObject>(std::move(dataset));
  return Tensor::Holding(DType::kDataset, Ref<DatasetObject>::Adopt(object.release()));
}

const DatasetRef& DatasetOf(const Tensor& tensor) {
  return tensor.held<DatasetObject>()->dataset();
}

TensorSpec DatasetSpec(const ElementSpec& element) {
  TensorSpec spec = TensorSpec::Scalar(DType::kDataset);
  spec.element = std::make_shared<const ElementSpec>(element);
  return spec;
}

}  // namespace fastpipe
