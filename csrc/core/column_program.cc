#include "core/column_program.h"

#include <algorithm>

namespace fastpipe {
namespace {

// Rows beyond this are computed where they will lie in their batch: core/row_space.h.
constexpr size_t kLargestRow = 8 << 10;
constexpr size_t kColumnBytes = 64 << 10;

// Two rows of zeros, or of empty strings.
Tensor ZeroRows(const TensorSpec& spec) {
  if (spec.dtype == DType::kString) {
    StringArrayBuilder builder;
    for (int64_t i = 0; i < NumElements(spec.dims); ++i) builder.Append("");
    return RepeatedRow(builder.Build(spec.dims), 2);
  }
  Tensor row = Tensor::Allocate(spec.dtype, spec.dims);
  std::fill_n(row.mutable_raw(), row.num_bytes(), uint8_t{0});
  return RepeatedRow(row, 2);
}

bool IsColumnOf(const TensorSpec& spec, const Tensor& column, int64_t rows) {
  const Dims dims = column.dims();
  return column.dtype() == spec.dtype && dims.size() == spec.dims.size() + 1 && dims[0] == rows &&
         std::equal(spec.dims.begin(), spec.dims.end(), dims.begin() + 1);
}

}  // namespace

std::optional<ColumnProgram> ColumnProgram::Of(const Function& function) {
  ColumnProgram program(function);
  if (!program.Analyse() || !program.TryOnZeros()) return std::nullopt;
  return program;
}

bool ColumnProgram::Analyse() {
  const Program& program = *function_.program;
  std::vector<bool> varies(program.slots_.size(), false);
  for (int slot : program.arg_slots_) {
    const TensorSpec& spec = program.slots_[slot];
    if (!spec.fully_known() || spec.dtype == DType::kDataset) return false;
    varies[slot] = true;
  }
  for (const Program::Instruction& instruction : program.instructions_) {
    if (!AnalyseInstruction(instruction, &varies)) return false;
  }
  for (int slot : program.outputs_) {
    if (!program.slots_[slot].fully_known()) return false;
    if (program.slots_[slot].dtype == DType::kDataset) return false;
    repeats_.push_back(!varies[slot]);
  }
  return !program.arg_slots_.empty();
}

// Operands broadcast from the last axis backwards, so a new first axis is right only if all that
// vary have equally many axes, and no constant has more.
bool ColumnProgram::AnalyseInstruction(const Program::Instruction& instruction,
                                       std::vector<bool>* varies) {
  const Program& program = *function_.program;
  if (!instruction.elementwise) return false;
  int rank = -1;
  int constant_rank = 0;
  for (int slot : instruction.inputs) {
    const TensorSpec& spec = program.slots_[slot];
    if (!spec.fully_known()) return false;
    if (!(*varies)[slot]) {
      constant_rank = std::max(constant_rank, spec.rank());
      continue;
    }
    if (rank >= 0 && spec.rank() != rank) return false;
    rank = spec.rank();
  }
  if (rank < 0) return true;
  if (constant_rank > rank) return false;
  if (instruction.deciding_input >= 0 &&
      (*varies)[instruction.inputs[instruction.deciding_input]]) {
    return false;
  }
  for (int i = 0; i < instruction.num_outputs; ++i) {
    const int slot = instruction.first_output + i;
    const size_t bytes = RowBytes(program.slots_[slot]);
    if (bytes == 0 || bytes > kLargestRow) return false;
    most_rows_ = std::min(most_rows_, static_cast<int64_t>(kColumnBytes / bytes));
    (*varies)[slot] = true;
  }
  return true;
}

// Whether constants fit is not known from specs alone: a divisor may be 0.
bool ColumnProgram::TryOnZeros() const {
  const Program& program = *function_.program;
  Block in;
  in.rows = 2;
  for (int slot : program.arg_slots_) in.columns.push_back(ZeroRows(program.slots_[slot]));
  KernelContext context;
  Program::Scratch scratch;
  Block out;
  if (!Run(&context, in, &scratch, &out).ok()) return false;
  for (size_t i = 0; i < out.columns.size(); ++i) {
    if (!IsColumnOf(program.output_specs_[i], out.columns[i], in.rows)) return false;
  }
  return true;
}

Status ColumnProgram::Run(KernelContext* context, const Block& in, Program::Scratch* scratch,
                          Block* out) const {
  FASTPIPE_RETURN_IF_ERROR(
      function_.program->Run(context, in.columns, function_.captures, scratch, &out->columns));
  for (size_t i = 0; i < repeats_.size(); ++i) {
    if (repeats_[i]) out->columns[i] = RepeatedRow(out->columns[i], in.rows);
  }
  out->rows = in.rows;
  return Status::Ok();
}

}  // namespace fastpipe
