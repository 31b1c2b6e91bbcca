// filter(predicate): the elements for which it holds.

#include <algorithm>

#include "core/column_program.h"
#include "core/registry.h"
#include "core/select_rows.h"
#include "ops/interrupted_element.h"
#include "ops/predicate.h"

namespace fastpipe {
namespace {

class Filter final : public Dataset {
 public:
  Filter(DatasetRef input, Function predicate)
      : Dataset(input->spec(), {input}), predicate_(std::move(predicate)), columns_(predicate_) {}
  const Function& predicate() const { return predicate_; }
  // What tests blocks; null if the predicate sees elements one by one.
  const ColumnProgram* columns() const { return columns_.get(); }
  bool GivesBlocks(const RunOptions& options) const override {
    return input()->GivesBlocks(options) && columns() != nullptr;
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const Function predicate_;
  const OwnColumnProgram columns_;
};

class FilterIterator final : public UnaryIterator<Filter> {
 public:
  FilterIterator(const Filter& op, const IteratorContext& context)
      : UnaryIterator(op, context), predicate_(op.predicate(), op, context) {}

 private:
  Status Produce(Element* out) override {
    while (true) {
      FASTPIPE_RETURN_IF_ERROR(interrupted_.Next(input_.get(), out));
      bool holds = false;
      Status status = predicate_.Test(input_->count() - 1, *out, &holds);
      FASTPIPE_RETURN_IF_ERROR(interrupted_.Keep(std::move(status), out));
      if (holds) return Status::Ok();
    }
  }

  // Every row that was pulled is decided on, so none is left over.
  Status ProduceBlock(int64_t most, Block* out) override {
    if (!call_) {
      call_.emplace(*op().columns(), context().run->kernel_context(op(), context()));
    }
    while (true) {
      FASTPIPE_RETURN_IF_ERROR(input_->NextBlock(call_->RowsOf(most), &in_));
      verdicts_.clear();
      FASTPIPE_RETURN_IF_ERROR(call_->Run(in_, &verdicts_));
      const bool* verdicts = verdicts_.columns[0].data<bool>();
      const std::span<const bool> keep(verdicts, static_cast<size_t>(in_.rows));
      out->rows = std::count(keep.begin(), keep.end(), true);
      if (out->rows > 0) break;
    }
    const bool* verdicts = verdicts_.columns[0].data<bool>();
    for (Tensor& column : in_.columns) {
      if (out->rows == in_.rows) {
        out->columns.push_back(std::move(column));
      } else {
        out->columns.push_back(
            SelectRows(column, {verdicts, static_cast<size_t>(in_.rows)}, out->rows));
      }
    }
    return Status::Ok();
  }

  Status SavePosition(PositionWriter* writer) override {
    FASTPIPE_RETURN_IF_ERROR(interrupted_.ExpectNone(op().label()));
    return UnaryIterator::SavePosition(writer);
  }

  Predicate predicate_;
  InterruptedElement interrupted_;
  std::optional<ColumnCall> call_;
  Block in_;
  Block verdicts_;
};

std::unique_ptr<Iterator> Filter::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<FilterIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeFilter(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(Function predicate, PredicateFunction(args, inputs[0]->spec()));
  return std::make_shared<Filter>(inputs[0], std::move(predicate));
}

FASTPIPE_OP("filter", MakeFilter);

}  // namespace
}  // namespace fastpipe
