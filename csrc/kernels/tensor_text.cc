#include "kernels/tensor_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include "kernels/dispatch.h"

namespace fastpipe {
namespace {

// The shortest of the usual digits that reads back as `value`.
template <typename T>
std::string FloatText(T value, int digits, int most) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 40> text;
  for (int each : {digits, most}) {
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                   std::chars_format::general, each)
                         .ptr;
    T parsed{};
    std::from_chars(text.data(), end, parsed);
    if (parsed == value || each == most) return std::string(text.data(), end);
  }
  return "";
}

template <typename T>
std::string ValueText(const Tensor& tensor, int64_t index) {
  const auto value = ToWide(tensor.data<T>()[index]);
  if constexpr (std::is_same_v<T, bool>) return value ? "1" : "0";
  if constexpr (std::is_same_v<T, double>) return FloatText(value, 15, 17);
  if constexpr (std::is_floating_point_v<Wide<T>>)
    return FloatText(static_cast<float>(value), 6, 9);
  return std::to_string(value);
}

using Text = std::string (*)(const Tensor& tensor, int64_t index);
constexpr auto kTexts = TableOf<FixedSizeTypes>([]<typename T>() -> Text { return ValueText<T>; });

// As in a C literal, but for bytes above 127, which may be UTF-8.
std::string QuotedText(const Tensor& tensor, int64_t index) {
  constexpr std::string_view kMeant = "\n\r\t\"'\\";
  constexpr std::string_view kWritten = "nrt\"'\\";
  std::string out = "\"";
  for (const char c : tensor.str(index)) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (const size_t at = kMeant.find(c); at != std::string_view::npos) {
      out += '\\';
      out += kWritten[at];
    } else if (byte < 0x20 || byte == 0x7f) {
      out += '\\';
      for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + ((byte >> shift) & 7));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

void AppendAxis(const Tensor& tensor, size_t axis, int64_t start, int64_t summarize, Text text,
                std::string* out) {
  const Dims dims = tensor.dims();
  if (axis == dims.size()) {
    *out += text(tensor, start);
    return;
  }
  const int64_t inner = NumElements(dims.subspan(axis + 1));
  const bool last = axis + 1 == dims.size();
  const std::string gap =
      last ? " " : std::string(dims.size() - axis - 1, '\n') + std::string(axis + 1, ' ');
  const int64_t size = dims[axis];
  const bool all = summarize < 0 || size <= 2 * summarize;
  *out += "[";
  for (int64_t i = 0; i < size; ++i) {
    if (!all && i == summarize) {
      *out += (i > 0 ? gap : "") + "...";
      i = size - summarize;
      if (i == size) break;
    }
    if (i > 0) *out += gap;
    AppendAxis(tensor, axis + 1, start + i * inner, summarize, text, out);
  }
  *out += "]";
}

}  // namespace

std::string TensorText(const Tensor& tensor, int64_t summarize) {
  const Text text = tensor.is_string() ? QuotedText : Find(kTexts, tensor.dtype());
  std::string out;
  AppendAxis(tensor, 0, 0, summarize, text, &out);
  return out;
}

}  // namespace fastpipe
