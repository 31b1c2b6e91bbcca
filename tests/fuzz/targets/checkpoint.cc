// Saved positions: restoring one either fails, or gives a pipeline that goes on to its end.
//
// An input names a pipeline and how far it runs before its position is saved, and then says what is
// changed in that position. The checksum is made right again, so that the changes reach the ops.

#include <string>
#include <vector>

#include "../target.h"
#include "api.h"
#include "core/position.h"
#include "core/random.h"
#include "pipelines.h"

namespace fastpipe::fuzz {
namespace {

// More than any of the pipelines has.
constexpr int kMaxElements = 200;
constexpr int kAdvanced = 20;
constexpr char kFingerprint[] = "pipeline";
constexpr std::initializer_list<Code> kErrors = {
    Code::kDataLoss, Code::kInvalidArgument, Code::kFailedPrecondition, Code::kResourceExhausted};

// As api.cc sums them up.
uint64_t Checksum(std::string_view bytes) {
  uint64_t sum = bytes.size();
  for (char byte : bytes) sum = MixBits(sum ^ static_cast<uint8_t>(byte));
  return sum;
}

// Replaces bytes by others, over and over.
std::string Edited(std::string position, Choices* choices) {
  while (!choices->rest().empty()) {
    const size_t at = std::min<size_t>(choices->Below(256), position.size());
    const auto dropped = static_cast<size_t>(choices->Below(4));
    const auto inserted = static_cast<size_t>(choices->Below(16));
    position.replace(at, dropped, choices->Bytes(inserted));
  }
  return position;
}

// `state` with another position of the iterator in it.
std::string EditedState(const std::string& state, Choices* choices) {
  PositionReader reader(state);
  PositionWriter writer;
  writer.PutBytes(reader.GetBytes());  // the magic
  writer.PutInt(reader.GetInt());      // the version
  writer.PutBytes(reader.GetBytes());  // the fingerprint
  writer.PutInt(reader.GetInt());      // which run
  writer.PutInt(reader.GetInt());      // its random seed
  writer.PutBytes(reader.GetBytes());  // the seeds of ops that have none
  writer.PutBytes(Edited(std::string(reader.GetBytes()), choices));
  Check(reader.status().ok(), "a saved state is as api.cc writes it");
  writer.PutInt(static_cast<int64_t>(Checksum(writer.bytes())));
  return writer.bytes();
}

std::shared_ptr<api::Pipeline> Start(const DatasetRef& dataset) {
  api::PipelineOptions options;
  options.run.autotune = false;
  options.run.ram_budget = 1 << 26;
  options.run.cpu_budget = 64;  // more than there are: nothing is measured
  Status status;
  auto pipeline = api::StartPipeline(dataset, options, &status);
  Check(status.ok(), StrCat("the pipeline starts: ", status.ToString()));
  return pipeline;
}

// The number of results until the end; fails if there is none.
int Finish(api::Pipeline* pipeline) {
  Element element;
  for (int count = 0; count < kMaxElements; ++count) {
    const Status status = pipeline->Next(&element);
    if (status.end_of_sequence()) return count;
    CheckError(status, kErrors);
  }
  Check(false, "a restored pipeline ends");
  return kMaxElements;
}

void Advance(api::Pipeline* pipeline, int count) {
  Element element;
  for (int i = 0; i < count; ++i) static_cast<void>(pipeline->Next(&element).ok());
}

std::string Saved(const DatasetRef& dataset, int count) {
  auto pipeline = Start(dataset);
  Advance(pipeline.get(), count);
  std::string state;
  const Status status = pipeline->Save(kFingerprint, &state);
  Check(status.ok(), StrCat("a position can be saved: ", status.ToString()));
  api::DropPipeline(std::move(pipeline));
  return state;
}

// What a restored pipeline saves can be restored again. `sound`: and leaves as many elements.
void GoOn(const DatasetRef& dataset, api::Pipeline* pipeline, int count, bool sound) {
  Advance(pipeline, count);
  std::string state;
  const Status saved = pipeline->Save(kFingerprint, &state);
  const int left = Finish(pipeline);
  if (!saved.ok()) return;
  auto again = Start(dataset);
  const Status restored = again->Restore(kFingerprint, state);
  CheckError(restored, kErrors);
  if (sound) Check(restored.ok(), StrCat("a position is restored: ", restored.ToString()));
  if (restored.ok()) {
    const int left_again = Finish(again.get());
    if (sound) Check(left_again == left, "a position saved again leaves as many elements");
  }
  api::DropPipeline(std::move(again));
}

void Fuzz(std::string_view bytes) {
  Choices choices(bytes);
  const std::vector<DatasetRef>& pipelines = Pipelines();
  const DatasetRef& dataset =
      pipelines[static_cast<size_t>(choices.Below(static_cast<int>(pipelines.size())))];
  const int before = choices.Below(kAdvanced);
  const int after = choices.Below(kAdvanced);
  const bool sound = choices.rest().empty();
  const std::string state = EditedState(Saved(dataset, before), &choices);
  auto pipeline = Start(dataset);
  const Status status = pipeline->Restore(kFingerprint, state);
  CheckError(status, kErrors);
  if (sound) Check(status.ok(), StrCat("a position is restored: ", status.ToString()));
  if (status.ok()) GoOn(dataset, pipeline.get(), after, sound);
  api::DropPipeline(std::move(pipeline));
}

FASTPIPE_FUZZ_TARGET("checkpoint", Fuzz);

}  // namespace
}  // namespace fastpipe::fuzz
