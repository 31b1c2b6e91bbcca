#include "core/epochs.h"

#include "core/dataset.h"
#include "core/drawn_seeds.h"

namespace fastpipe {

uint64_t Epochs::ScopeOf(const Dataset& dataset) const {
  return dataset.made_in_run() && !of_input_ ? 0 : scope_;
}

int64_t Epochs::Next(const Dataset* dataset) {
  MutexLock lock(mutex_);
  return Count(dataset)++;
}

int64_t Epochs::Upcoming(const Dataset* dataset) {
  MutexLock lock(mutex_);
  auto found = counts_.find(dataset->weak_from_this());
  return found == counts_.end() ? 0 : found->second;
}

void Epochs::SetNext(const Dataset* dataset, int64_t epoch) {
  MutexLock lock(mutex_);
  Count(dataset) = epoch;
}

std::vector<const Dataset*> EpochCounts::Counted() const {
  std::vector<const Dataset*> ops = op_.DrawingOps();
  std::erase_if(ops, [](const Dataset* op) { return !op->seed()->anew; });
  return ops;
}

void EpochCounts::Note() {
  upcoming_.clear();
  for (const Dataset* op : Counted()) upcoming_.push_back(epochs_->Upcoming(op));
}

void EpochCounts::Save(PositionWriter* writer) const {
  for (int64_t upcoming : upcoming_) writer->PutInt(upcoming);
}

void EpochCounts::Restore(PositionReader* reader) {
  upcoming_.clear();
  for (const Dataset* op : Counted()) {
    upcoming_.push_back(reader->GetCount());
    epochs_->SetNext(op, upcoming_.back());
  }
}

int64_t& Epochs::Count(const Dataset* dataset) {
  if (counts_.size() >= prune_at_) {
    std::erase_if(counts_, [](const auto& entry) { return entry.first.expired(); });
    prune_at_ = 2 * counts_.size() + 64;
  }
  return counts_[dataset->weak_from_this()];
}

}  // namespace fastpipe
