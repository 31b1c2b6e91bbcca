// Program: a traced user function, a straight line of kernel instructions over slots.
//
// Contract: a ProgramBuilder adds instructions one by one and knows the spec of every slot at once,
// so that a mistake surfaces at the line that made it. An instruction is a kernel, or makes a
// dataset from values that exist only at run time. A finished Program is immutable and holds its
// constants. Thread rule: Run is const and may be called by many threads, each with its own
// Scratch. A builder is used by one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/args.h"
#include "core/element.h"
#include "core/kernel.h"

namespace fastpipe {

class Program {
 public:
  // The slots of one run, reused by the next.
  class Scratch {
   private:
    friend class Program;
    const Program* program_ = nullptr;
    std::vector<Tensor> values_;
    std::vector<const Tensor*> pointers_;
    std::vector<const Tensor*> inputs_;
    std::vector<Output> outputs_;
  };

  const ElementSpec& output_specs() const { return output_specs_; }
  size_t num_args() const { return arg_slots_.size(); }
  // Those that were known when it was traced, and that it may iterate or give.
  const std::vector<DatasetRef>& datasets() const { return datasets_; }
  // The kernels that are computed as one, "decode_jpeg + resize" each: see core/rewrite.h.
  std::vector<std::string> Rewrites() const;

  // With a place, results that kernels allocate lie in that row. Rewritten unless the context says
  // otherwise. REQUIRES: args.size() == num_args() and as many captures as were added.
  Status Run(KernelContext* context, const Element& args, const std::vector<Tensor>& captures,
             Scratch* scratch, Element* out, const RowPlace* place = nullptr) const;

 private:
  friend class ProgramBuilder;
  friend class ColumnProgram;
  struct Instruction {
    std::string place;  // "decode_jpeg (train.py:8)"
    Args attrs;         // as it was traced
    std::shared_ptr<const Kernel> kernel;
    std::vector<int> inputs;
    int first_output = 0;
    int num_outputs = 0;
    std::vector<int> components;  // of the program's results, each of its outputs; -1: of none
    bool elementwise = false;     // these two as in KernelPlan
    int deciding_input = -1;
    // Of instructions_: what it stands for if rules put it here.
    std::vector<int> replaced;
  };
  class View;
  void Prepare(Scratch* scratch) const;
  void Rewrite();
  // Where the values come from that a failed instruction worked on, as far as they know it.
  std::string FileOf(const Instruction& instruction, const Scratch& scratch) const;
  Status RunOne(const Instruction& instruction, KernelContext* context, Scratch* scratch,
                const RowPlace* place) const;
  Status RunAll(KernelContext* context, Scratch* scratch, const RowPlace* place) const;

  std::vector<TensorSpec> slots_;
  std::vector<std::pair<int, Tensor>> constants_;
  std::vector<DatasetRef> datasets_;
  std::vector<int> arg_slots_;
  std::vector<int> capture_slots_;
  std::vector<Instruction> instructions_;  // as they were traced
  std::vector<Instruction> rewritten_;     // the same as rules have it; empty if none applies
  std::vector<int> outputs_;
  std::vector<bool> moves_;  // output i may be moved out of its slot
  ElementSpec output_specs_;
};

class ProgramBuilder {
 public:
  ProgramBuilder() : program_(std::make_shared<Program>()) {}

  // Each returns the new slot.
  int AddArg(TensorSpec spec);
  int AddCapture(TensorSpec spec);
  int AddConstant(Tensor value);
  // Plans kernel attrs.owner() on the slots `inputs`; returns the slots of its results. `where` is
  // the user's line.
  Result<std::vector<int>> AddKernel(const Args& attrs, std::vector<int> inputs,
                                     const std::string& where);
  // A dataset op whose arguments or inputs (DatasetRef or Slot each) contain Slots; returns the
  // slot that will hold the dataset.
  Result<int> AddDataset(const Args& args, const ValueList& inputs, const std::string& where);

  const TensorSpec& spec(int slot) const { return program_->slots_[slot]; }
  // The builder is empty afterwards.
  std::shared_ptr<const Program> Finish(std::vector<int> outputs);

 private:
  int AddSlot(TensorSpec spec);
  std::shared_ptr<Program> program_;
};

// A Function ready to be called: what an op keeps per thread.
class FunctionCall {
 public:
  // `rows`, if not null, is where the results go if they can; it must outlive the call.
  FunctionCall(const Function& function, KernelContext context, RowSpace* rows = nullptr)
      : function_(function), context_(std::move(context)), rows_(rows) {}
  // `element` is the number, in the pass, of what it is called for: the same whatever thread calls
  // it, and after restoring. It is all that tells the random numbers of two calls apart.
  Status Run(int64_t element, const Element& args, Element* out) {
    context_.element = element;
    const RowPlace place = {rows_, element};
    return function_.program->Run(&context_, args, function_.captures, &scratch_, out,
                                  rows_ == nullptr ? nullptr : &place);
  }

 private:
  const Function& function_;  // belongs to the op
  KernelContext context_;
  RowSpace* const rows_;
  Program::Scratch scratch_;
};

// InvalidArgument unless the function takes what elements of `spec` give.
Status ExpectArgs(const Args& args, const Function& function, const ElementSpec& spec);

// Appends the datasets that are known in `args`, in functions too.
void CollectDatasets(const Args& args, std::vector<DatasetRef>* found);

// Stands for a dataset that exists only at run time; cannot be iterated.
DatasetRef PlaceholderDataset(const ElementSpec& spec);

}  // namespace fastpipe
