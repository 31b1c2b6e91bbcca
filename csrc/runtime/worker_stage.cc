#include "runtime/worker_stage.h"

namespace fastpipe {

StageWork<Element> WorkOnElements(Iterator* input) {
  StageWork<Element> work = WorkOnInput<Element>(input);
  work.pull = [input](Element* job) { return input->Next(job); };
  return work;
}

Status SaveLikeStage(const std::function<Status(PositionWriter*)>& save, PositionWriter* writer) {
  PositionWriter input;
  FASTPIPE_RETURN_IF_ERROR(save(&input));
  writer->PutBytes(input.bytes());
  writer->PutInt(0);
  return Status::Ok();
}

Status RestoreLikeStage(const std::function<Status(PositionReader*)>& restore,
                        const std::function<Status(int64_t, int64_t*)>& skip,
                        PositionReader* reader) {
  PositionReader input(reader->GetBytes());
  const int64_t since = reader->GetCount();
  FASTPIPE_RETURN_IF_ERROR(reader->status());
  FASTPIPE_RETURN_IF_ERROR(restore(&input));
  int64_t skipped = 0;
  Status status = skip(since, &skipped);
  return status.end_of_sequence() ? Status::Ok() : status;
}

Status SaveLikeStage(Iterator* input, PositionWriter* writer) {
  return SaveLikeStage([input](PositionWriter* own) { return input->Save(own); }, writer);
}

Status RestoreLikeStage(Iterator* input, PositionReader* reader) {
  const StageWork<Element> work = WorkOnElements(input);
  return RestoreLikeStage(work.restore, work.skip, reader);
}

}  // namespace fastpipe
