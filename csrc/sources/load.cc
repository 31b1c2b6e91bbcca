// load(path, shard): the elements of one shard of a saved dataset. A dataset without elements has
// no shards; its shard 0 is empty.

#include <algorithm>

#include "core/numbered.h"
#include "core/registry.h"
#include "io/element_bytes.h"
#include "io/saved_dataset.h"
#include "runtime/context.h"

namespace fastpipe {
namespace {

class Load final : public Dataset {
 public:
  Load(SavedDataset saved, size_t shard)
      : Dataset(saved.spec, {}), saved_(std::move(saved)), shard_(shard) {}
  int64_t Cardinality() const override {
    return shard_ < saved_.shards.size() ? saved_.shards[shard_].elements : 0;
  }
  std::string path() const { return saved_.ShardPath(shard_); }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const SavedDataset saved_;
  const size_t shard_;
};

// Results are numbered as the elements are: a damaged one is an error in its place. Only elements
// that cannot be found at all count as one result, an error at the end.
class LoadIterator final : public IteratorOf<Load>, public Numbered {
 public:
  using IteratorOf::IteratorOf;

 private:
  Status Produce(Element* out) override {
    FASTPIPE_RETURN_IF_ERROR(Open());
    if (next_ == reader_->records()) return End();
    BlockReader::Record record;
    Status status = reader_->Read(next_, &record);
    if (status.code() == Code::kCancelled) return status;
    ++next_;
    FASTPIPE_RETURN_IF_ERROR(std::move(status));
    status = ParseElement(record.bytes, record.buffer, op().spec(), out);
    if (status.ok()) return status;
    return Status(status.code(),
                  StrCat("element ", next_ - 1, " of '", op().path(), "': ", status.message()));
  }

  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    while (count > 0) {
      Status status = Open();
      if (status.end_of_sequence() || status.code() == Code::kCancelled) return status;
      int64_t step = 1;  // for an error
      if (status.ok() && next_ < reader_->records()) {
        step = std::min(count, reader_->records() - next_);
        next_ += step;
      } else if (status.ok() && End().end_of_sequence()) {
        return Status::EndOfSequence();
      }
      *skipped += step;
      count -= step;
    }
    return Status::Ok();
  }

  // Has the file open. End of sequence if nothing is left of it; an error ends it.
  Status Open() {
    if (done_) return Status::EndOfSequence();
    if (reader_) return Status::Ok();
    if (op().Cardinality() == 0) return Status::EndOfSequence();
    Status status = OpenReader();
    if (status.error() && status.code() != Code::kCancelled) done_ = true;
    return status;
  }
  Status OpenReader() {
    FASTPIPE_ASSIGN(std::unique_ptr<File> file,
                    run().file_system()->Open(op().path(), context().cancel));
    FASTPIPE_ASSIGN(reader_, BlockReader::Open(std::move(file)));
    if (next_ <= reader_->records()) return Status::Ok();
    return DataLoss(StrCat("'", op().path(), "' has ", reader_->records(),
                           " elements: it is not the file that it was"));
  }

  // What comes when all records have been passed: an error once, if some are missing.
  Status End() {
    done_ = true;
    if (!reader_->damage().ok()) {
      return DataLoss(StrCat(reader_->damage().message(), "; it should have ", op().Cardinality()));
    }
    if (reader_->records() == op().Cardinality()) return Status::EndOfSequence();
    return DataLoss(StrCat("'", op().path(), "' has ", reader_->records(),
                           " elements, the manifest says ", op().Cardinality()));
  }

  Status SavePosition(PositionWriter* writer) override {
    writer->PutInt(next_);
    writer->PutInt(done_ ? 1 : 0);
    return Status::Ok();
  }
  Status RestorePosition(PositionReader* reader) override {
    next_ = reader->GetCount(op().Cardinality());
    done_ = reader->GetCount(1) == 1;
    return Status::Ok();
  }

  std::unique_ptr<BlockReader> reader_;
  int64_t next_ = 0;
  bool done_ = false;
};

std::unique_ptr<Iterator> Load::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<LoadIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeLoad(const Args& args, std::vector<DatasetRef>) {
  FASTPIPE_ASSIGN(const std::string path, args.String("path"));
  FASTPIPE_ASSIGN(SavedDataset saved,
                  ReadSavedDataset(PosixFileSystem(), path, CancelToken::Root()));
  const int64_t last = std::max<int64_t>(static_cast<int64_t>(saved.shards.size()) - 1, 0);
  FASTPIPE_ASSIGN(const int64_t shard, args.IntOr("shard", 0, {.min = 0, .max = last}));
  return std::make_shared<Load>(std::move(saved), static_cast<size_t>(shard));
}

FASTPIPE_OP("load", MakeLoad);

}  // namespace
}  // namespace fastpipe
