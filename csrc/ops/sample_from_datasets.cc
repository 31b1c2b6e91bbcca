// sample_from_datasets(inputs...; weights, seed, stop_on_empty_dataset,
// rerandomize_each_iteration): each element is the next of an input drawn at random. Draws of
// inputs that have ended are passed over. The draws are TensorFlow's for the seed.

#include <algorithm>
#include <cmath>

#include "core/registry.h"
#include "ops/element_choice.h"
#include "ops/interrupted_element.h"
#include "runtime/seed.h"

namespace fastpipe {
namespace {

class SampleFromDatasets final : public Dataset {
 public:
  struct Settings {
    std::vector<double> weights;  // one for each input
    Seed seed;
    bool stop_on_empty = false;
  };

  SampleFromDatasets(ElementSpec spec, std::vector<DatasetRef> inputs, Settings settings)
      : Dataset(std::move(spec), std::move(inputs)), settings_(std::move(settings)) {}
  const Settings& settings() const { return settings_; }
  const Seed* seed() const override { return &settings_.seed; }

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

// Draws in a row that find their input ended before these inputs are left out of the draw.
constexpr int kPatience = 1000;

class SampleIterator final : public IteratorOf<SampleFromDatasets> {
 public:
  SampleIterator(const SampleFromDatasets& op, const IteratorContext& context)
      : IteratorOf(op, context),
        seed_(op, context),
        random_(seed_.Random()),
        choices_(op.inputs(), 0, context) {
    Accumulate(/*open_only=*/false);
  }

 private:
  Status Produce(Element* out) override {
    // What is left out of the draws of one element is back for the next.
    if (open_only_ && passed_over_ == 0) Accumulate(/*open_only=*/false);
    for (;; ++passed_over_) {
      // Draws over inputs that are nearly all that is left would go on too long.
      if (passed_over_ % kPatience == kPatience - 1) Accumulate(/*open_only=*/true);
      if (cumulative_.back() <= 0) return Status::EndOfSequence();
      const size_t index = Draw();
      if (choices_.open(index)) {
        Status status = choices_.Next(index, out);
        if (status.code() == Code::kCancelled) {
          --draws_;  // the next call draws the same
          return status;
        }
        if (!status.end_of_sequence()) passed_over_ = 0;
        if (!status.end_of_sequence() || op().settings().stop_on_empty) return status;
        if (!ServedByAny()) return Status::EndOfSequence();
      }
    }
  }

  // Whether an input that may be drawn is open.
  bool ServedByAny() const {
    const std::vector<double>& weights = op().settings().weights;
    for (size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] > 0 && choices_.open(i)) return true;
    }
    return false;
  }

  // Sums up the weights as TensorFlow does: exponentials of float logarithms.
  void Accumulate(bool open_only) {
    const std::vector<double>& weights = op().settings().weights;
    const double most = *std::max_element(weights.begin(), weights.end());
    const double scale = std::log(static_cast<float>(most));
    double total = 0;
    open_only_ = open_only;
    cumulative_.clear();
    for (size_t i = 0; i < weights.size(); ++i) {
      const bool counts = weights[i] > 0 && (!open_only || choices_.open(i));
      if (counts) total += std::exp(double{std::log(static_cast<float>(weights[i]))} - scale);
      cumulative_.push_back(total);
    }
  }

  // TensorFlow's stateless multinomial, whose seeds are two random numbers.
  size_t Draw() {
    const uint32_t first = random_.At(2 * draws_);
    const uint32_t second = random_.At(2 * draws_ + 1);
    ++draws_;
    const Philox::Block bits = Philox::OfSeed(first, second).Next();
    const uint64_t mantissa = (uint64_t{bits[0] & 0xfffff} << 32) | bits[1];
    const double place = std::ldexp(static_cast<double>(mantissa), -52) * cumulative_.back();
    const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), place);
    return std::min(static_cast<size_t>(found - cumulative_.begin()), cumulative_.size() - 1);
  }

  Status SavePosition(PositionWriter* writer) override {
    if (passed_over_ > 0) return InterruptedWithinElement(op().label());
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
  Philox random_;
  uint64_t draws_ = 0;
  bool open_only_ = false;
  int passed_over_ = 0;             // draws for the element at hand that found nothing
  std::vector<double> cumulative_;  // weights, summed up
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
  FASTPIPE_ASSIGN(settings.stop_on_empty, args.BoolOr("stop_on_empty_dataset", false));
  FASTPIPE_ASSIGN(const bool anew, args.BoolOr("rerandomize_each_iteration", false));
  FASTPIPE_ASSIGN(settings.seed, SeedArgument(args, anew));
  return std::make_shared<SampleFromDatasets>(std::move(spec), std::move(inputs),
                                              std::move(settings));
}

FASTPIPE_OP("sample_from_datasets", MakeSample);

}  // namespace
}  // namespace fastpipe
