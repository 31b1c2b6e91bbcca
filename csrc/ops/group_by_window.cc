// group_by_window(key_func, reduce_func, window_size or window_size_func): collects elements by
// their key; a full group becomes a dataset, which `reduce_func` turns into the elements delivered.
// Groups that stay incomplete follow at the end, in the order of their keys.

#include <map>

#include "core/program.h"
#include "core/registry.h"
#include "ops/held_elements.h"
#include "ops/interrupted_element.h"
#include "ops/replayed_input.h"
#include "runtime/context.h"

namespace fastpipe {
namespace {

class GroupByWindow final : public Dataset {
 public:
  struct Functions {
    Function key;
    Function reduce;
    Function window_size;     // without a program: `fixed_size` holds
    int64_t fixed_size = -1;  // -1: window_size holds
  };

  GroupByWindow(DatasetRef input, Functions functions)
      : Dataset(*functions.reduce.program->output_specs()[0].element, {input}),
        functions_(std::move(functions)) {}
  const Functions& functions() const { return functions_; }
  int64_t Cardinality() const override {
    return input()->Cardinality() == kInfinite ? kInfinite : kUnknown;
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const Functions functions_;
};

// The groups being collected, and the functions that say which they are.
class Groups {
 public:
  using Group = std::vector<Element>;

  Groups(const GroupByWindow& op, const IteratorContext& context)
      : op_(op),
        key_(op.functions().key, context.run->kernel_context(op, context)),
        window_size_(op.functions().window_size, context.run->kernel_context(op, context)) {}

  // Moves element `number` of the pass to its group, unless that fails. `*full` tells whether that
  // is full now.
  Status Add(int64_t number, Element* element, int64_t* key, bool* full) {
    FASTPIPE_RETURN_IF_ERROR(key_.Run(number, *element, &result_));
    FASTPIPE_RETURN_IF_ERROR(ReadScalar("key_func", key));
    auto size = sizes_.find(*key);
    if (size == sizes_.end()) {
      int64_t window_size = 0;
      FASTPIPE_RETURN_IF_ERROR(SizeOf(number, *key, &window_size));
      size = sizes_.emplace(*key, window_size).first;
    }
    Group& group = groups_[*key];
    group.push_back(std::move(*element));
    *full = static_cast<int64_t>(group.size()) >= size->second;
    return Status::Ok();
  }

  bool empty() const { return groups_.empty(); }
  int64_t first_key() const { return groups_.begin()->first; }
  // REQUIRES: the group exists.
  Group Take(int64_t key) { return std::move(groups_.extract(key).mapped()); }

 private:
  Status ReadScalar(const char* function, int64_t* value) const {
    if (result_[0].rank() != 0) {
      return InvalidArgument(StrCat(function, " must return a scalar int64, got shape ",
                                    ShapeString(result_[0].dims())));
    }
    *value = result_[0].scalar<int64_t>();
    return Status::Ok();
  }
  Status SizeOf(int64_t number, int64_t key, int64_t* size) {
    *size = op_.functions().fixed_size;
    if (*size > 0) return Status::Ok();
    FASTPIPE_RETURN_IF_ERROR(window_size_.Run(number, {Tensor::Scalar(key)}, &result_));
    FASTPIPE_RETURN_IF_ERROR(ReadScalar("window_size_func", size));
    if (*size > 0) return Status::Ok();
    return InvalidArgument(
        StrCat("window_size_func must return sizes >= 1, got ", *size, " for key ", key));
  }

  const GroupByWindow& op_;
  FunctionCall key_;
  FunctionCall window_size_;
  Element result_;
  std::map<int64_t, Group> groups_;  // not empty, each of them
  std::map<int64_t, int64_t> sizes_;
};

class GroupByWindowIterator final : public IteratorOf<GroupByWindow> {
 public:
  GroupByWindowIterator(const GroupByWindow& op, const IteratorContext& context)
      : IteratorOf(op, context),
        input_(op.inputs().front()->MakeIterator(context)),
        groups_(op, context),
        reduce_(op.functions().reduce, context.run->kernel_context(op, context)) {}

 private:
  Status Produce(Element* out) override {
    while (true) {
      if (current_) {
        Status status = current_->Next(out);
        if (!status.end_of_sequence()) return status;
        current_.reset();
      }
      if (opening_.empty()) {
        int64_t key = 0;
        FASTPIPE_RETURN_IF_ERROR(NextGroup(&key));
        TakeGroup(key);
      }
      FASTPIPE_RETURN_IF_ERROR(OpenGroup());
    }
  }

  // Pulls until a group is full, or finds one that is left at the end.
  Status NextGroup(int64_t* key) {
    bool full = false;
    while (!input_ended_) {
      FASTPIPE_RETURN_IF_ERROR(PullOne(key, &full));
      if (full) return Status::Ok();
    }
    if (groups_.empty()) return Status::EndOfSequence();
    *key = groups_.first_key();
    ++left_over_taken_;
    return Status::Ok();
  }

  Status ExpectEnd() {
    int64_t key = 0;
    bool full = false;
    FASTPIPE_RETURN_IF_ERROR(PullOne(&key, &full));
    if (input_ended_) return Status::Ok();
    return FailedPrecondition("the input is not what it was when the position was saved");
  }

  // Pulls one result of the input; its end is OK.
  Status PullOne(int64_t* key, bool* full) {
    *full = false;
    Element element;
    Status status = interrupted_.Next(&input_, &element);
    if (status.end_of_sequence()) {
      input_ended_ = true;
      return Status::Ok();
    }
    FASTPIPE_RETURN_IF_ERROR(std::move(status));
    return interrupted_.Keep(groups_.Add(input_.count() - 1, &element, key, full), &element);
  }

  void TakeGroup(int64_t key) {
    DatasetRef window =
        HoldElements(op().inputs().front()->spec(), groups_.Take(key), op().label());
    opening_ = {Tensor::Scalar(key), TensorOf(std::move(window))};
  }

  // After an interrupt it is called again.
  Status OpenGroup() {
    // What was pulled last fills a group; at the end each pull of none leaves one more.
    const int64_t number = input_.count() - 1 + left_over_taken_;
    Element made;
    Status status = reduce_.Run(number, opening_, &made);
    if (status.code() != Code::kCancelled) opening_.clear();
    FASTPIPE_RETURN_IF_ERROR(std::move(status));
    current_ = DatasetOf(made[0])->MakeIterator(context().ForElement(number));
    return Status::Ok();
  }

  // A group may be as old as the pass, so the position is the beginning of the pass, and how much
  // of it has been used.
  Status SavePosition(PositionWriter* writer) override {
    if (interrupted_.held() || !opening_.empty()) return InterruptedWithinElement(op().label());
    writer->PutInt(left_over_taken_);
    writer->PutInt(current_ ? 1 : 0);
    if (current_) {
      PositionWriter current;
      FASTPIPE_RETURN_IF_ERROR(current_->Save(&current));
      writer->PutBytes(current.bytes());
    }
    return input_.Save(writer);
  }

  // Collects the groups again; those that had been used before the current one are dropped.
  Status RestorePosition(PositionReader* reader) override {
    const int64_t left_over_taken = reader->GetCount();
    const bool in_group = reader->GetCount(1) == 1;
    const std::string current(in_group ? reader->GetBytes() : std::string_view());
    int64_t again = 0;
    FASTPIPE_RETURN_IF_ERROR(input_.Restore(reader, &again));
    int64_t key = 0;
    bool full = false;
    bool open = false;  // the group `key` is the current one
    for (int64_t i = 0; i < again && !input_ended_; ++i) {
      Status status = PullOne(&key, &full);
      if (status.code() == Code::kCancelled) return status;
      full = full && status.ok();
      open = full && in_group && left_over_taken == 0 && i + 1 == again;
      if (full && !open) groups_.Take(key);
    }
    for (int64_t i = 0; i < left_over_taken && !groups_.empty(); ++i) {
      key = groups_.first_key();
      open = in_group && i + 1 == left_over_taken;
      if (!open) groups_.Take(key);
    }
    // The input is told apart from one that was left early: a cache in it is complete now.
    if (left_over_taken > 0) FASTPIPE_RETURN_IF_ERROR(ExpectEnd());
    left_over_taken_ = left_over_taken;
    if (!in_group) return Status::Ok();
    if (!open) {
      return FailedPrecondition("the input is not what it was when the position was saved");
    }
    TakeGroup(key);
    FASTPIPE_RETURN_IF_ERROR(OpenGroup());
    PositionReader position(current);
    return current_->Restore(&position);
  }

  ReplayedInput input_;
  Groups groups_;
  FunctionCall reduce_;
  InterruptedElement interrupted_;
  Element opening_;  // key and window of a group that has been taken and not opened yet
  std::unique_ptr<Iterator> current_;  // of the group being delivered
  bool input_ended_ = false;
  int64_t left_over_taken_ = 0;  // groups taken after the input ended
};

std::unique_ptr<Iterator> GroupByWindow::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<GroupByWindowIterator>(*this, context);
}

Status ExpectScalarInt64(const Args& args, const char* name, const Function& function) {
  const ElementSpec& outputs = function.program->output_specs();
  if (outputs.size() == 1 && TensorSpec::Scalar(DType::kInt64).Accepts(outputs[0])) {
    return Status::Ok();
  }
  if (outputs.size() == 1 && outputs[0].dtype == DType::kInt64 && !outputs[0].known_rank) {
    return Status::Ok();
  }
  return args.Error(
      StrCat(name, " must return a scalar int64, got ",
             outputs.size() == 1 ? outputs[0].ToString() : StrCat(outputs.size(), " tensors")));
}

Result<std::shared_ptr<Dataset>> MakeGroupByWindow(const Args& args,
                                                   std::vector<DatasetRef> inputs) {
  const ElementSpec& input = inputs[0]->spec();
  const ElementSpec key_spec = {TensorSpec::Scalar(DType::kInt64)};
  GroupByWindow::Functions functions;
  FASTPIPE_ASSIGN(functions.key, args.Func("key_func"));
  FASTPIPE_RETURN_IF_ERROR(ExpectArgs(args, functions.key, input));
  FASTPIPE_RETURN_IF_ERROR(ExpectScalarInt64(args, "key_func", functions.key));
  FASTPIPE_ASSIGN(functions.reduce, args.Func("reduce_func"));
  FASTPIPE_RETURN_IF_ERROR(ExpectArgs(args, functions.reduce, {key_spec[0], DatasetSpec(input)}));
  const ElementSpec& outputs = functions.reduce.program->output_specs();
  if (outputs.size() != 1 || outputs[0].dtype != DType::kDataset) {
    return args.Error("reduce_func must return a dataset");
  }
  if (args.Has("window_size") == args.Has("window_size_func")) {
    return args.Error("takes either window_size or window_size_func");
  }
  if (args.Has("window_size")) {
    FASTPIPE_ASSIGN(functions.fixed_size, args.Int("window_size", {.min = 1}));
  } else {
    FASTPIPE_ASSIGN(functions.window_size, args.Func("window_size_func"));
    FASTPIPE_RETURN_IF_ERROR(ExpectArgs(args, functions.window_size, key_spec));
    FASTPIPE_RETURN_IF_ERROR(ExpectScalarInt64(args, "window_size_func", functions.window_size));
  }
  return std::make_shared<GroupByWindow>(inputs[0], std::move(functions));
}

FASTPIPE_OP("group_by_window", MakeGroupByWindow);

}  // namespace
}  // namespace fastpipe
