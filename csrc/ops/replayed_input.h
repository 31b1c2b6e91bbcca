// ReplayedInput: the input of an op that holds results of it between two Nexts.
//
// Contract: a position never contains elements. Such an op saves where its input stood before the
// oldest result that it still needs, and pulls from there again after restoring. It never saves an
// input that has ended, which would not tell any more which epoch it was.
// Thread rule: as an Iterator.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "core/dataset.h"

namespace fastpipe {

class ReplayedInput {
 public:
  // Notes where the input stands before the first result it needs, and then every `spacing`
  // results: an op that always holds some sets it, so that it need not replay the whole pass.
  explicit ReplayedInput(std::unique_ptr<Iterator> input, int64_t spacing = INT64_MAX)
      : input_(std::move(input)), spacing_(spacing) {}

  Status Next(Element* out) {
    if (pulled_ >= next_place_) NotePlace();
    return Count(input_->Next(out), 1);
  }
  // Like Iterator::NextBlock.
  Status NextBlock(int64_t most, Block* out) {
    if (pulled_ >= next_place_) NotePlace();
    Status status = input_->NextBlock(most, out);
    return Count(std::move(status), out->rows);
  }
  // Like Iterator::Skip.
  Status Skip(int64_t count, int64_t* skipped);

  // Results of the whole pass so far, those before a restored position too.
  int64_t count() const { return input_->count(); }
  // Results pulled so far: the number of the next one.
  int64_t pulled() const { return pulled_; }
  // The results before number `result` are no longer needed. REQUIRES: result <= pulled()
  void Release(int64_t result);
  void ReleaseAll() { Release(pulled_); }

  Status Save(PositionWriter* writer);
  // Brings the input before the oldest result that was needed, which becomes number 0. `*again`
  // gets how many had been pulled from there on, `most` or fewer: the op pulls them again.
  Status Restore(PositionReader* reader, int64_t* again,
                 int64_t most = PositionReader::kMostCounted);
  // The same, and has `pull` take them again, one a call; an error among them is a result as any.
  // A position is damaged that has more of them than were taken: `has_room` says whether the op
  // would take another.
  Status Restore(PositionReader* reader, const std::function<bool()>& has_room,
                 const std::function<Status()>& pull);

 private:
  struct Place {
    int64_t result = 0;
    Status status;
    PositionWriter position;
  };
  void NotePlace();
  Status Count(Status status, int64_t results) {
    if (status.end_of_sequence()) {
      ended_ = true;
    } else if (status.code() != Code::kCancelled) {
      pulled_ += status.ok() ? results : 1;
    }
    return status;
  }

  const std::unique_ptr<Iterator> input_;
  const int64_t spacing_;
  int64_t pulled_ = 0;
  int64_t released_ = 0;
  int64_t next_place_ = 0;
  bool ended_ = false;
  std::deque<Place> places_;  // the first is at or before the oldest result needed
};

}  // namespace fastpipe
