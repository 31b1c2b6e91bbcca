#include "core/registry.h"

#include <map>
#include <set>

#include "core/guard.h"
#include "core/program.h"

namespace fastpipe {
namespace {

template <typename Factory>
using Table = std::map<std::string, Factory, std::less<>>;

// Leaked on purpose: registrations run before main and lookups may run while the process exits.
Table<OpFactory>& Ops() {
  static Table<OpFactory>* const ops = std::make_unique<Table<OpFactory>>().release();
  return *ops;
}

Table<KernelPlanner>& Kernels() {
  static Table<KernelPlanner>* const kernels = std::make_unique<Table<KernelPlanner>>().release();
  return *kernels;
}

template <typename Factory>
std::vector<std::string> Names(const Table<Factory>& table) {
  std::vector<std::string> names;
  for (const auto& [name, factory] : table) names.push_back(name);
  return names;
}

// Dataset::drawing_below() of an op that is made of these.
std::vector<DatasetRef> DrawingBelow(const Args& args, std::vector<DatasetRef> inputs) {
  CollectDatasets(args, &inputs);
  std::vector<DatasetRef> ops;
  std::set<const Dataset*> known;
  for (const DatasetRef& dataset : inputs) {
    for (const DatasetRef& op : dataset->drawing_below()) {
      if (known.insert(op.get()).second) ops.push_back(op);
    }
    if (dataset->seed() && known.insert(dataset.get()).second) ops.push_back(dataset);
  }
  return ops;
}

}  // namespace

void RegisterOp(const char* name, OpFactory factory) { Ops()[name] = factory; }
void RegisterKernel(const char* name, KernelPlanner planner) { Kernels()[name] = planner; }
std::vector<std::string> RegisteredOps() { return Names(Ops()); }
std::vector<std::string> RegisteredKernels() { return Names(Kernels()); }

Result<DatasetRef> MakeDataset(const Args& args, std::vector<DatasetRef> inputs,
                               const std::string& where, bool in_run) {
  auto found = Ops().find(args.owner());
  if (found == Ops().end()) return Internal(StrCat("there is no op named '", args.owner(), "'"));
  std::shared_ptr<Dataset> made;
  FASTPIPE_RETURN_IF_ERROR(Guarded([&]() -> Status {
    FASTPIPE_ASSIGN(made, found->second(args, inputs));
    made->set_drawing_below(DrawingBelow(args, std::move(inputs)));
    return Status::Ok();
  }));
  made->set_made_in_run(in_run);
  made->set_label(where.empty() ? args.owner() : StrCat(args.owner(), " (", where, ")"));
  return DatasetRef(std::move(made));
}

Result<KernelPlan> PlanKernel(const Args& attrs, Specs inputs) {
  auto found = Kernels().find(attrs.owner());
  if (found == Kernels().end()) {
    return Internal(StrCat("there is no kernel named '", attrs.owner(), "'"));
  }
  KernelPlan plan;
  FASTPIPE_RETURN_IF_ERROR(Guarded([&]() -> Status {
    FASTPIPE_ASSIGN(plan, found->second(attrs, inputs));
    return Status::Ok();
  }));
  return plan;
}

}  // namespace fastpipe
