// Kernel: one pure computation on tensors.
//
// Contract: a kernel file writes one planning function per kernel. It reads the attributes, checks
// the input specs, infers the output specs and returns the Kernel that computes; registering it
// under its name is one line:
//
//   Result<KernelPlan> PlanNegate(const Args& attrs, Specs inputs) {
//     FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
//     return KernelPlan{{inputs[0]}, KernelFrom([](KernelContext*, Inputs in, Outputs out) {...})};
//   }
//   FASTPIPE_KERNEL("negate", PlanNegate);
//
// A kernel knows nothing of datasets, threads or Python, and owns no memory of its results: it asks
// its Output. Random numbers are no exception: they are computed from a seed that is an input, and
// the one kernel that makes seeds computes them from its context. What a spec leaves open (unknown
// rank, unknown dimension) the kernel checks again when it runs. Errors name what was given and
// what was expected; the op adds where. Thread rule: Run is const and is called by many threads at
// once.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/args.h"
#include "core/limits.h"
#include "core/random.h"
#include "core/row_space.h"
#include "core/status.h"
#include "core/tensor.h"

namespace fastpipe {

class FileSystem;  // io/file_system.h

// What a kernel may use besides its inputs.
struct KernelContext {
  FileSystem* file_system = nullptr;
  std::shared_ptr<CancelToken> cancel;
  // What datasets that it iterates are part of; null where a kernel runs on its own.
  std::shared_ptr<RunContext> run;
  RandomKey random = {};
  int64_t element = 0;  // the number, in the pass, of the element that the program runs on
  bool fusion = true;   // programs run as rules have rewritten them; see core/rewrite.h
  Limits limits = {};
};

// Where one result goes.
class Output {
 public:
  // With a place the result is component `component` of that row, if its kernel allocates it.
  explicit Output(Tensor* slot, const RowPlace* place = nullptr, int component = 0)
      : slot_(slot), place_(place), component_(component) {}
  // Memory for a numeric result, uninitialised; the kernel fills all of it.
  uint8_t* Allocate(DType dtype, Dims dims) {
    std::optional<Tensor> row;
    if (place_ != nullptr) {
      row = place_->space->Claim(place_->number, static_cast<size_t>(component_), dtype, dims);
    }
    *slot_ = row ? std::move(*row) : Tensor::Allocate(dtype, dims);
    return slot_->mutable_raw();
  }
  template <typename T>
  T* Allocate(Dims dims) {
    return reinterpret_cast<T*>(Allocate(DTypeOf<T>(), dims));
  }
  // A result that shares memory with an input, is a string, or is a scalar.
  void Set(Tensor tensor) { *slot_ = std::move(tensor); }

 private:
  Tensor* slot_;
  const RowPlace* place_;
  int component_;
};

using Inputs = std::span<const Tensor* const>;
using Outputs = std::span<Output>;
using Specs = std::span<const TensorSpec>;

class Kernel {
 public:
  virtual ~Kernel() = default;
  // REQUIRES: as many inputs and outputs as planned, with dtypes as planned.
  virtual Status Run(KernelContext* context, Inputs inputs, Outputs outputs) const = 0;
};

struct KernelPlan {
  std::vector<TensorSpec> outputs;
  std::shared_ptr<const Kernel> kernel;
  // Each value of the results follows from the values of the inputs at the same place, where they
  // broadcast, and from nothing else: the kernel may run on many elements at once.
  bool elementwise = false;
  // Of an elementwise kernel: the input whose values decide whether it fails; -1: it never does.
  int deciding_input = -1;
};

using KernelPlanner = Result<KernelPlan> (*)(const Args& attrs, Specs inputs);

// A Kernel whose Run calls `run`, a callable Status(KernelContext*, Inputs, Outputs) const.
template <typename F>
std::shared_ptr<const Kernel> KernelFrom(F run) {
  class FunctionKernel final : public Kernel {
   public:
    explicit FunctionKernel(F run) : run_(std::move(run)) {}
    Status Run(KernelContext* context, Inputs inputs, Outputs outputs) const override {
      return run_(context, inputs, outputs);
    }

   private:
    const F run_;
  };
  return std::make_shared<const FunctionKernel>(std::move(run));
}

// InvalidArgument unless there are exactly `count` inputs.
inline Status ExpectInputs(const Args& attrs, Specs inputs, size_t count) {
  if (inputs.size() == count) return Status::Ok();
  return attrs.Error(StrCat("takes ", count, " tensors, got ", inputs.size()));
}

// InvalidArgument unless input `index` has dtype `dtype`.
inline Status ExpectDType(const Args& attrs, Specs inputs, size_t index, DType dtype) {
  if (inputs[index].dtype == dtype) return Status::Ok();
  return attrs.Error(
      StrCat("input ", index, " must be ", DTypeName(dtype), ", got ", inputs[index].ToString()));
}

}  // namespace fastpipe
