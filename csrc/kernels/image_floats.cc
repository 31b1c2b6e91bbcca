#include "kernels/image_floats.h"

#include <cmath>
#include <cstring>

#include "kernels/convert.h"

namespace fastpipe {
namespace {

// The greatest float that is not above the greatest T.
template <typename T>
float GreatestFloat() {
  const auto most = static_cast<float>(std::numeric_limits<T>::max());
  return std::numeric_limits<T>::digits > 24 ? std::nextafter(most, 0.0f) : most;
}

template <typename T>
void Load(const void* from, float* to, int64_t count) {
  const T* values = static_cast<const T*>(from);
  if constexpr (std::is_same_v<T, float>) {
    std::memcpy(to, values, static_cast<size_t>(count) * sizeof(float));
  } else if constexpr (std::is_integral_v<T>) {
    constexpr auto kScale =
        static_cast<float>(1.0 / static_cast<double>(std::numeric_limits<T>::max()));
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(values[i]) * kScale;
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(ToWide(values[i]));
  }
}

template <typename T, bool kSaturate>
void Store(const float* from, void* to, int64_t count) {
  T* values = static_cast<T*>(to);
  if constexpr (std::is_same_v<T, float>) {
    std::memcpy(values, from, static_cast<size_t>(count) * sizeof(float));
  } else if constexpr (std::is_integral_v<T>) {
    // Half a step more, so that dropping the fraction does not lose the maximum.
    constexpr auto kScale =
        static_cast<float>(static_cast<double>(std::numeric_limits<T>::max()) + 0.5);
    constexpr auto kLeast = static_cast<float>(std::numeric_limits<T>::min());
    const float most = GreatestFloat<T>();
    for (int64_t i = 0; i < count; ++i) {
      float value = from[i] * kScale;
      if constexpr (kSaturate) {
        value = value > most ? most : value;  // NaN stays
        value = value < kLeast ? kLeast : value;
      }
      values[i] = Convert<T>(value);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) values[i] = Convert<T>(from[i]);
  }
}

constexpr auto kCodecs = TableOf<NumberTypes>(
    []<typename T>() { return FloatCodec{Load<T>, Store<T, false>, Store<T, true>, sizeof(T)}; });

Status CheckPixels(const Args& attrs, bool known_rank, Dims dims, DType dtype, int least_rank,
                   int64_t channels) {
  if (!known_rank) return Status::Ok();
  const bool deep = static_cast<int>(dims.size()) >= least_rank;
  if (deep && (channels == 0 || dims.back() < 0 || dims.back() == channels)) return Status::Ok();
  const char* shape = least_rank >= 3   ? "[..., height, width, channels]"
                      : least_rank == 2 ? "[..., width, channels]"
                                        : "[..., channels]";
  return attrs.Error(StrCat(
      "takes images ", shape,
      channels == 0 ? std::string() : StrCat(" of ", channels, " channel", channels > 1 ? "s" : ""),
      ", got ", DTypeName(dtype), " ", ShapeString(dims)));
}

}  // namespace

const DTypeTable<FloatCodec>& FloatCodecs() { return kCodecs; }

Status ExpectPixels(const Args& attrs, const TensorSpec& spec, int least_rank, int64_t channels) {
  return CheckPixels(attrs, spec.known_rank, spec.dims, spec.dtype, least_rank, channels);
}

Status ExpectPixels(const Args& attrs, const Tensor& images, int least_rank, int64_t channels) {
  return CheckPixels(attrs, true, images.dims(), images.dtype(), least_rank, channels);
}

Status ExpectFactor(const Args& attrs, Specs inputs, size_t index, const char* name) {
  const TensorSpec& spec = inputs[index];
  if (spec.dtype == DType::kFloat32 && spec.rank() <= 0) return Status::Ok();
  return attrs.Error(StrCat(name, " must be a float32 scalar, got ", spec.ToString()));
}

Result<float> FactorOf(const Args& attrs, const Tensor& factor, const char* name) {
  if (factor.rank() == 0) return factor.scalar<float>();
  return attrs.Error(StrCat(name, " must be a scalar, got shape ", ShapeString(factor.dims())));
}

}  // namespace fastpipe
