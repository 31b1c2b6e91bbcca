#include "ops/cache_files.h"

#include "core/mutex.h"
#include "core/registry.h"
#include "ops/dataset_files.h"
#include "ops/held_elements.h"

namespace fastpipe {
namespace {

class CacheFiles final : public CacheStore {
 public:
  CacheFiles(SavedDataset description, std::optional<Function> shard_function,
             std::optional<Function> reader_function)
      : description_(std::move(description)),
        shard_function_(std::move(shard_function)),
        reader_function_(std::move(reader_function)) {}

  Result<DatasetRef> Kept(const IteratorContext& context) override {
    auto saved = Read();
    if (saved.status().code() == Code::kNotFound) return DatasetRef();
    FASTPIPE_RETURN_IF_ERROR(Status(saved.status()));
    if (!reader_function_) return OneShard(0);
    // Read as the user says, from a dataset of the shards.
    std::vector<Element> shards;
    for (size_t i = 0; i < saved.value().shards.size(); ++i) {
      FASTPIPE_ASSIGN(DatasetRef shard, OneShard(i));
      shards.push_back({TensorOf(std::move(shard))});
    }
    Element made;
    FunctionCall call(*reader_function_,
                      {context.run->file_system(), context.cancel, context.run, context.random});
    DatasetRef all = HoldElements({DatasetSpec(description_.spec)}, std::move(shards), "snapshot");
    FASTPIPE_RETURN_IF_ERROR(call.Run(0, {TensorOf(std::move(all))}, &made));
    return DatasetOf(made[0]);
  }

  Result<std::unique_ptr<Filling>> Begin(const IteratorContext& context) override {
    FASTPIPE_ASSIGN(auto writer, SavedDatasetWriter::Begin(description_));
    return std::make_unique<Part>(std::move(writer), ShardAssigner(shard_function_, context));
  }

  std::optional<std::string> beginning() override {
    MutexLock lock(mutex_);
    return beginning_;
  }
  void SetBeginning(const std::optional<std::string>& beginning) override {
    MutexLock lock(mutex_);
    beginning_ = beginning;
  }

 private:
  class Part final : public Filling {
   public:
    Part(std::unique_ptr<SavedDatasetWriter> writer, ShardAssigner assigner)
        : writer_(std::move(writer)), assigner_(std::move(assigner)) {}
    using Filling::Append;
    Status Append(const Element& element) override {
      int64_t shard = 0;
      FASTPIPE_RETURN_IF_ERROR(assigner_.Assign(element, &shard));
      return writer_->Append(shard, element);
    }
    // What another process has completed meanwhile stays.
    Status Complete(const std::optional<std::string>&) override {
      return writer_->Commit(/*replace=*/false);
    }

   private:
    const std::unique_ptr<SavedDatasetWriter> writer_;
    ShardAssigner assigner_;
  };

  // NotFound if there is nothing; an error if what is there was written by another pipeline.
  Result<SavedDataset> Read() const {
    FASTPIPE_ASSIGN(SavedDataset saved,
                    ReadSavedDataset(PosixFileSystem(), description_.path, CancelToken::Root()));
    if (saved.fingerprint == description_.fingerprint && saved.spec == description_.spec) {
      return saved;
    }
    return FailedPrecondition(StrCat("'", description_.path,
                                     "' holds what another pipeline wrote: remove it, or name "
                                     "another place for this one"));
  }

  Result<DatasetRef> OneShard(size_t shard) const {
    Args args("load");
    args.Set("path", Value{description_.path});
    args.Set("shard", Value{static_cast<int64_t>(shard)});
    return MakeDataset(args, {}, "");
  }

  const SavedDataset description_;
  const std::optional<Function> shard_function_;
  const std::optional<Function> reader_function_;
  Mutex mutex_;
  std::optional<std::string> beginning_ GUARDED_BY(mutex_);
};

Result<std::optional<Function>> ReaderFunction(const Args& args, const ElementSpec& spec) {
  if (!args.Has("reader_func")) return std::optional<Function>();
  FASTPIPE_ASSIGN(Function function, args.Func("reader_func"));
  FASTPIPE_RETURN_IF_ERROR(ExpectArgs(args, function, {DatasetSpec({DatasetSpec(spec)})}));
  const ElementSpec& outputs = function.program->output_specs();
  if (outputs.size() != 1 || outputs[0].dtype != DType::kDataset) {
    return args.Error("reader_func must return a dataset");
  }
  const ElementSpec& elements = *outputs[0].element;
  bool same = elements.size() == spec.size();
  for (size_t i = 0; same && i < spec.size(); ++i) same = spec[i].Accepts(elements[i]);
  if (same) return std::optional<Function>(std::move(function));
  return args.Error("reader_func must return a dataset of the elements that were written");
}

}  // namespace

Result<std::unique_ptr<CacheStore>> MakeCacheFiles(const Args& args, const ElementSpec& spec) {
  FASTPIPE_ASSIGN(SavedDataset description, DescriptionArguments(args, spec));
  FASTPIPE_ASSIGN(std::optional<Function> shard_function, ShardFunction(args, spec));
  FASTPIPE_ASSIGN(std::optional<Function> reader_function, ReaderFunction(args, spec));
  return std::make_unique<CacheFiles>(std::move(description), std::move(shard_function),
                                      std::move(reader_function));
}

}  // namespace fastpipe
