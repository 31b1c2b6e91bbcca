// sample_from_datasets(inputs...; weights, seed, stop_on_empty_dataset,
// rerandomize_each_iteration): each element is the next of an input drawn at random. Inputs that
// have ended are left out of the draw, and so are those of weight 0.

#include <cmath>

#include "core/registry.h"
#include "ops/element_choice.h"
#include "runtime/seed.h"

namespace fastpipe {
namespace {

class SampleFromDatasets final : public Dataset {
 public:
  struct Settings {
    std::vector<double> weights;  // one for each input
    uint64_t seed = 0;
    bool anew = false;
    bool stop_on_empty = false;
  };

  SampleFromDatasets(ElementSpec spec, std::vector<DatasetRef> inputs, Settings settings)
      : Dataset(std::move(spec), std::move(inputs)), settings_(std::move(settings)) {}
  const Settings& settings() const { return settings_; }

  int64_t Cardinality() const override {
    bool any = false;
    bool all = true;
    for (size_t i = 0; i < inputs().size(); ++i) {
      if (settings_.weights[i] == 0) continue;
      const bool infinite = inputs()[i]->Cardinality() == kInfinite;
      any = any || infinite;
      all = all && infinite;
    }
    return (settings_.stop_on_empty ? all : any) ? kInfinite : kUnknown;
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  const Settings settings_;
};

class SampleIterator final : public IteratorOf<SampleFromDatasets> {
 public:
  SampleIterator(const SampleFromDatasets& op, const IteratorContext& context)
      : IteratorOf(op, context),
        seed_(op, op.settings().seed, op.settings().anew, &run()),
        random_(seed_.Random()),
        choices_(op.inputs(), 0, context) {}

 private:
  Status Produce(Element* out) override {
    size_t index = 0;
    while (Draw(&index)) {
      Status status = choices_.Next(index, out);
      if (!status.end_of_sequence() || op().settings().stop_on_empty) return status;
    }
    return Status::EndOfSequence();
  }

  // Draws one of the open inputs; false if none is left.
  bool Draw(size_t* index) {
    const std::vector<double>& weights = op().settings().weights;
    double total = 0;
    for (size_t i = 0; i < weights.size(); ++i) total += choices_.open(i) ? weights[i] : 0;
    if (total <= 0) return false;
    // 53 random bits: uniform in [0, 1).
    double rest = std::ldexp(static_cast<double>(random_.At(draws_++) >> 11), -53) * total;
    for (size_t i = 0; i < weights.size(); ++i) {
      if (!choices_.open(i) || weights[i] == 0) continue;
      *index = i;  // the last one also if rounding left a little of `rest`
      if (rest < weights[i]) break;
      rest -= weights[i];
    }
    return true;
  }

  Status SavePosition(PositionWriter* writer) override {
    seed_.Save(writer);
    writer->PutInt(static_cast<int64_t>(draws_));
    return choices_.Save(writer);
  }
  Status RestorePosition(PositionReader* reader) override {
    seed_.Restore(reader);
    random_ = seed_.Random();
    draws_ = static_cast<uint64_t>(reader->GetCount());
    return choices_.Restore(reader);
  }

  PassSeed seed_;
  CounterRandom random_;
  uint64_t draws_ = 0;
  InputSet choices_;
};

std::unique_ptr<Iterator> SampleFromDatasets::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<SampleIterator>(*this, context);
}

// The argument `weights`: a list of numbers or a one-dimensional tensor.
Result<std::vector<double>> ReadWeights(const Args& args, size_t inputs) {
  if (!args.Has("weights") || args.IsPlaceholder("weights")) return std::vector<double>(inputs, 1);
  ValueList list;
  if (Result<Tensor> tensor = args.OneTensor("weights"); tensor.ok()) {
    const Tensor& given = tensor.value();
    if (given.rank() != 1) return args.Error("weights must be a list of numbers");
    for (int64_t i = 0; i < given.dim(0); ++i) list.push_back(Value{given.Row(i)});
  } else {
    FASTPIPE_ASSIGN(list, args.List("weights"));
  }
  if (list.size() != inputs) {
    return args.Error(StrCat("weights must have an entry for each of the ", inputs,
                             " datasets, got ", list.size()));
  }
  std::vector<double> weights;
  double total = 0;
  for (Value& item : list) {
    const Args entry(args.owner(), {{"weights", std::move(item)}});
    FASTPIPE_ASSIGN(const double weight, entry.DoubleOr("weights", 1));
    if (!(weight >= 0) || std::isinf(weight)) {
      return args.Error(StrCat("weights must be finite and >= 0, got ", weight));
    }
    weights.push_back(weight);
    total += weight;
  }
  if (total <= 0) return args.Error("weights must not all be 0");
  return weights;
}

Result<std::shared_ptr<Dataset>> MakeSample(const Args& args, std::vector<DatasetRef> inputs) {
  FASTPIPE_ASSIGN(ElementSpec spec, CommonSpec(args, inputs, 0));
  SampleFromDatasets::Settings settings;
  FASTPIPE_ASSIGN(settings.weights, ReadWeights(args, inputs.size()));
  FASTPIPE_ASSIGN(settings.seed, SeedArgument(args));
  FASTPIPE_ASSIGN(settings.stop_on_empty, args.BoolOr("stop_on_empty_dataset", false));
  FASTPIPE_ASSIGN(settings.anew, args.BoolOr("rerandomize_each_iteration", false));
  return std::make_shared<SampleFromDatasets>(std::move(spec), std::move(inputs),
                                              std::move(settings));
}

FASTPIPE_OP("sample_from_datasets", MakeSample);

}  // namespace
}  // namespace fastpipe
