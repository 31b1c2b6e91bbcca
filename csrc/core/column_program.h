// ColumnProgram: a traced function that runs on a block of elements at once.
//
// Contract: only programs of elementwise kernels that cannot fail have one. Its results are those
// of the program on each element, bit by bit, because the kernels are the same: columns are their
// inputs instead of values, and constants broadcast to them.
// Thread rule: const and shared; a ColumnCall belongs to one thread.
#pragma once

#include <algorithm>
#include <mutex>
#include <optional>
#include <vector>

#include "core/block.h"
#include "core/program.h"

namespace fastpipe {

class ColumnProgram {
 public:
  // Nothing if the function must see its elements one by one. `function` must outlive the result.
  static std::optional<ColumnProgram> Of(const Function& function);

  // Rows that it runs on at a time, so that columns of intermediate results stay in the cache.
  int64_t most_rows() const { return most_rows_; }

 private:
  friend class ColumnCall;
  explicit ColumnProgram(const Function& function) : function_(function) {}
  bool Analyse();
  bool AnalyseInstruction(const Program::Instruction& instruction, std::vector<bool>* varies);
  bool TryOnZeros() const;
  Status Run(KernelContext* context, const Block& in, Program::Scratch* scratch, Block* out) const;

  const Function& function_;
  int64_t most_rows_ = kMostBlockRows;
  std::vector<bool> repeats_;  // result i is the same for all elements
};

// The ColumnProgram of an op's function, analysed when it is first asked for: most functions that
// run inside others never are.
class OwnColumnProgram {
 public:
  // `function` must outlive it.
  explicit OwnColumnProgram(const Function& function) : function_(function) {}
  // Null if there is none. Any thread.
  const ColumnProgram* get() const {
    std::call_once(known_, [this] {
      if (auto found = ColumnProgram::Of(function_)) program_.emplace(*found);
    });
    return program_ ? &*program_ : nullptr;
  }

 private:
  const Function& function_;
  mutable std::once_flag known_;
  mutable std::optional<ColumnProgram> program_;
};

class ColumnCall {
 public:
  // `program` must outlive the call.
  ColumnCall(const ColumnProgram& program, KernelContext context)
      : program_(program), context_(std::move(context)) {}
  Status Run(const Block& in, Block* out) { return program_.Run(&context_, in, &scratch_, out); }
  // How many of `most` rows to take at a time.
  int64_t RowsOf(int64_t most) const { return std::min(most, program_.most_rows()); }

 private:
  const ColumnProgram& program_;
  KernelContext context_;
  Program::Scratch scratch_;
};

}  // namespace fastpipe
