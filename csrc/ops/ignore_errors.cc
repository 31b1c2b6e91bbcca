// ignore_errors(log_warning): leaves out results that are errors. It ends whenever its input does,
// since no op reports an error twice.

#include <cstdio>

#include "core/registry.h"

namespace fastpipe {
namespace {

class IgnoreErrors final : public Dataset {
 public:
  IgnoreErrors(DatasetRef input, bool log_warning)
      : Dataset(input->spec(), {input}), log_warning_(log_warning) {}
  bool log_warning() const { return log_warning_; }
  int64_t Cardinality() const override {
    const int64_t size = input()->Cardinality();
    return size == 0 || size == kInfinite ? size : kUnknown;
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const bool log_warning_;
};

class IgnoreErrorsIterator final : public UnaryIterator<IgnoreErrors> {
 public:
  using UnaryIterator::UnaryIterator;

 private:
  Status Produce(Element* out) override {
    while (true) {
      Status status = input_->Next(out);
      if (!status.error() || status.code() == Code::kCancelled) return status;
      ++ignored_;
      if (op().log_warning()) {
        std::fprintf(stderr, "fastpipe: %s: ignored error %lld: %s\n", op().label().c_str(),
                     static_cast<long long>(ignored_), status.ToString().c_str());
      }
    }
  }
  Status SavePosition(PositionWriter* writer) override {
    writer->PutInt(ignored_);
    return UnaryIterator::SavePosition(writer);
  }
  Status RestorePosition(PositionReader* reader) override {
    ignored_ = reader->GetCount();
    return UnaryIterator::RestorePosition(reader);
  }

  int64_t ignored_ = 0;
};

std::unique_ptr<Iterator> IgnoreErrors::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<IgnoreErrorsIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeIgnoreErrors(const Args& args,
                                                  std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(const bool log_warning, args.BoolOr("log_warning", false));
  return std::make_shared<IgnoreErrors>(inputs[0], log_warning);
}

FASTPIPE_OP("ignore_errors", MakeIgnoreErrors);

}  // namespace
}  // namespace fastpipe
