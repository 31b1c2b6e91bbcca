// unbatch(parts): the rows of axis 0 of every element, one after the other. A row shares memory
// with its element.

#include <algorithm>

#include "core/composite.h"
#include "core/registry.h"
#include "core/stack.h"
#include "ops/replayed_input.h"

namespace fastpipe {
namespace {

class Unbatch final : public Dataset {
 public:
  Unbatch(ElementSpec spec, Components components, int64_t rows, DatasetRef input)
      : Dataset(std::move(spec), {input}), components_(std::move(components)), rows_(rows) {}
  const Components& components() const { return components_; }
  int64_t Cardinality() const override {
    const int64_t size = input()->Cardinality();
    if (size <= 0) return size;
    if (rows_ <= 0) return kUnknown;
    return size > INT64_MAX / rows_ ? INT64_MAX : size * rows_;
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const Components components_;
  const int64_t rows_;  // of every element; -1: unknown
};

class UnbatchIterator final : public IteratorOf<Unbatch> {
 public:
  UnbatchIterator(const Unbatch& op, const IteratorContext& context)
      : IteratorOf(op, context), input_(op.inputs().front()->MakeIterator(context)) {}

 private:
  Status Produce(Element* out) override {
    while (next_row_ == rows_) FASTPIPE_RETURN_IF_ERROR(NextBatch());
    AppendRow(batch_, op().components(), next_row_, out);
    ++next_row_;
    return Status::Ok();
  }
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    while (count > 0) {
      Status status = next_row_ == rows_ ? NextBatch() : Status::Ok();
      if (status.end_of_sequence() || status.code() == Code::kCancelled) return status;
      const int64_t step = status.ok() ? std::min(count, rows_ - next_row_) : 0;
      next_row_ += step;
      const int64_t passed = status.ok() ? step : 1;
      *skipped += passed;
      count -= passed;
    }
    return Status::Ok();
  }

  Status NextBatch() {
    batch_.clear();
    next_row_ = rows_ = 0;
    input_.ReleaseAll();
    FASTPIPE_RETURN_IF_ERROR(input_.Next(&batch_));
    Status status = CountRows(batch_, op().components(), &rows_);
    if (!status.ok()) rows_ = 0;
    return status;
  }

  Status SavePosition(PositionWriter* writer) override {
    if (next_row_ == rows_) input_.ReleaseAll();
    writer->PutInt(next_row_ == rows_ ? 0 : next_row_);
    return input_.Save(writer);
  }
  Status RestorePosition(PositionReader* reader) override {
    const int64_t row = reader->GetCount();
    int64_t again = 0;
    FASTPIPE_RETURN_IF_ERROR(input_.Restore(reader, &again));
    if (again == 0) return Status::Ok();
    FASTPIPE_RETURN_IF_ERROR(NextBatch());
    next_row_ = std::min(row, rows_);
    return Status::Ok();
  }

  ReplayedInput input_;
  Element batch_;
  int64_t rows_ = 0;
  int64_t next_row_ = 0;
};

std::unique_ptr<Iterator> Unbatch::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<UnbatchIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeUnbatch(const Args& args, std::vector<DatasetRef> inputs) {
  ElementSpec spec = inputs[0]->spec();
  int64_t rows = 0;
  FASTPIPE_ASSIGN(Components components, ReadComponents(args, spec));
  const Status status = UnstackSpec(components, &spec, &rows);
  if (!status.ok()) return args.Error(status.message());
  return std::make_shared<Unbatch>(std::move(spec), std::move(components), rows, inputs[0]);
}

FASTPIPE_OP("unbatch", MakeUnbatch);

}  // namespace
}  // namespace fastpipe
