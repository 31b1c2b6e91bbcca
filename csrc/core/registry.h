// Registry: name -> factory of every op and kernel.
//
// Contract: registration happens before main through the two macros, one line beside the class;
// names are unique. Nothing else in csrc/ lists ops or kernels. Thread rule: written during static
// initialisation only, read by any thread afterwards.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/args.h"
#include "core/dataset.h"
#include "core/kernel.h"

namespace fastpipe {

// Checks the arguments and makes the immutable op; `inputs` are the datasets it reads from.
using OpFactory = Result<std::shared_ptr<Dataset>> (*)(const Args& args,
                                                       std::vector<DatasetRef> inputs);

void RegisterOp(const char* name, OpFactory factory);
void RegisterKernel(const char* name, KernelPlanner planner);
std::vector<std::string> RegisteredOps();      // sorted
std::vector<std::string> RegisteredKernels();  // sorted

// Builds the op args.owner(). `where` is the user's line, "train.py:12" or empty; `in_run` says
// that a function makes it while its pipeline runs.
Result<DatasetRef> MakeDataset(const Args& args, std::vector<DatasetRef> inputs,
                               const std::string& where, bool in_run = false);
// Plans the kernel args.owner().
Result<KernelPlan> PlanKernel(const Args& attrs, Specs inputs);

struct OpRegistration {
  OpRegistration(const char* name, OpFactory factory) { RegisterOp(name, factory); }
};
struct KernelRegistration {
  KernelRegistration(const char* name, KernelPlanner planner) { RegisterKernel(name, planner); }
};

#define FASTPIPE_OP(name, factory) \
  const ::fastpipe::OpRegistration FASTPIPE_CONCAT(op_registration_, __COUNTER__)(name, factory)
#define FASTPIPE_KERNEL(name, planner)                                                          \
  const ::fastpipe::KernelRegistration FASTPIPE_CONCAT(kernel_registration_, __COUNTER__)(name, \
                                                                                          planner)

}  // namespace fastpipe
