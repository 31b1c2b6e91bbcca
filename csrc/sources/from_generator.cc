// from_generator(handle, signature, args): the elements of a Python iterator, called again for
// every pass. Its position is the state that the iterator offers; a plain generator has none, since
// nobody can know whether it would yield the same again.

#include "core/python_hooks.h"
#include "core/registry.h"

namespace fastpipe {
namespace {

class FromGenerator final : public Dataset {
 public:
  FromGenerator(ElementSpec signature, int64_t handle, std::vector<Tensor> args)
      : Dataset(std::move(signature), {}), handle_(handle), args_(std::move(args)) {}
  int64_t handle() const { return handle_; }
  const std::vector<Tensor>& args() const { return args_; }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const int64_t handle_;
  const std::vector<Tensor> args_;
};

class FromGeneratorIterator final : public IteratorOf<FromGenerator> {
 public:
  using IteratorOf::IteratorOf;

 private:
  Status Produce(Element* out) override {
    FASTPIPE_RETURN_IF_ERROR(StartOnce());
    begun_ = true;
    std::vector<Tensor> values;
    // A generator that raised is finished in Python: asking again would say so for ever.
    if (raised_) return Status::EndOfSequence();
    Status status = PythonEntry()->next_generated(generator_.get(), op().spec(), &values);
    raised_ = status.code() == Code::kPythonError;
    FASTPIPE_RETURN_IF_ERROR(std::move(status));
    FASTPIPE_RETURN_IF_ERROR(ExpectSignature(values, op().spec()));
    for (Tensor& value : values) out->push_back(std::move(value));
    return Status::Ok();
  }
  Status StartOnce() {
    if (generator_) return Status::Ok();
    return PythonEntry()->start_generator(op().handle(), op().args(), &generator_);
  }

  Status SavePosition(PositionWriter* writer) override {
    writer->PutInt(raised_ ? 1 : 0);
    if (raised_) return Status::Ok();
    writer->PutInt(begun_ || restored_ ? 1 : 0);
    if (!begun_) {
      writer->PutBytes(state_);
      return Status::Ok();
    }
    std::string state;
    std::string refused;
    FASTPIPE_RETURN_IF_ERROR(PythonEntry()->save_generator(generator_.get(), &state, &refused));
    if (!refused.empty()) {
      return Unimplemented(op().label() +
                           ": a Python generator has no position that can be saved: give what the "
                           "function returns (" +
                           refused + ") the methods state_dict() and load_state_dict(state)");
    }
    writer->PutBytes(state);
    return Status::Ok();
  }
  Status RestorePosition(PositionReader* reader) override {
    raised_ = reader->GetCount(1) == 1;
    if (raised_) return Status::Ok();
    restored_ = reader->GetCount(1) == 1;
    const std::string_view state = reader->GetBytes();
    FASTPIPE_RETURN_IF_ERROR(reader->status());
    if (!restored_) return Status::Ok();
    FASTPIPE_RETURN_IF_ERROR(StartOnce());
    state_ = state;
    return PythonEntry()->restore_generator(generator_.get(), state);
  }

  std::shared_ptr<void> generator_;
  bool begun_ = false;
  bool raised_ = false;
  bool restored_ = false;
  std::string state_;  // that was restored, until the generator has begun
};

std::unique_ptr<Iterator> FromGenerator::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<FromGeneratorIterator>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeFromGenerator(const Args& args, std::vector<DatasetRef>) {
  FASTPIPE_ASSIGN(ElementSpec signature, args.Signature("signature"));
  FASTPIPE_ASSIGN(const int64_t handle, args.Int("handle"));
  FASTPIPE_ASSIGN(std::vector<Tensor> arguments, args.Tensors("args"));
  return std::make_shared<FromGenerator>(std::move(signature), handle, std::move(arguments));
}

FASTPIPE_OP("from_generator", MakeFromGenerator);

}  // namespace
}  // namespace fastpipe
