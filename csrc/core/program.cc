#include "core/program.h"

#include <algorithm>

#include "core/guard.h"
#include "core/registry.h"
#include "core/rewrite.h"

namespace fastpipe {
namespace {

class Placeholder final : public Dataset {
 public:
  explicit Placeholder(const ElementSpec& spec) : Dataset(spec, {}) {}
  // Only programs that are being traced see placeholders, and they never run.
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext&) const override { return nullptr; }
};

// Collects the slots that `value` needs when it runs.
void CollectSlots(const Value& value, std::vector<int>* slots) {
  if (const Slot* slot = value.get<Slot>()) slots->push_back(slot->index);
  if (const ValueList* list = value.get<ValueList>()) {
    for (const Value& item : *list) CollectSlots(item, slots);
  }
  if (const FunctionValue* function = value.get<FunctionValue>()) {
    for (const Value& item : function->captures) CollectSlots(item, slots);
  }
}

void CollectIn(const Value& value, std::vector<DatasetRef>* found) {
  if (const DatasetRef* dataset = value.get<DatasetRef>()) found->push_back(*dataset);
  if (const Tensor* tensor = value.get<Tensor>(); tensor && tensor->dtype() == DType::kDataset) {
    found->push_back(DatasetOf(*tensor));
  }
  if (const ValueList* list = value.get<ValueList>()) {
    for (const Value& item : *list) CollectIn(item, found);
  }
  if (const FunctionValue* function = value.get<FunctionValue>()) {
    const std::vector<DatasetRef>& known = function->program->datasets();
    found->insert(found->end(), known.begin(), known.end());
    for (const Value& item : function->captures) CollectIn(item, found);
  }
}

// Replaces Slots by tensors, in the order in which CollectSlots found them.
Value Bind(const Value& value, Inputs inputs, size_t* next) {
  if (value.get<Slot>()) return Value{*inputs[(*next)++]};
  if (const ValueList* list = value.get<ValueList>()) {
    ValueList bound;
    for (const Value& item : *list) bound.push_back(Bind(item, inputs, next));
    return Value{std::move(bound)};
  }
  if (const FunctionValue* function = value.get<FunctionValue>()) {
    FunctionValue bound{function->program, {}};
    for (const Value& item : function->captures) bound.captures.push_back(Bind(item, inputs, next));
    return Value{std::move(bound)};
  }
  return value;
}

// Makes a dataset from arguments that became known just now.
class MakeDatasetKernel final : public Kernel {
 public:
  MakeDatasetKernel(Args args, ValueList inputs, std::string where)
      : args_(std::move(args)), inputs_(std::move(inputs)), where_(std::move(where)) {}

  std::vector<int> Slots() const {
    std::vector<int> slots;
    for (const auto& [name, value] : args_.values()) CollectSlots(value, &slots);
    for (const Value& input : inputs_) CollectSlots(input, &slots);
    return slots;
  }

  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    size_t next = 0;
    std::map<std::string, Value, std::less<>> bound;
    for (const auto& [name, value] : args_.values()) bound[name] = Bind(value, in, &next);
    std::vector<DatasetRef> inputs;
    for (const Value& input : inputs_) {
      const DatasetRef* known = input.get<DatasetRef>();
      inputs.push_back(known ? *known : DatasetOf(*in[next++]));
    }
    FASTPIPE_ASSIGN(DatasetRef made,
                    MakeDataset(Args(args_.owner(), std::move(bound)), std::move(inputs), where_,
                                /*in_run=*/true));
    out[0].Set(TensorOf(std::move(made)));
    return Status::Ok();
  }

 private:
  const Args args_;
  const ValueList inputs_;
  const std::string where_;
};

// " of 'a.tfrecord' (offset 57)" of a text that lies in a Buffer of known origin, else nothing.
std::string FileOfText(const Tensor& text) {
  if (!text.is_string() || text.rank() != 0) return "";
  const auto* buffer = dynamic_cast<const Buffer*>(text.buffer().get());
  if (buffer == nullptr || buffer->origin().path == nullptr) return "";
  const Origin& origin = buffer->origin();
  if (origin.offset == Origin::kWholeFile) return StrCat(" of '", *origin.path, "'");
  return StrCat(" of '", *origin.path, "' (offset ", origin.offset + (text.raw() - buffer->data()),
                ")");
}

}  // namespace

void CollectDatasets(const Args& args, std::vector<DatasetRef>* found) {
  for (const auto& [name, value] : args.values()) CollectIn(value, found);
}

DatasetRef PlaceholderDataset(const ElementSpec& spec) {
  return std::make_shared<const Placeholder>(spec);
}

int ProgramBuilder::AddSlot(TensorSpec spec) {
  program_->slots_.push_back(std::move(spec));
  return static_cast<int>(program_->slots_.size()) - 1;
}

int ProgramBuilder::AddArg(TensorSpec spec) {
  const int slot = AddSlot(std::move(spec));
  program_->arg_slots_.push_back(slot);
  return slot;
}

int ProgramBuilder::AddCapture(TensorSpec spec) {
  const int slot = AddSlot(std::move(spec));
  program_->capture_slots_.push_back(slot);
  return slot;
}

int ProgramBuilder::AddConstant(Tensor value) {
  TensorSpec spec = value.dtype() == DType::kDataset ? DatasetSpec(DatasetOf(value)->spec())
                                                     : TensorSpec::Of(value);
  const int slot = AddSlot(std::move(spec));
  CollectIn(Value{value}, &program_->datasets_);
  program_->constants_.emplace_back(slot, std::move(value));
  return slot;
}

Result<std::vector<int>> ProgramBuilder::AddKernel(const Args& attrs, std::vector<int> inputs,
                                                   const std::string& where) {
  std::vector<TensorSpec> specs;
  for (int slot : inputs) specs.push_back(spec(slot));
  FASTPIPE_ASSIGN(KernelPlan plan, PlanKernel(attrs, specs));
  CollectDatasets(attrs, &program_->datasets_);
  Program::Instruction instruction;
  instruction.place = where.empty() ? attrs.owner() : StrCat(attrs.owner(), " (", where, ")");
  instruction.attrs = attrs;
  instruction.kernel = std::move(plan.kernel);
  instruction.inputs = std::move(inputs);
  instruction.num_outputs = static_cast<int>(plan.outputs.size());
  instruction.elementwise = plan.elementwise;
  instruction.deciding_input = plan.deciding_input;
  std::vector<int> slots;
  for (TensorSpec& output : plan.outputs) slots.push_back(AddSlot(std::move(output)));
  instruction.first_output = slots.empty() ? 0 : slots.front();
  program_->instructions_.push_back(std::move(instruction));
  return slots;
}

Result<int> ProgramBuilder::AddDataset(const Args& args, const ValueList& inputs,
                                       const std::string& where) {
  std::vector<DatasetRef> stand_ins;
  for (const Value& input : inputs) {
    const DatasetRef* known = input.get<DatasetRef>();
    stand_ins.push_back(known ? *known : PlaceholderDataset(*input.get<Slot>()->spec.element));
  }
  FASTPIPE_ASSIGN(DatasetRef stand_in, MakeDataset(args, std::move(stand_ins), where));
  CollectDatasets(args, &program_->datasets_);
  for (const Value& input : inputs) CollectIn(input, &program_->datasets_);
  auto kernel = std::make_shared<const MakeDatasetKernel>(args, inputs, where);
  Program::Instruction instruction;
  instruction.place = stand_in->label();
  instruction.attrs = Args(args.owner());
  instruction.inputs = kernel->Slots();
  instruction.kernel = std::move(kernel);
  instruction.first_output = AddSlot(DatasetSpec(stand_in->spec()));
  instruction.num_outputs = 1;
  program_->instructions_.push_back(std::move(instruction));
  return program_->instructions_.back().first_output;
}

std::shared_ptr<const Program> ProgramBuilder::Finish(std::vector<int> outputs) {
  program_->moves_.assign(outputs.size(), false);
  for (Program::Instruction& made : program_->instructions_) {
    made.components.assign(made.num_outputs, -1);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const int output = outputs[i] - made.first_output;
      if (output < 0 || output >= made.num_outputs) continue;
      // A result that is there twice has two places: none of them.
      if (std::count(outputs.begin(), outputs.end(), outputs[i]) != 1) continue;
      made.components[output] = static_cast<int>(i);
      program_->moves_[i] = true;
    }
  }
  for (int slot : outputs) program_->output_specs_.push_back(program_->slots_[slot]);
  program_->outputs_ = std::move(outputs);
  program_->Rewrite();
  return std::exchange(program_, std::make_shared<Program>());
}

class Program::View final : public ProgramView {
 public:
  explicit View(const Program& program)
      : program_(program), makers_(program.slots_.size(), -1), users_(program.slots_.size()) {
    for (int i = 0; i < size(); ++i) {
      for (int slot : inputs(i)) users_[slot].push_back(i);
      for (int k = 0; k < num_outputs(i); ++k) makers_[output(i) + k] = i;
    }
    for (int slot : program.outputs_) users_[slot].push_back(size());
  }
  int size() const override { return static_cast<int>(program_.instructions_.size()); }
  const Args& attrs(int i) const override { return program_.instructions_[i].attrs; }
  const std::shared_ptr<const Kernel>& kernel(int i) const override {
    return program_.instructions_[i].kernel;
  }
  std::span<const int> inputs(int i) const override { return program_.instructions_[i].inputs; }
  int num_outputs(int i) const override { return program_.instructions_[i].num_outputs; }
  int output(int i) const override { return program_.instructions_[i].first_output; }
  const TensorSpec& spec(int slot) const override { return program_.slots_[slot]; }
  int maker(int slot) const override { return makers_[slot]; }
  const std::vector<int>& users(int slot) const override { return users_[slot]; }

 private:
  const Program& program_;
  std::vector<int> makers_;
  std::vector<std::vector<int>> users_;
};

void Program::Rewrite() {
  const View view(*this);
  const std::vector<Replacement> replacements = ProposeRewrites(view);
  if (replacements.empty()) return;
  std::vector<Instruction> rewritten = instructions_;
  std::vector<bool> optional(instructions_.size(), false);  // left out unless needed
  for (const Replacement& replacement : replacements) {
    Instruction& place = rewritten[replacement.instructions.back()];
    place.kernel = replacement.kernel;
    place.inputs = replacement.inputs;
    place.replaced = replacement.instructions;
    for (int i : replacement.instructions) optional[i] = true;
    optional[replacement.instructions.back()] = false;
  }
  std::vector<bool> needed(slots_.size(), false);
  for (int slot : outputs_) needed[slot] = true;
  for (size_t i = rewritten.size(); i-- > 0;) {
    const Instruction& made = rewritten[i];
    const auto first = needed.begin() + made.first_output;
    if (optional[i] &&
        std::find(first, first + made.num_outputs, true) == first + made.num_outputs) {
      continue;
    }
    for (int slot : made.inputs) needed[slot] = true;
    rewritten_.push_back(made);
  }
  std::reverse(rewritten_.begin(), rewritten_.end());
}

std::vector<std::string> Program::Rewrites() const {
  std::vector<std::string> names;
  for (const Instruction& instruction : rewritten_) {
    std::string name;
    for (int i : instruction.replaced) {
      name += (name.empty() ? "" : " + ") + instructions_[i].attrs.owner();
    }
    if (!name.empty()) names.push_back(std::move(name));
  }
  return names;
}

void Program::Prepare(Scratch* scratch) const {
  if (scratch->program_ == this) return;
  scratch->program_ = nullptr;  // until all of it is there: memory may run out
  scratch->values_ = std::vector<Tensor>(slots_.size());
  scratch->pointers_.resize(slots_.size());
  for (size_t i = 0; i < slots_.size(); ++i) scratch->pointers_[i] = &scratch->values_[i];
  for (const auto& [slot, value] : constants_) scratch->pointers_[slot] = &value;
  scratch->program_ = this;
}

std::string Program::FileOf(const Instruction& instruction, const Scratch& scratch) const {
  std::vector<bool> upstream(slots_.size(), false);
  const auto visit = [&](const Instruction& user) {
    std::string file;
    for (int slot : user.inputs) {
      upstream[slot] = true;
      if (file.empty()) file = FileOfText(*scratch.pointers_[slot]);
    }
    return file;
  };
  std::string file = visit(instruction);
  // Later instructions make nothing that an earlier one takes.
  for (size_t i = instructions_.size(); i-- > 0 && file.empty();) {
    const Instruction& made = instructions_[i];
    const auto first = upstream.begin() + made.first_output;
    if (std::find(first, first + made.num_outputs, true) == first + made.num_outputs) continue;
    file = visit(made);
  }
  return file;
}

Status Program::RunOne(const Instruction& instruction, KernelContext* context, Scratch* scratch,
                       const RowPlace* place) const {
  scratch->inputs_.clear();
  for (int slot : instruction.inputs) scratch->inputs_.push_back(scratch->pointers_[slot]);
  scratch->outputs_.clear();
  for (int i = 0; i < instruction.num_outputs; ++i) {
    const int component = instruction.components[i];
    scratch->outputs_.emplace_back(&scratch->values_[instruction.first_output + i],
                                   component < 0 ? nullptr : place, component);
  }
  Status status = Guarded(
      [&] { return instruction.kernel->Run(context, scratch->inputs_, scratch->outputs_); });
  if (!status.ok()) status.AddTrail(instruction.place + FileOf(instruction, *scratch));
  return status;
}

Status Program::RunAll(KernelContext* context, Scratch* scratch, const RowPlace* place) const {
  const bool plain = !context->fusion || rewritten_.empty();
  for (const Instruction& instruction : plain ? instructions_ : rewritten_) {
    Status status = RunOne(instruction, context, scratch, place);
    if (!status.ok() && !instruction.replaced.empty() && status.code() != Code::kCancelled) {
      status = Status::Ok();
      for (size_t i = 0; status.ok() && i < instruction.replaced.size(); ++i) {
        status = RunOne(instructions_[instruction.replaced[i]], context, scratch, place);
      }
    }
    FASTPIPE_RETURN_IF_ERROR(std::move(status));
  }
  return Status::Ok();
}

Status Program::Run(KernelContext* context, const Element& args,
                    const std::vector<Tensor>& captures, Scratch* scratch, Element* out,
                    const RowPlace* place) const {
  if (args.size() != arg_slots_.size() || captures.size() != capture_slots_.size()) {
    return Internal(
        StrCat("a function of ", arg_slots_.size(), " arguments was called with ", args.size()));
  }
  Prepare(scratch);
  for (size_t i = 0; i < args.size(); ++i) scratch->pointers_[arg_slots_[i]] = &args[i];
  for (size_t i = 0; i < captures.size(); ++i) {
    scratch->pointers_[capture_slots_[i]] = &captures[i];
  }
  Status status = RunAll(context, scratch, place);
  out->clear();
  for (size_t i = 0; status.ok() && i < outputs_.size(); ++i) {
    if (moves_[i]) {
      out->push_back(std::move(scratch->values_[outputs_[i]]));
    } else {
      out->push_back(*scratch->pointers_[outputs_[i]]);
    }
  }
  // What the run made and nobody took must not stay alive until the next run.
  for (const Instruction& instruction : instructions_) {
    for (int i = 0; i < instruction.num_outputs; ++i) {
      scratch->values_[instruction.first_output + i] = Tensor();
    }
  }
  return status;
}

Status ExpectArgs(const Args& args, const Function& function, const ElementSpec& spec) {
  if (function.program->num_args() == spec.size()) return Status::Ok();
  return args.Error(StrCat("the function takes ", function.program->num_args(),
                           " tensors, an element has ", spec.size()));
}

}  // namespace fastpipe
