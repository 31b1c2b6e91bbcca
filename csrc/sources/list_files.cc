// list_files(patterns, shuffle, seed): the names of the files that match, found when the op is
// made.

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>

#include "core/registry.h"
#include "io/file_system.h"
#include "runtime/seed.h"

namespace fastpipe {
namespace {

class ListFiles final : public Dataset {
 public:
  // `names` is a one-dimensional string tensor, empty only while a function is being traced.
  ListFiles(Tensor names, bool shuffle, Seed seed)
      : Dataset({TensorSpec::Scalar(DType::kString)}, {}),
        names_(std::move(names)),
        shuffle_(shuffle),
        seed_(seed) {}

  int64_t Cardinality() const override { return names_.dim(0) > 0 ? names_.dim(0) : kUnknown; }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

  const Tensor& names() const { return names_; }
  bool shuffle() const { return shuffle_; }
  const Seed* seed() const override { return &seed_; }

 private:
  const Tensor names_;
  const bool shuffle_;
  const Seed seed_;
};

class ListFilesIterator final : public IteratorOf<ListFiles> {
 public:
  ListFilesIterator(const ListFiles& op, const IteratorContext& context)
      : IteratorOf(op, context), seed_(op, context) {}

 private:
  Status Produce(Element* out) override {
    if (next_ == size()) return Status::EndOfSequence();
    if (op().shuffle() && order_.empty()) DrawOrder();
    out->push_back(op().names().Row(op().shuffle() ? order_[next_] : next_));
    ++next_;
    return Status::Ok();
  }
  Status ProduceSkip(int64_t count, int64_t* skipped) override {
    const int64_t step = std::min(count, size() - next_);
    next_ += step;
    *skipped += step;
    return step == count ? Status::Ok() : Status::EndOfSequence();
  }
  Status SavePosition(PositionWriter* writer) override {
    writer->PutInt(next_);
    seed_.Save(writer);
    return Status::Ok();
  }
  Status RestorePosition(PositionReader* reader) override {
    next_ = reader->GetCount(size());
    seed_.Restore(reader);
    return Status::Ok();
  }

  int64_t size() const { return op().names().dim(0); }

  // A permutation that is a function of seed, run and epoch: the order of shuffle with a buffer for
  // all names.
  void DrawOrder() {
    const Philox random = seed_.Random();
    order_.resize(static_cast<size_t>(size()));
    std::iota(order_.begin(), order_.end(), 0);
    for (size_t i = 0; i < order_.size(); ++i) {
      std::swap(order_[i], order_[i + random.At(i) % (order_.size() - i)]);
    }
  }

  PassSeed seed_;
  int64_t next_ = 0;
  std::vector<int64_t> order_;  // empty until the first element is asked for
};

std::unique_ptr<Iterator> ListFiles::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<ListFilesIterator>(*this, context);
}

Status NoMatch(const Args& args, const std::vector<std::string>& patterns) {
  if (patterns.empty()) return args.Error("patterns must name at least one pattern, got none");
  std::string given;
  bool relative = false;
  for (const std::string& pattern : patterns) {
    given += StrCat(given.empty() ? "'" : ", '", pattern, "'");
    relative = relative || !pattern.starts_with('/');
  }
  std::error_code error;
  const std::string directory = std::filesystem::current_path(error).string();
  return args.Error(
      StrCat("no files matched pattern ", given,
             relative ? StrCat(" (the current directory is '", directory, "')") : ""));
}

// All matches of all patterns, sorted together; a file that two of them match comes twice.
Result<Tensor> FindFiles(const Args& args) {
  FASTPIPE_ASSIGN(const std::vector<std::string> patterns, args.Strings("patterns"));
  std::vector<std::string> names;
  for (const std::string& pattern : patterns) {
    FASTPIPE_ASSIGN(std::vector<std::string> found, PosixFileSystem()->Glob(pattern));
    std::move(found.begin(), found.end(), std::back_inserter(names));
  }
  if (names.empty()) return NoMatch(args, patterns);
  std::sort(names.begin(), names.end());
  StringArrayBuilder builder(names.size());
  for (const std::string& name : names) builder.Append(name);
  return builder.Build();
}

Result<std::shared_ptr<Dataset>> MakeListFiles(const Args& args, std::vector<DatasetRef>) {
  FASTPIPE_ASSIGN(const bool shuffle, args.BoolOr("shuffle", true));
  Seed seed;
  if (shuffle) {
    FASTPIPE_ASSIGN(seed, SeedArgument(args, /*anew=*/true));
  }
  if (args.IsPlaceholder("patterns")) {
    FASTPIPE_RETURN_IF_ERROR(args.Strings("patterns").status());  // the type, at least
    return std::make_shared<ListFiles>(StringArrayBuilder().Build(), shuffle, seed);
  }
  FASTPIPE_ASSIGN(Tensor names, FindFiles(args));
  return std::make_shared<ListFiles>(std::move(names), shuffle, seed);
}

FASTPIPE_OP("list_files", MakeListFiles);

}  // namespace
}  // namespace fastpipe
