#include "codec/resample_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "codec/resample_rows.h"
#include "core/mutex.h"

namespace fastpipe {

namespace {

// The weights of all output positions, one after the other in one vector.
template <typename Weight>
class Spans {
 public:
  explicit Spans(int64_t outputs) { spans_.reserve(static_cast<size_t>(outputs)); }

  // The next output position, whose weights are those of the input from `start` on.
  void Begin(int64_t start) { spans_.push_back({start, weights_.size(), 0}); }
  void Add(Weight weight) {
    weights_.push_back(weight);
    ++spans_.back().count;
  }
  // Those added since Begin.
  std::span<Weight> last() { return WeightsOf(spans_.back()); }

  // Without zeros at the ends. Also makes the starts ascend: trimming zeros inside a kernel can put
  // them out of order.
  WeightTable<Weight> Pack(int64_t input_size) {
    int64_t taps = 1;
    int64_t bound = input_size - 1;
    for (size_t i = spans_.size(); i-- > 0;) {
      Trim(&spans_[i]);
      const int64_t end = spans_[i].start + static_cast<int64_t>(spans_[i].count);
      bound = std::min(bound, spans_[i].start);
      taps = std::max(taps, end - bound);
    }
    WeightTable<Weight> table;
    table.taps = static_cast<int>(taps);
    table.starts.assign(spans_.size(), 0);
    table.weights.assign(spans_.size() * static_cast<size_t>(taps), 0);
    bound = input_size - taps;
    for (size_t i = spans_.size(); i-- > 0;) {
      const std::span<const Weight> weights = WeightsOf(spans_[i]);
      bound = std::min(bound, spans_[i].start);
      table.starts[i] = static_cast<int32_t>(bound);
      const int64_t first = static_cast<int64_t>(i) * taps + spans_[i].start - bound;
      std::copy(weights.begin(), weights.end(), table.weights.begin() + first);
    }
    return table;
  }

 private:
  struct Span {
    int64_t start;
    size_t first;  // of its weights in weights_
    size_t count;
  };

  std::span<Weight> WeightsOf(const Span& span) {
    return std::span(weights_).subspan(span.first, span.count);
  }

  void Trim(Span* span) {
    while (span->count > 1 && weights_[span->first + span->count - 1] == 0) --span->count;
    for (; span->count > 1 && weights_[span->first] == 0; --span->count) {
      ++span->first;
      ++span->start;
    }
  }

  std::vector<Span> spans_;
  std::vector<Weight> weights_;
};

// Kernels of TensorFlow's ScaleAndTranslate; x >= 0.

float Triangle(float x) { return x < 1.0f ? 1.0f - x : 0.0f; }

float KeysCubic(float x) {
  if (x >= 2.0f) return 0.0f;
  if (x >= 1.0f) return ((-0.5f * x + 2.5f) * x - 4.0f) * x + 2.0f;
  return ((1.5f * x - 2.5f) * x) * x + 1.0f;
}

float MitchellCubic(float x) {
  if (x >= 2.0f) return 0.0f;
  if (x >= 1.0f) {
    return (((-7.0f / 18.0f) * x + 2.0f) * x - 10.0f / 3.0f) * x + 16.0f / 9.0f;
  }
  return (((7.0f / 6.0f) * x - 2.0f) * x) * x + 8.0f / 9.0f;
}

template <int kRadius>
float Lanczos(float x) {
  constexpr float kPi = 3.14159265359f;
  if (x > kRadius) return 0.0f;
  if (x <= 1e-3f) return 1.0f;
  return kRadius * std::sin(kPi * x) * std::sin(kPi * x / kRadius) / (kPi * kPi * x * x);
}

constexpr float kGaussianRadius = 1.5f;
constexpr float kGaussianSigma = 0.5f;

float Gaussian(float x) {
  if (x >= kGaussianRadius) return 0.0f;
  return static_cast<float>(std::exp(-x * x / (2.0 * kGaussianSigma * kGaussianSigma)));
}

struct FloatKernel {
  float (*weight)(float x);
  float radius;
};

FloatKernel KernelOf(ResizeMethod method) {
  switch (method) {
    case ResizeMethod::kBicubic:
      return {KeysCubic, 2.0f};
    case ResizeMethod::kLanczos3:
      return {Lanczos<3>, 3.0f};
    case ResizeMethod::kLanczos5:
      return {Lanczos<5>, 5.0f};
    case ResizeMethod::kGaussian:
      return {Gaussian, kGaussianRadius};
    case ResizeMethod::kMitchellCubic:
      return {MitchellCubic, 2.0f};
    default:
      return {Triangle, 1.0f};
  }
}

// Divides by the sum, unless that is all but zero.
void Normalize(float sum, std::span<float> weights) {
  if (std::abs(sum) < 1000.0f * std::numeric_limits<float>::min()) return;
  const float factor = 1.0f / sum;
  for (float& weight : weights) weight *= factor;
}

// Follows TensorFlow's arithmetic step by step, float where it is float, so that positions on the
// border of a kernel fall on the same side.
FloatTable ScaledKernel(AxisSpan input, int64_t output_size, FloatKernel kernel, bool antialias) {
  const int64_t input_size = input.size;
  const float begin = static_cast<float>(input.begin);
  const float scale = static_cast<float>(output_size) / static_cast<float>(input.end - input.begin);
  const float inverse = static_cast<float>(1.0 / scale);
  const float kernel_scale = antialias ? std::max(inverse, 1.0f) : 1.0f;
  const float inverse_kernel_scale = 1.0f / kernel_scale;
  const float reach = kernel.radius * kernel_scale;
  Spans<float> spans(output_size);
  for (int64_t i = 0; i < output_size; ++i) {
    const float center = (static_cast<float>(i) + 0.5f) * inverse + begin;
    const auto clamp = [input_size](float position) {
      return std::clamp<int64_t>(static_cast<int64_t>(position), 0, input_size - 1);
    };
    const int64_t start = clamp(std::ceil(center - reach - 0.5f));
    const int64_t end = clamp(std::floor(center + reach - 0.5f)) + 1;
    float sum = 0.0f;
    spans.Begin(start);
    for (int64_t source = start; source < end; ++source) {
      const float distance = static_cast<float>(source) + 0.5f - center;
      const float weight = kernel.weight(std::abs(distance * inverse_kernel_scale));
      spans.Add(weight);
      sum += weight;
    }
    Normalize(sum, spans.last());
  }
  return spans.Pack(input_size);
}

float HalfPixelScale(int64_t input_size, int64_t output_size) {
  return static_cast<float>(input_size) / static_cast<float>(output_size);
}

// TensorFlow's ResizeBicubic: Keys' kernel (a = -0.5) rounded to 1024 steps of the distance; what
// lies outside the image has no weight.
FloatTable SteppedBicubic(int64_t input_size, int64_t output_size) {
  constexpr int kSteps = 1 << 10;
  constexpr double a = -0.5;
  const auto near = [](int step) {
    const float x = static_cast<float>(step * 1.0 / kSteps);
    return static_cast<float>(((a + 2) * x - (a + 3)) * x * x + 1);
  };
  const auto far = [](int step) {
    const float x = static_cast<float>(step * 1.0 / kSteps) + 1.0f;
    return static_cast<float>(((a * x - 5 * a) * x + 8 * a) * x - 4 * a);
  };
  const float scale = HalfPixelScale(input_size, output_size);
  Spans<float> spans(output_size);
  for (int64_t i = 0; i < output_size; ++i) {
    const float center = (static_cast<float>(i) + 0.5f) * scale - 0.5f;
    const int64_t floor = static_cast<int64_t>(std::floor(center));
    const int step = static_cast<int>(std::lrint((center - static_cast<float>(floor)) * kSteps));
    const float weights[4] = {far(step), near(step), near(kSteps - step), far(kSteps - step)};
    float sum = 0.0f;
    const int64_t start = std::max<int64_t>(floor - 1, 0);
    spans.Begin(start);
    for (int64_t source = start; source < std::min(floor + 3, input_size); ++source) {
      spans.Add(weights[source - (floor - 1)]);
      sum += weights[source - (floor - 1)];
    }
    Normalize(sum, spans.last());
  }
  return spans.Pack(input_size);
}

// TensorFlow's ResizeArea: the part of each input position that the output position covers.
FloatTable Area(int64_t input_size, int64_t output_size) {
  const float scale = HalfPixelScale(input_size, output_size);
  Spans<float> spans(output_size);
  for (int64_t i = 0; i < output_size; ++i) {
    const float from = static_cast<float>(i) * scale;
    const float to = static_cast<float>(i + 1) * scale;
    const int64_t end = static_cast<int64_t>(std::ceil(to));
    spans.Begin(std::min(static_cast<int64_t>(std::floor(from)), input_size - 1));
    for (int64_t source = static_cast<int64_t>(std::floor(from)); source < end; ++source) {
      const float left = static_cast<float>(source);
      const float right = static_cast<float>(source + 1);
      const bool cut = right > to;
      const float covered = left < from ? (cut ? scale : right - from) : (cut ? to - left : 1.0f);
      // Rounding can reach past the end; the last position stands for what is there.
      if (source < input_size || spans.last().empty()) {
        spans.Add(covered);
      } else {
        spans.last().back() += covered;
      }
    }
  }
  return spans.Pack(input_size);
}

// Pillow's filters, in double.

double PillowBox(double x) { return x > -0.5 && x <= 0.5 ? 1.0 : 0.0; }

double PillowBilinear(double x) {
  x = std::abs(x);
  return x < 1.0 ? 1.0 - x : 0.0;
}

double PillowHamming(double x) {
  x = std::abs(x);
  if (x == 0.0) return 1.0;
  if (x >= 1.0) return 0.0;
  x *= M_PI;
  // The constants are single precision in Pillow.
  return std::sin(x) / x * (0.54f + 0.46f * std::cos(x));
}

double PillowBicubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1;
  if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * a;
  return 0.0;
}

double Sinc(double x) {
  if (x == 0.0) return 1.0;
  x *= M_PI;
  return std::sin(x) / x;
}

double PillowLanczos(double x) { return -3.0 <= x && x < 3.0 ? Sinc(x) * Sinc(x / 3) : 0.0; }

struct PillowKernel {
  double (*weight)(double x);
  double radius;
};

PillowKernel KernelOf(PillowFilter filter) {
  switch (filter) {
    case PillowFilter::kBox:
      return {PillowBox, 0.5};
    case PillowFilter::kHamming:
      return {PillowHamming, 1.0};
    case PillowFilter::kBicubic:
      return {PillowBicubic, 2.0};
    case PillowFilter::kLanczos:
      return {PillowLanczos, 3.0};
    default:
      return {PillowBilinear, 1.0};
  }
}

int32_t ToFixedPoint(double weight) {
  return static_cast<int32_t>((weight < 0 ? -0.5 : 0.5) + weight * (1 << kPillowBits));
}

// Two numbers of 16 bits in one int.
int32_t PairOf(int32_t first, int32_t second) {
  return static_cast<int32_t>((static_cast<uint32_t>(first) & 0xFFFF) |
                              static_cast<uint32_t>(second) << 16);
}

PillowTable WithPairs(WeightTable<int32_t> table) {
  constexpr int32_t kLowMask = (1 << kPillowLowBits) - 1;
  PillowTable result = {std::move(table), {}};
  const int taps = result.taps;
  const int32_t* weights = result.weights.data();
  for (size_t i = 0; i < result.starts.size(); ++i, weights += taps) {
    for (int t = 0; t < taps; t += 2) {
      const int32_t first = weights[t];
      const int32_t second = t + 1 < taps ? weights[t + 1] : 0;
      result.pairs.push_back(PairOf(first & kLowMask, second & kLowMask));
      result.pairs.push_back(PairOf(first >> kPillowLowBits, second >> kPillowLowBits));
    }
  }
  return result;
}

PillowTable PillowFixedPoint(AxisSpan input, int64_t output_size, PillowKernel kernel) {
  const int64_t input_size = input.size;
  const double scale = (input.end - input.begin) / static_cast<double>(output_size);
  const double kernel_scale = std::max(scale, 1.0);
  const double reach = kernel.radius * kernel_scale;
  const double inverse_kernel_scale = 1.0 / kernel_scale;
  Spans<int32_t> spans(output_size);
  std::vector<double> weights;
  for (int64_t i = 0; i < output_size; ++i) {
    const double center = input.begin + (static_cast<double>(i) + 0.5) * scale;
    // Truncation after + 0.5, as in Pillow, also of negative values.
    const int64_t start = std::max<int64_t>(static_cast<int64_t>(center - reach + 0.5), 0);
    const int64_t end = std::min(static_cast<int64_t>(center + reach + 0.5), input_size);
    double sum = 0.0;
    weights.clear();
    for (int64_t source = 0; source < end - start; ++source) {
      const double distance = static_cast<double>(source + start) - center + 0.5;
      weights.push_back(kernel.weight(distance * inverse_kernel_scale));
      sum += weights.back();
    }
    spans.Begin(start);
    for (double weight : weights) spans.Add(ToFixedPoint(sum != 0.0 ? weight / sum : weight));
  }
  return WithPairs(spans.Pack(input_size));
}

BlendTable Blend(int64_t input_size, int64_t output_size) {
  const float scale = HalfPixelScale(input_size, output_size);
  BlendTable table;
  for (int64_t i = 0; i < output_size; ++i) {
    const float position = (static_cast<float>(i) + 0.5f) * scale - 0.5f;
    const float floor = std::floor(position);
    table.lower.push_back(static_cast<int32_t>(std::max(floor, 0.0f)));
    table.upper.push_back(static_cast<int32_t>(
        std::min<int64_t>(static_cast<int64_t>(std::ceil(position)), input_size - 1)));
    table.fractions.push_back(position - floor);
  }
  return table;
}

// The tables used last, by the input, the size of the output and a code of the method.
template <typename Table>
class TableCache {
 public:
  using Key = std::tuple<int64_t, double, double, int64_t, int>;

  // The table of `key`, made by `make` without holding the lock if it is not there: two threads may
  // both make it, and get equal ones.
  template <typename Make>
  std::shared_ptr<const Table> Get(AxisSpan input, int64_t output_size, int method,
                                   const Make& make) {
    const Key key = {input.size, input.begin, input.end, output_size, method};
    if (std::shared_ptr<const Table> found = Find(key)) return found;
    auto made = std::make_shared<const Table>(make());
    Insert(key, made);
    return made;
  }

 private:
  struct Entry {
    std::shared_ptr<const Table> table;
    typename std::list<Key>::iterator use;
  };
  // Sizes of photos and of random crops vary: all that are usual, in a few MB. A table takes memory
  // about in proportion to the sizes it is for.
  static constexpr int64_t kMaxSizes = 1 << 19;

  static int64_t SizesOf(const Key& key) { return std::get<0>(key) + std::get<3>(key); }

  std::shared_ptr<const Table> Find(const Key& key) {
    MutexLock lock(mutex_);
    const auto found = tables_.find(key);
    if (found == tables_.end()) return nullptr;
    uses_.splice(uses_.begin(), uses_, found->second.use);
    return found->second.table;
  }

  void Insert(const Key& key, std::shared_ptr<const Table> table) {
    MutexLock lock(mutex_);
    // One of a huge image would take the place of all others.
    if (SizesOf(key) > kMaxSizes / 8 || tables_.count(key) != 0) return;
    uses_.push_front(key);
    tables_[key] = {std::move(table), uses_.begin()};
    sizes_ += SizesOf(key);
    while (sizes_ > kMaxSizes) {
      sizes_ -= SizesOf(uses_.back());
      tables_.erase(uses_.back());
      uses_.pop_back();
    }
  }

  Mutex mutex_;
  std::map<Key, Entry> tables_ GUARDED_BY(mutex_);
  std::list<Key> uses_ GUARDED_BY(mutex_);  // the last one first
  int64_t sizes_ GUARDED_BY(mutex_) = 0;    // of all that are there
};

}  // namespace

std::shared_ptr<const FloatTable> FloatWeights(AxisSpan input, int64_t output_size,
                                               ResizeMethod method, bool antialias) {
  static TableCache<FloatTable> cache;
  const int code = static_cast<int>(method) * 2 + antialias;
  return cache.Get(input, output_size, code, [&] {
    if (method == ResizeMethod::kArea) return Area(input.size, output_size);
    if (method == ResizeMethod::kBicubic && !antialias) {
      return SteppedBicubic(input.size, output_size);
    }
    return ScaledKernel(input, output_size, KernelOf(method), antialias);
  });
}

std::shared_ptr<const BlendTable> BlendWeights(int64_t input_size, int64_t output_size) {
  static TableCache<BlendTable> cache;
  return cache.Get(input_size, output_size, 0, [&] { return Blend(input_size, output_size); });
}

std::shared_ptr<const PillowTable> PillowWeights(AxisSpan input, int64_t output_size,
                                                 PillowFilter filter) {
  static TableCache<PillowTable> cache;
  return cache.Get(input, output_size, static_cast<int>(filter),
                   [&] { return PillowFixedPoint(input, output_size, KernelOf(filter)); });
}

std::vector<int32_t> NearestPositions(int64_t input_size, int64_t output_size) {
  const float scale = HalfPixelScale(input_size, output_size);
  std::vector<int32_t> positions;
  positions.reserve(static_cast<size_t>(output_size));
  for (int64_t i = 0; i < output_size; ++i) {
    const float position = std::floor((static_cast<float>(i) + 0.5f) * scale);
    positions.push_back(static_cast<int32_t>(
        std::clamp<int64_t>(static_cast<int64_t>(position), 0, input_size - 1)));
  }
  return positions;
}

}  // namespace fastpipe
