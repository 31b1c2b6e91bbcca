#include "ops/replayed_input.h"

#include <algorithm>

namespace fastpipe {

void ReplayedInput::NotePlace() {
  Place& place = places_.emplace_back();
  place.result = pulled_;
  place.status = input_->Save(&place.position);
  // An input that refuses to save would only refuse again.
  next_place_ = place.status.ok() ? pulled_ + std::min(spacing_, INT64_MAX - pulled_) : INT64_MAX;
}

Status ReplayedInput::Skip(int64_t count, int64_t* skipped) {
  if (pulled_ >= next_place_) NotePlace();
  const int64_t before = *skipped;
  Status status = input_->Skip(count, skipped);
  pulled_ += *skipped - before;
  if (status.end_of_sequence()) ended_ = true;
  return status;
}

void ReplayedInput::Release(int64_t result) {
  released_ = result;
  const bool unsaveable = !places_.empty() && !places_.back().status.ok();
  if (ended_ || unsaveable) return;
  if (result == pulled_) {
    places_.clear();
    next_place_ = pulled_;
  }
  while (places_.size() > 1 && places_[1].result <= result) places_.pop_front();
}

Status ReplayedInput::Save(PositionWriter* writer) {
  PositionWriter now;
  if (places_.empty()) {
    FASTPIPE_RETURN_IF_ERROR(input_->Save(&now));
    writer->PutBytes(now.bytes());
    writer->PutInt(0);
    writer->PutInt(0);
    return Status::Ok();
  }
  const Place& place = places_.front();
  FASTPIPE_RETURN_IF_ERROR(Status(place.status));
  writer->PutBytes(place.position.bytes());
  writer->PutInt(released_ - place.result);
  writer->PutInt(pulled_ - released_);
  return Status::Ok();
}

Status ReplayedInput::Restore(PositionReader* reader, int64_t* again, int64_t most) {
  PositionReader position(reader->GetBytes());
  const int64_t released = reader->GetCount();
  *again = reader->GetCount(most);
  FASTPIPE_RETURN_IF_ERROR(reader->status());
  FASTPIPE_RETURN_IF_ERROR(input_->Restore(&position));
  int64_t skipped = 0;
  Status status = input_->Skip(released, &skipped);
  return status.end_of_sequence() ? Status::Ok() : status;
}

Status ReplayedInput::Restore(PositionReader* reader, const std::function<bool()>& has_room,
                              const std::function<Status()>& pull) {
  int64_t again = 0;
  FASTPIPE_RETURN_IF_ERROR(Restore(reader, &again));
  for (int64_t i = 0; i < again; ++i) {
    if (!has_room()) {
      reader->NoteDamage();
      return reader->status();
    }
    Status status = pull();
    if (status.code() == Code::kCancelled) return status;
    if (status.end_of_sequence()) break;
  }
  return Status::Ok();
}

}  // namespace fastpipe
