// group_by_reducer(key, init, reduce, finalize): folds the elements of each key, and yields one
// result for each key, in the order of the keys, when the input has ended.

#include <map>

#include "core/program.h"
#include "core/registry.h"
#include "ops/interrupted_element.h"
#include "ops/replayed_input.h"
#include "runtime/context.h"

namespace fastpipe {
namespace {

class GroupByReducer final : public Dataset {
 public:
  struct Functions {
    Function key;       // element -> scalar int64
    Function init;      // key -> state
    Function reduce;    // state, element -> state
    Function finalize;  // state -> result
  };

  GroupByReducer(DatasetRef input, Functions functions)
      : Dataset(functions.finalize.program->output_specs(), {input}),
        functions_(std::move(functions)) {}
  const Functions& functions() const { return functions_; }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const Functions functions_;
};

class GroupByReducerIterator final : public IteratorOf<GroupByReducer> {
 public:
  GroupByReducerIterator(const GroupByReducer& op, const IteratorContext& context)
      : IteratorOf(op, context),
        input_(op.inputs().front()->MakeIterator(context)),
        key_(op.functions().key, context.run->kernel_context(op, context)),
        init_(op.functions().init, context.run->kernel_context(op, context)),
        reduce_(op.functions().reduce, context.run->kernel_context(op, context)),
        finalize_(op.functions().finalize, context.run->kernel_context(op, context)) {}

 private:
  // An error costs the element, or the group whose result it is.
  Status Produce(Element* out) override {
    while (!input_ended_) {
      Status status = PullOne();
      if (status.end_of_sequence()) {
        input_ended_ = true;
        next_ = groups_.begin();
      } else {
        FASTPIPE_RETURN_IF_ERROR(std::move(status));
      }
    }
    if (next_ == groups_.end()) return Status::EndOfSequence();
    Status status = finalize_.Run(finalized_, next_->second, out);
    if (status.code() == Code::kCancelled) return status;
    ++next_;
    ++finalized_;
    return status;
  }

  // Takes one result of the input into its group.
  Status PullOne() {
    FASTPIPE_RETURN_IF_ERROR(interrupted_.Next(&input_, &element_));
    return interrupted_.Keep(Reduce(input_.count() - 1), &element_);
  }

  // Takes element_ into its group.
  Status Reduce(int64_t number) {
    FASTPIPE_RETURN_IF_ERROR(key_.Run(number, element_, &result_));
    if (result_[0].rank() != 0) {
      return InvalidArgument(
          StrCat("the key must be a scalar, got shape ", ShapeString(result_[0].dims())));
    }
    const int64_t key = result_[0].AsInt64();
    auto group = groups_.find(key);
    if (group == groups_.end()) {
      FASTPIPE_RETURN_IF_ERROR(init_.Run(number, {Tensor::Scalar(key)}, &result_));
      group = groups_.emplace(key, std::move(result_)).first;
    }
    Element arguments = group->second;
    for (const Tensor& tensor : element_) arguments.push_back(tensor);
    FASTPIPE_RETURN_IF_ERROR(reduce_.Run(number, arguments, &result_));
    group->second = std::move(result_);
    return Status::Ok();
  }

  Status SavePosition(PositionWriter* writer) override {
    FASTPIPE_RETURN_IF_ERROR(interrupted_.ExpectNone(op().label()));
    writer->PutInt(finalized_);
    return input_.Save(writer);
  }
  // The states are made again from the input.
  Status RestorePosition(PositionReader* reader) override {
    finalized_ = reader->GetCount();
    const auto has_room = [] { return true; };  // an op that takes all of its input
    FASTPIPE_RETURN_IF_ERROR(input_.Restore(reader, has_room, [this] { return PullOne(); }));
    if (finalized_ > 0) {
      input_ended_ = true;
      if (finalized_ > static_cast<int64_t>(groups_.size())) {
        return DataLoss("the position is of another input");
      }
      next_ = std::next(groups_.begin(), finalized_);
    }
    return Status::Ok();
  }

  ReplayedInput input_;
  FunctionCall key_;
  FunctionCall init_;
  FunctionCall reduce_;
  FunctionCall finalize_;
  std::map<int64_t, Element> groups_;
  std::map<int64_t, Element>::iterator next_ = groups_.end();
  int64_t finalized_ = 0;
  bool input_ended_ = false;
  Element element_;
  Element result_;
  InterruptedElement interrupted_;
};

std::unique_ptr<Iterator> GroupByReducer::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<GroupByReducerIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeGroupByReducer(const Args& args,
                                                    std::vector<DatasetRef> inputs) {
  GroupByReducer::Functions functions;
  FASTPIPE_ASSIGN(functions.key, args.Func("key"));
  FASTPIPE_ASSIGN(functions.init, args.Func("init"));
  FASTPIPE_ASSIGN(functions.reduce, args.Func("reduce"));
  FASTPIPE_ASSIGN(functions.finalize, args.Func("finalize"));
  const ElementSpec& element = inputs[0]->spec();
  const TensorSpec scalar = TensorSpec::Scalar(DType::kInt64);
  FASTPIPE_RETURN_IF_ERROR(ExpectArgs(args, functions.key, element));
  const ElementSpec& keys = functions.key.program->output_specs();
  if (keys.size() != 1 || !(keys[0] == scalar)) {
    return args.Error(StrCat("key_func must return one scalar int64, got ",
                             keys.empty() ? "nothing" : keys[0].ToString()));
  }
  FASTPIPE_RETURN_IF_ERROR(ExpectArgs(args, functions.init, {scalar}));
  const ElementSpec& state = functions.init.program->output_specs();
  ElementSpec both = state;
  both.insert(both.end(), element.begin(), element.end());
  FASTPIPE_RETURN_IF_ERROR(ExpectArgs(args, functions.reduce, both));
  FASTPIPE_RETURN_IF_ERROR(ExpectArgs(args, functions.finalize, state));
  if (functions.reduce.program->output_specs().size() != state.size()) {
    return args.Error(StrCat("reduce_func must return the ", state.size(),
                             " components of the state, got ",
                             functions.reduce.program->output_specs().size()));
  }
  return std::make_shared<GroupByReducer>(inputs[0], std::move(functions));
}

FASTPIPE_OP("group_by_reducer", MakeGroupByReducer);

}  // namespace
}  // namespace fastpipe
