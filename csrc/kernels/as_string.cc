// as_string(values): each value as text, as C's printf formats it whatever the locale; strings are
// padded.
//
// Attributes: precision, width (< 0: not given), scientific, shortest, fill (one of the flags
// ' ', '+', '-', '0', '#').

#include <locale.h>

#include <array>
#include <cstdio>

#include "core/registry.h"

namespace fastpipe {
namespace {

constexpr int64_t kMaxWidth = 10'000;

struct Format {
  std::string flags;  // "%08.3", what stands before the conversion
  char floating = 'f';
  size_t width = 0;  // what `flags` says, for text
  bool left = false;
};

// The calling thread formats numbers with a decimal point while this lives.
class PlainNumbers {
 public:
  PlainNumbers() : previous_(uselocale(Plain())) {}
  ~PlainNumbers() { uselocale(previous_); }
  PlainNumbers(const PlainNumbers&) = delete;
  PlainNumbers& operator=(const PlainNumbers&) = delete;

 private:
  static locale_t Plain() {
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    return plain;
  }
  const locale_t previous_;
};

template <typename T>
void Print(const std::string& format, T value, std::string* out) {
  std::array<char, 64> small;
  const int size = std::snprintf(small.data(), small.size(), format.c_str(), value);
  out->resize(static_cast<size_t>(size));
  if (out->size() < small.size()) {
    out->assign(small.data(), out->size());
  } else {
    std::snprintf(out->data(), out->size() + 1, format.c_str(), value);
  }
}

template <typename T>
std::string ConversionOf(const Format& format) {
  if constexpr (std::is_integral_v<T>) return std::is_signed_v<T> ? "lld" : "llu";
  return std::string(1, format.floating);
}

// The type in which a T goes through printf.
template <typename T>
auto Promote(T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>) {
    return static_cast<double>(ToFloat(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<long long>(value);
  } else {
    return static_cast<unsigned long long>(value);
  }
}

template <typename T>
void FormatAll(const Tensor& input, const Format& format, StringArrayBuilder* builder) {
  const PlainNumbers plain;
  const std::string whole = format.flags + ConversionOf<T>(format);
  const int64_t count = input.num_elements();
  std::string out;
  for (int64_t i = 0; i < count; ++i) {
    Print(whole, Promote(input.data<T>()[i]), &out);
    builder->Append(out);
  }
}

void FormatBools(const Tensor& input, const Format&, StringArrayBuilder* builder) {
  for (int64_t i = 0; i < input.num_elements(); ++i) {
    builder->Append(input.data<bool>()[i] ? "true" : "false");
  }
}

// Text keeps its bytes, NUL too, and is only padded.
void FormatText(const Tensor& input, const Format& format, StringArrayBuilder* builder) {
  std::string out;
  for (int64_t i = 0; i < input.num_elements(); ++i) {
    out.assign(input.str(i));
    const size_t missing = format.width > out.size() ? format.width - out.size() : 0;
    out.insert(format.left ? out.size() : 0, missing, ' ');
    builder->Append(out);
  }
}

struct FormatRow {
  DType dtype;
  void (*format)(const Tensor&, const Format&, StringArrayBuilder*);
};

template <typename T>
constexpr FormatRow RowOf() {
  return {DTypeOf<T>(), FormatAll<T>};
}

constexpr std::array kFormats = {
    FormatRow{DType::kBool, FormatBools},
    FormatRow{DType::kString, FormatText},
    RowOf<int8_t>(),
    RowOf<int16_t>(),
    RowOf<int32_t>(),
    RowOf<int64_t>(),
    RowOf<uint8_t>(),
    RowOf<uint16_t>(),
    RowOf<uint32_t>(),
    RowOf<uint64_t>(),
    RowOf<Half>(),
    RowOf<float>(),
    RowOf<double>(),
    RowOf<Bfloat16>(),
};

Result<Format> ReadFormat(const Args& attrs, DType dtype) {
  FASTPIPE_ASSIGN(const int64_t precision, attrs.IntOr("precision", -1, {.max = kMaxWidth}));
  FASTPIPE_ASSIGN(const int64_t width, attrs.IntOr("width", -1, {.max = kMaxWidth}));
  FASTPIPE_ASSIGN(const bool scientific, attrs.BoolOr("scientific", false));
  FASTPIPE_ASSIGN(const bool shortest, attrs.BoolOr("shortest", false));
  FASTPIPE_ASSIGN(const std::string fill, attrs.StringOr("fill", ""));
  if (scientific && shortest) {
    return attrs.Error("scientific and shortest exclude each other, got both");
  }
  if ((IsInteger(dtype) || dtype == DType::kBool) && (scientific || shortest || precision >= 0)) {
    return attrs.Error(
        StrCat("precision, scientific and shortest are for floating-point values, "
               "got ",
               DTypeName(dtype)));
  }
  if (fill.size() > 1 || std::string_view(" +-0#").find(fill) == std::string_view::npos) {
    return attrs.Error(StrCat("fill must be '', ' ', '+', '-', '0' or '#', got '", fill, "'"));
  }
  Format format;
  format.width = width < 0 ? 0 : static_cast<size_t>(width);
  format.left = fill == "-";
  // printf leaves '#' and an integer undefined.
  format.flags = "%" + (fill == "#" && !IsFloating(dtype) ? "" : fill);
  if (width >= 0) format.flags += std::to_string(width);
  if (precision >= 0) format.flags += "." + std::to_string(precision);
  if (IsInteger(dtype)) return format;
  if (scientific) format.floating = 'e';
  if (shortest) format.floating = 'g';
  return format;
}

Result<KernelPlan> PlanAsString(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  const DType dtype = inputs[0].dtype;
  for (const FormatRow& row : kFormats) {
    if (row.dtype != dtype) continue;
    FASTPIPE_ASSIGN(Format format, ReadFormat(attrs, dtype));
    TensorSpec spec = inputs[0];
    spec.dtype = DType::kString;
    return KernelPlan{{std::move(spec)},
                      KernelFrom([row, format](KernelContext*, Inputs in, Outputs out) {
                        StringArrayBuilder builder;
                        row.format(*in[0], format, &builder);
                        out[0].Set(builder.Build(in[0]->dims()));
                        return Status::Ok();
                      })};
  }
  return attrs.Error(
      StrCat("values must be numbers, bools or strings, got ", inputs[0].ToString()));
}

FASTPIPE_KERNEL("as_string", PlanAsString);

}  // namespace
}  // namespace fastpipe
