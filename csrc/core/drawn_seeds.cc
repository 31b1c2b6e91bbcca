#include "core/drawn_seeds.h"

namespace fastpipe {
namespace {

// Every op at and below `dataset` that drew its seed.
std::vector<const Dataset*> DrawnOps(const Dataset& dataset) {
  std::vector<const Dataset*> ops = dataset.DrawingOps();
  std::erase_if(ops, [](const Dataset* op) { return !op->seed()->drawn; });
  return ops;
}

}  // namespace

uint64_t DrawnSeeds::Of(const Dataset& op, const Seed& seed) const {
  if (!seed.drawn) return seed.value;
  const auto found = seeds_.find(&op);
  return found == seeds_.end() ? seed.value : found->second;
}

void DrawnSeeds::Save(const Dataset& dataset, PositionWriter* writer) const {
  for (const Dataset* op : DrawnOps(dataset)) {
    writer->PutInt(static_cast<int64_t>(Of(*op, *op->seed())));
  }
}

Status DrawnSeeds::Restore(const Dataset& dataset, std::string_view saved) {
  PositionReader reader(saved);
  for (const Dataset* op : DrawnOps(dataset)) {
    seeds_[op] = static_cast<uint64_t>(reader.GetInt());
  }
  // The description does not tell an op that is used twice from two that are alike.
  if (!reader.status().ok() || !reader.at_end()) {
    return FailedPrecondition(
        "the position was saved by another pipeline: another number of its ops have no seed");
  }
  return Status::Ok();
}

}  // namespace fastpipe
