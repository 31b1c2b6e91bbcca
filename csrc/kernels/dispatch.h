// Types and tables by dtype: how kernels reach code for the dtype of a tensor.
//
// Contract: a kernel family builds one constexpr table per operation, TableOf<Types>(make), and
// looks a dtype up once, when it is planned. Arithmetic happens in Wide<T>: floats in float for the
// two half-precision dtypes, integers in themselves; ToWide and FromWide convert. Thread rule: free
// functions without state.
#pragma once

#include <array>
#include <concepts>
#include <string>
#include <type_traits>

#include "core/kernel.h"

namespace fastpipe {

template <typename... Ts>
struct Types {};

template <typename A, typename B>
struct Joined;
template <typename... As, typename... Bs>
struct Joined<Types<As...>, Types<Bs...>> {
  using Type = Types<As..., Bs...>;
};

using SignedTypes = Types<int8_t, int16_t, int32_t, int64_t>;
using UnsignedTypes = Types<uint8_t, uint16_t, uint32_t, uint64_t>;
using FloatTypes = Types<Half, float, double, Bfloat16>;
using IntegerTypes = Joined<SignedTypes, UnsignedTypes>::Type;
using NumberTypes = Joined<IntegerTypes, FloatTypes>::Type;
using SignedNumberTypes = Joined<SignedTypes, FloatTypes>::Type;
using FixedSizeTypes = Joined<Types<bool>, NumberTypes>::Type;

template <typename T>
constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>;

template <typename T>
using Wide = std::conditional_t<kIsHalf<T>, float, T>;

template <typename T>
Wide<T> ToWide(T value) {
  if constexpr (kIsHalf<T>) {
    return ToFloat(value);
  } else {
    return value;
  }
}

template <typename T>
T FromWide(Wide<T> value) {
  if constexpr (std::is_same_v<T, Half>) {
    return ToHalf(value);
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    return ToBfloat16(value);
  } else {
    return value;
  }
}

// An unsigned type in which arithmetic on T wraps instead of being undefined.
template <std::integral T>
using Wrapping = std::conditional_t<(sizeof(T) > 4), uint64_t, uint32_t>;

// The result of `compute` on values in which it cannot overflow.
template <typename T, typename F>
T Wrapped(T a, T b, F compute) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(compute(static_cast<Wrapping<T>>(a), static_cast<Wrapping<T>>(b)));
  } else {
    return compute(a, b);
  }
}

constexpr size_t kDTypes = static_cast<size_t>(DType::kDataset) + 1;

// One entry a dtype; the default, a null pointer, where the operation does not exist.
template <typename Entry>
using DTypeTable = std::array<Entry, kDTypes>;

namespace internal {
template <typename T, typename... Ts>
T FirstOf(Types<T, Ts...>);

template <typename Entry, typename... Ts, typename Make>
constexpr void FillTable(DTypeTable<Entry>* table, Types<Ts...>, Make make) {
  ((table->at(static_cast<size_t>(DTypeOf<Ts>())) = make.template operator()<Ts>()), ...);
}
}  // namespace internal

// The table of make.operator()<T>() over all T of `List`.
template <typename List, typename Make>
constexpr auto TableOf(Make make) {
  using First = decltype(internal::FirstOf(List()));
  using Entry = decltype(make.template operator()<First>());
  DTypeTable<Entry> table{};
  internal::FillTable(&table, List(), make);
  return table;
}

template <typename Entry>
const Entry& Find(const DTypeTable<Entry>& table, DType dtype) {
  return table[static_cast<size_t>(dtype)];
}

// "int32, int64 or float32": the dtypes for which `exists(dtype)`.
template <typename Exists>
std::string DTypeList(Exists exists) {
  std::string text;
  std::string last;
  for (size_t i = 1; i < kDTypes; ++i) {
    const DType dtype = static_cast<DType>(i);
    if (!exists(dtype)) continue;
    if (!last.empty()) text += (text.empty() ? "" : ", ") + last;
    last = DTypeName(dtype);
  }
  return text.empty() ? last : text + " or " + last;
}

// The entry for input `index`, or InvalidArgument that lists the dtypes there are.
template <typename Entry>
Result<Entry> FindOrError(const DTypeTable<Entry>& table, const Args& attrs, Specs inputs,
                          size_t index) {
  const Entry& entry = Find(table, inputs[index].dtype);
  if (entry != Entry{}) return entry;
  return attrs.Error(StrCat("input ", index, " must be ",
                            DTypeList([&](DType dtype) { return Find(table, dtype) != Entry{}; }),
                            ", got ", inputs[index].ToString()));
}

// InvalidArgument unless the inputs from `first` on have one dtype.
inline Status ExpectOneDType(const Args& attrs, Specs inputs, size_t first = 0) {
  for (size_t i = first + 1; i < inputs.size(); ++i) {
    if (inputs[i].dtype == inputs[first].dtype) continue;
    return attrs.Error(StrCat("inputs must have one dtype, got ", inputs[first].ToString(), " and ",
                              inputs[i].ToString(), ": cast one of them"));
  }
  return Status::Ok();
}

}  // namespace fastpipe
