#include "kernels/integers_argument.h"

#include "kernels/dispatch.h"

namespace fastpipe {
namespace {

using Append = void (*)(const Tensor& tensor, std::vector<int64_t>* values);

template <typename T>
void AppendAll(const Tensor& tensor, std::vector<int64_t>* values) {
  const T* data = tensor.data<T>();
  values->insert(values->end(), data, data + tensor.num_elements());
}

constexpr auto kAppends =
    TableOf<IntegerTypes>([]<typename T>() -> Append { return AppendAll<T>; });

Status ExpectIntegerInput(const Args& attrs, std::string_view name, Specs inputs, size_t index) {
  if (index >= inputs.size()) return attrs.Error(StrCat(name, " is required"));
  if (IsInteger(inputs[index].dtype)) return Status::Ok();
  return attrs.Error(StrCat(name, " must be integers, got ", inputs[index].ToString()));
}

}  // namespace

std::vector<int64_t> IntegersOf(const Tensor& tensor) {
  std::vector<int64_t> values;
  Find(kAppends, tensor.dtype())(tensor, &values);
  return values;
}

Result<IntegersArgument> IntegersArgument::Read(const Args& attrs, std::string_view name,
                                                Specs inputs, size_t* next_input) {
  IntegersArgument read;
  read.first_input_ = *next_input;
  if (!attrs.Has(name)) {
    FASTPIPE_RETURN_IF_ERROR(ExpectIntegerInput(attrs, name, inputs, *next_input));
    const TensorSpec& spec = inputs[(*next_input)++];
    if (spec.fully_known()) read.vector_size_ = static_cast<size_t>(NumElements(spec.dims));
    return read;
  }
  read.is_list_ = true;
  FASTPIPE_ASSIGN(const ValueList list, attrs.List(name));
  for (const Value& item : list) {
    if (const int64_t* number = item.get<int64_t>()) {
      read.items_.emplace_back(*number);
      continue;
    }
    const std::string* word = item.get<std::string>();
    if (word == nullptr || *word != "input") {
      return attrs.Error(
          StrCat(name, " must be a list of integers, got ", item.ToString(), " in it"));
    }
    FASTPIPE_RETURN_IF_ERROR(ExpectIntegerInput(attrs, name, inputs, *next_input));
    if (inputs[*next_input].rank() > 0) {
      return attrs.Error(StrCat(name, " must be a list of scalars, got ",
                                inputs[*next_input].ToString(), " in it"));
    }
    ++*next_input;
    ++read.dynamic_;
    read.items_.emplace_back(std::nullopt);
  }
  return read;
}

std::optional<size_t> IntegersArgument::size() const {
  return is_list_ ? items_.size() : vector_size_;
}

std::vector<int64_t> IntegersArgument::Known() const {
  std::vector<int64_t> values(*size(), -1);
  for (size_t i = 0; i < items_.size(); ++i) values[i] = items_[i].value_or(-1);
  return values;
}

std::vector<int64_t> IntegersArgument::Get(Inputs inputs) const {
  if (!is_list_) return IntegersOf(*inputs[first_input_]);
  std::vector<int64_t> values;
  size_t next = first_input_;
  for (const std::optional<int64_t>& item : items_) {
    values.push_back(item ? *item : inputs[next++]->AsInt64());
  }
  return values;
}

Result<int> NormalizeAxis(std::string_view owner, int64_t axis, int rank) {
  const int64_t counted = axis < 0 ? axis + rank : axis;
  if (counted >= 0 && counted < rank) return static_cast<int>(counted);
  if (rank == 0) return InvalidArgument(StrCat(owner, ": got axis ", axis, " for a scalar"));
  return InvalidArgument(StrCat(owner, ": axis must be between ", -rank, " and ", rank - 1,
                                " for a tensor of rank ", rank, ", got ", axis));
}

}  // namespace fastpipe
