// ignore_errors(log_warning, on_error): leaves out results that are errors, counts them and tells
// the Python callable `on_error` of each. It ends whenever its input does, since no op reports an
// error twice.

#include <cstdio>

#include "core/python_hooks.h"
#include "core/registry.h"
#include "runtime/context.h"

namespace fastpipe {
namespace {

class IgnoreErrors final : public Dataset {
 public:
  // `handle` is that of the callable to tell, or 0.
  IgnoreErrors(DatasetRef input, bool log_warning, int64_t handle)
      : Dataset(input->spec(), {input}), log_warning_(log_warning), handle_(handle) {}
  bool log_warning() const { return log_warning_; }
  int64_t handle() const { return handle_; }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const bool log_warning_;
  const int64_t handle_;
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
      run().ignored_errors().fetch_add(1);
      if (op().log_warning()) {
        std::fprintf(stderr, "fastpipe: %s: ignored error %lld: %s\n", op().label().c_str(),
                     static_cast<long long>(ignored_), status.ToString().c_str());
      }
      if (op().handle() != 0) {
        FASTPIPE_RETURN_IF_ERROR(PythonEntry()->tell(op().handle(), status));
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
  FASTPIPE_ASSIGN(const int64_t handle, args.IntOr("on_error", 0));
  return std::make_shared<IgnoreErrors>(inputs[0], log_warning, handle);
}

FASTPIPE_OP("ignore_errors", MakeIgnoreErrors);

}  // namespace
}  // namespace fastpipe
