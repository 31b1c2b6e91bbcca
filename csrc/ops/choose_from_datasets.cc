// choose_from_datasets(selector, inputs...; stop_on_empty_dataset): for each number of the selector
// the next element of that input.

#include <algorithm>

#include "core/registry.h"
#include "ops/element_choice.h"
#include "ops/interrupted_element.h"

namespace fastpipe {
namespace {

class ChooseFromDatasets final : public Dataset {
 public:
  ChooseFromDatasets(ElementSpec spec, std::vector<DatasetRef> inputs, bool stop_on_empty)
      : Dataset(std::move(spec), std::move(inputs)), stop_on_empty_(stop_on_empty) {}
  bool stop_on_empty() const { return stop_on_empty_; }
  int64_t Cardinality() const override {
    const auto endless = [](const DatasetRef& input) { return input->Cardinality() == kInfinite; };
    const auto first = inputs().begin() + 1;
    const bool served = stop_on_empty_ ? std::all_of(first, inputs().end(), endless)
                                       : std::any_of(first, inputs().end(), endless);
    return endless(input()) && served ? kInfinite : kUnknown;
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const bool stop_on_empty_;
};

class ChooseIterator final : public UnaryIterator<ChooseFromDatasets> {
 public:
  ChooseIterator(const ChooseFromDatasets& op, const IteratorContext& context)
      : UnaryIterator(op, context), choices_(op.inputs(), 1, context) {}

 private:
  Status Produce(Element* out) override {
    while (choices_.num_open() > 0) {
      FASTPIPE_RETURN_IF_ERROR(interrupted_.Next(input_.get(), &selected_));
      size_t index = 0;
      FASTPIPE_RETURN_IF_ERROR(ReadIndex(selected_[0], &index));
      if (!choices_.open(index)) continue;
      Status status = interrupted_.Keep(choices_.Next(index, out), &selected_);
      if (!status.end_of_sequence() || op().stop_on_empty()) return status;
    }
    return Status::EndOfSequence();
  }
  Status ReadIndex(const Tensor& selected, size_t* index) const {
    if (selected.rank() != 0) {
      return InvalidArgument(
          StrCat("the selector must give scalars, got shape ", ShapeString(selected.dims())));
    }
    const int64_t number = selected.scalar<int64_t>();
    if (number < 0 || number >= static_cast<int64_t>(choices_.size())) {
      return InvalidArgument(StrCat("the selector must give numbers from 0 to ",
                                    choices_.size() - 1, ", got ", number));
    }
    *index = static_cast<size_t>(number);
    return Status::Ok();
  }
  Status SavePosition(PositionWriter* writer) override {
    FASTPIPE_RETURN_IF_ERROR(interrupted_.ExpectNone(op().label()));
    FASTPIPE_RETURN_IF_ERROR(choices_.Save(writer));
    return UnaryIterator::SavePosition(writer);
  }
  Status RestorePosition(PositionReader* reader) override {
    FASTPIPE_RETURN_IF_ERROR(choices_.Restore(reader));
    return UnaryIterator::RestorePosition(reader);
  }

  InputSet choices_;
  Element selected_;
  InterruptedElement interrupted_;
};

std::unique_ptr<Iterator> ChooseFromDatasets::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<ChooseIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeChoose(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(const bool stop_on_empty, args.BoolOr("stop_on_empty_dataset", true));
  FASTPIPE_ASSIGN(ElementSpec spec, CommonSpec(args, inputs, 1));
  const ElementSpec& selector = inputs[0]->spec();
  const bool scalar = selector.size() == 1 && selector[0].dtype == DType::kInt64 &&
                      (!selector[0].known_rank || selector[0].rank() == 0);
  if (!scalar) {
    return args.Error(StrCat(
        "the selector must give scalar int64 elements, got ",
        selector.size() == 1 ? selector[0].ToString() : StrCat(selector.size(), " components")));
  }
  return std::make_shared<ChooseFromDatasets>(std::move(spec), std::move(inputs), stop_on_empty);
}

FASTPIPE_OP("choose_from_datasets", MakeChoose);

}  // namespace
}  // namespace fastpipe
