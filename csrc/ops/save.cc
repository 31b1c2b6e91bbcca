// save(path, compression, shard_func, structure, fingerprint): writes all elements of its input to
// a folder, and gives their number. Nothing is there before all of it is.

#include "core/registry.h"
#include "ops/dataset_files.h"

namespace fastpipe {
namespace {

class SaveFiles final : public Dataset {
 public:
  SaveFiles(DatasetRef input, SavedDataset description, std::optional<Function> shard_function)
      : Dataset({TensorSpec::Scalar(DType::kInt64)}, {input}),
        description_(std::move(description)),
        shard_function_(std::move(shard_function)) {}
  int64_t Cardinality() const override { return 1; }
  const SavedDataset& description() const { return description_; }
  const std::optional<Function>& shard_function() const { return shard_function_; }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const SavedDataset description_;
  const std::optional<Function> shard_function_;
};

class SaveIterator final : public UnaryIterator<SaveFiles> {
 public:
  SaveIterator(const SaveFiles& op, const IteratorContext& context)
      : UnaryIterator(op, context), assigner_(op.shard_function(), context) {}

 private:
  Status Produce(Element* out) override {
    if (begun_) return Status::EndOfSequence();
    begun_ = true;
    FASTPIPE_ASSIGN(std::unique_ptr<SavedDatasetWriter> writer,
                    SavedDatasetWriter::Begin(op().description()));
    int64_t count = 0;
    for (Element element;; ++count) {
      Status status = input_->Next(&element);
      if (status.end_of_sequence()) break;
      FASTPIPE_RETURN_IF_ERROR(std::move(status));
      int64_t shard = 0;
      FASTPIPE_RETURN_IF_ERROR(assigner_.Assign(element, &shard));
      FASTPIPE_RETURN_IF_ERROR(writer->Append(shard, element));
    }
    FASTPIPE_RETURN_IF_ERROR(writer->Commit(/*replace=*/true));
    out->push_back(Tensor::Scalar(count));
    return Status::Ok();
  }
  Status SavePosition(PositionWriter*) override {
    return Unimplemented(op().label() + ": writing a dataset has no position");
  }

  ShardAssigner assigner_;
  bool begun_ = false;
};

std::unique_ptr<Iterator> SaveFiles::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<SaveIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeSave(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(SavedDataset description, DescriptionArguments(args, inputs[0]->spec()));
  FASTPIPE_ASSIGN(std::optional<Function> shard_function, ShardFunction(args, inputs[0]->spec()));
  return std::make_shared<SaveFiles>(inputs[0], std::move(description), std::move(shard_function));
}

FASTPIPE_OP("save", MakeSave);

}  // namespace
}  // namespace fastpipe
