// Value and Args: the arguments of an op or a kernel, and their checked reading.
//
// Contract: a description carries plain values. An argument may also be known only when a traced
// function runs; while the function is being traced it stands as a Slot, a placeholder. An op then
// reads a stand-in value that passes its checks, so that its output spec can be had without running
// anything.
// Every reader names the op, the argument, what was given and what was expected.
// Thread rule: immutable once built.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/dataset.h"
#include "core/status.h"
#include "core/tensor.h"

namespace fastpipe {

class Program;

// A traced function together with the values it captured from the functions around it.
struct Function {
  std::shared_ptr<const Program> program;
  std::vector<Tensor> captures;
};

struct Value;
using ValueList = std::vector<Value>;

// A value that exists only when the program around it runs: slot `index` of that program.
struct Slot {
  int index = 0;
  TensorSpec spec;
};

// A Function whose captures may still be Slots.
struct FunctionValue {
  std::shared_ptr<const Program> program;
  ValueList captures;
};

struct Value {
  // std::monostate is Python's None.
  std::variant<std::monostate, bool, int64_t, double, std::string, Tensor, TensorSpec, Slot,
               FunctionValue, DatasetRef, ValueList>
      held;

  template <typename T>
  const T* get() const {
    return std::get_if<T>(&held);
  }
  bool is_none() const { return get<std::monostate>() != nullptr; }
  // "3", "'GZIP'", "None", "float32 [2, 3] tensor": for messages.
  std::string ToString() const;
};

struct IntRange {
  int64_t min = INT64_MIN;
  int64_t max = INT64_MAX;
};

class Args {
 public:
  Args() = default;
  explicit Args(std::string owner) : owner_(std::move(owner)) {}
  // `owner` is the op or kernel they belong to.
  Args(std::string owner, std::map<std::string, Value, std::less<>> values)
      : owner_(std::move(owner)), values_(std::move(values)) {}

  const std::string& owner() const { return owner_; }
  const std::map<std::string, Value, std::less<>>& values() const { return values_; }
  void Set(const std::string& name, Value value) { values_[name] = std::move(value); }

  // True if the argument was given and is not None.
  bool Has(std::string_view name) const;
  // True if the argument is a placeholder or a list with one in it.
  bool IsPlaceholder(std::string_view name) const;

  // Each returns the argument in its type, `fallback` if it is absent or None, or InvalidArgument.
  // Scalars are accepted as Tensors too. A placeholder reads as `fallback`, or the least value that
  // passes.
  Result<int64_t> Int(std::string_view name, IntRange range = {}) const;
  Result<int64_t> IntOr(std::string_view name, int64_t fallback, IntRange range = {}) const;
  Result<double> DoubleOr(std::string_view name, double fallback) const;
  Result<bool> BoolOr(std::string_view name, bool fallback) const;
  Result<std::string> String(std::string_view name) const;
  Result<std::string> StringOr(std::string_view name, std::string fallback) const;
  Result<DType> Dtype(std::string_view name) const;  // given by name: "float32"
  Result<DType> DtypeOr(std::string_view name, DType fallback) const;
  // None, and what is not known yet, read as -1.
  Result<std::vector<int64_t>> Ints(std::string_view name) const;
  // From a string, a string tensor of any shape, or a list of strings and scalar string tensors.
  // Placeholders are left out: see IsPlaceholder.
  Result<std::vector<std::string>> Strings(std::string_view name) const;
  Result<ValueList> List(std::string_view name) const;
  // Without its captures while one of them is a placeholder: good for its specs only.
  Result<Function> Func(std::string_view name) const;
  Result<Tensor> OneTensor(std::string_view name) const;
  // A list of tensors. Empty when one of them is a placeholder: see TensorSpecs.
  Result<std::vector<Tensor>> Tensors(std::string_view name) const;
  // The specs of a list of tensors or placeholders.
  Result<ElementSpec> TensorSpecs(std::string_view name) const;
  // A list of specs given as such: an output signature.
  Result<ElementSpec> Signature(std::string_view name) const;

  // InvalidArgument that starts with the owner: "take: count must be >= -1, got -2".
  Status Error(const std::string& what) const;

 private:
  const Value* Find(std::string_view name) const;
  Status WrongType(std::string_view name, const char* expected, const Value& value) const;
  std::string owner_;
  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace fastpipe
