// range(start, stop, step, dtype): evenly spaced numbers, `stop` excluded.

#include <algorithm>

#include "core/indexed.h"
#include "core/registry.h"
#include "core/scalar.h"
#include "runtime/context.h"

namespace fastpipe {
namespace {

// Writes `count` numbers from `start` on, as a ScalarMaker makes them.
using NumberFill = void (*)(uint64_t start, uint64_t step, int64_t count, uint8_t* out);

template <typename T>
void FillNumbers(uint64_t start, uint64_t step, int64_t count, uint8_t* out) {
  T* const to = reinterpret_cast<T*>(out);
  for (int64_t i = 0; i < count; ++i) {
    to[i] = ScalarOf<T>(static_cast<int64_t>(start + static_cast<uint64_t>(i) * step));
  }
}

template <typename... Ts>
NumberFill FindFill(DType dtype) {
  NumberFill found = nullptr;
  ((dtype == DTypeOf<Ts>() ? void(found = &FillNumbers<Ts>) : void()), ...);
  return found;
}

NumberFill FillOf(DType dtype) {
  return FindFill<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, Half,
                  Bfloat16, float, double>(dtype);
}

class Range final : public Dataset {
 public:
  Range(int64_t start, int64_t stop, int64_t step, DType dtype, ScalarMaker make)
      : Dataset({TensorSpec::Scalar(dtype)}, {}),
        start_(start),
        step_(step),
        size_(Size(start, stop, step)),
        make_(make),
        fill_(FillOf(dtype)) {}

  int64_t Cardinality() const override { return size_; }
  void Fill(int64_t index, Element* out) const {
    out->push_back(make_(static_cast<int64_t>(At(index))));
  }
  bool GivesBlocks(const RunOptions& options) const override { return options.fusion; }
  int64_t FillBlock(int64_t first, int64_t count, Element* columns) const {
    Tensor column = Tensor::Allocate(spec()[0].dtype, Dims(&count, 1));
    fill_(At(first), static_cast<uint64_t>(step_), count, column.mutable_raw());
    columns->push_back(std::move(column));
    return count;
  }
  std::unique_ptr<Iterator> MakeIterator(const IteratorContext& context) const override;

 private:
  // Unsigned, so that the steps of a range as wide as int64 may wrap on the way.
  uint64_t At(int64_t index) const {
    return static_cast<uint64_t>(start_) +
           static_cast<uint64_t>(index) * static_cast<uint64_t>(step_);
  }
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
  const NumberFill fill_;
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
