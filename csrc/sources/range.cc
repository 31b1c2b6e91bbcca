// range(start, stop, step, dtype): evenly spaced numbers, `stop` excluded.

#include <algorithm>

#include "core/indexed.h"
#include "core/registry.h"
#include "core/scalar.h"

namespace fastpipe {
namespace {

class Range final : public Dataset {
 public:
  Range(int64_t start, int64_t stop, int64_t step, DType dtype, ScalarMaker make)
      : Dataset({TensorSpec::Scalar(dtype)}, {}),
        start_(start),
        step_(step),
        size_(Size(start, stop, step)),
        make_(make) {}

  int64_t Cardinality() const override { return size_; }
  void Fill(int64_t index, Element* out) const {
    // Unsigned, so that the steps of a range as wide as int64 may wrap on the way.
    out->push_back(
        make_(static_cast<int64_t>(static_cast<uint64_t>(start_) +
                                   static_cast<uint64_t>(index) * static_cast<uint64_t>(step_))));
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  static int64_t Size(int64_t start, int64_t stop, int64_t step) {
    const uint64_t low = static_cast<uint64_t>(step > 0 ? start : stop);
    const uint64_t high = static_cast<uint64_t>(step > 0 ? stop : start);
    if (static_cast<int64_t>(low) >= static_cast<int64_t>(high)) return 0;
    const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
    return static_cast<int64_t>(std::min<uint64_t>((high - low - 1) / stride + 1, INT64_MAX));
  }

  const int64_t start_;
  const int64_t step_;
  const int64_t size_;
  const ScalarMaker make_;
};

std::unique_ptr<Iterator> Range::MakeIterator(const IteratorContext& context) const {
  return std::make_unique<IndexedIterator<Range>>(*this, context);
}

Result<std::shared_ptr<Dataset>> MakeRange(const Args& args, std::vector<DatasetRef>) {
  FASTPIPE_ASSIGN(const int64_t start, args.IntOr("start", 0));
  FASTPIPE_ASSIGN(const int64_t stop, args.Int("stop"));
  FASTPIPE_ASSIGN(const int64_t step, args.IntOr("step", 1));
  FASTPIPE_ASSIGN(const DType dtype, args.DtypeOr("dtype", DType::kInt64));
  if (step == 0) return args.Error("step must not be 0");
  const ScalarMaker make = ScalarMakerOf(dtype);
  if (make == nullptr) {
    return args.Error(StrCat("dtype must be an integer or floating type, got ", DTypeName(dtype)));
  }
  return std::make_shared<Range>(start, stop, step, dtype, make);
}

FASTPIPE_OP("range", MakeRange);

}  // namespace
}  // namespace fastpipe
