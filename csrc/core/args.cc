#include "core/args.h"

#include <algorithm>
#include <optional>

namespace fastpipe {
namespace {

// What a value is as a tensor: a tensor already, or a plain scalar.
std::optional<Tensor> AsTensor(const Value& value) {
  if (const Tensor* tensor = value.get<Tensor>()) return *tensor;
  if (const bool* flag = value.get<bool>()) return Tensor::Scalar(*flag);
  if (const int64_t* number = value.get<int64_t>()) return Tensor::Scalar(*number);
  if (const double* number = value.get<double>()) return Tensor::Scalar(*number);
  if (const std::string* text = value.get<std::string>()) return Tensor::String(*text);
  return std::nullopt;
}

bool IsIntegerScalar(const Tensor& tensor) {
  return tensor.num_elements() == 1 && IsInteger(tensor.dtype());
}

// Appends the strings that `value` holds, none if it is a placeholder. False if it holds another
// type.
bool AppendStrings(const Value& value, std::vector<std::string>* texts) {
  if (const Slot* later = value.get<Slot>()) return later->spec.dtype == DType::kString;
  if (const std::string* text = value.get<std::string>()) {
    texts->push_back(*text);
    return true;
  }
  const Tensor* tensor = value.get<Tensor>();
  // An empty list becomes a float tensor on its way through NumPy.
  if (tensor == nullptr || !(tensor->is_string() || tensor->num_elements() == 0)) return false;
  for (int64_t i = 0; i < tensor->num_elements(); ++i) texts->emplace_back(tensor->str(i));
  return true;
}

}  // namespace

std::string Value::ToString() const {
  struct Printer {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool value) const { return value ? "True" : "False"; }
    std::string operator()(int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return std::to_string(value); }
    std::string operator()(const std::string& value) const { return "'" + value + "'"; }
    std::string operator()(const Tensor& value) const {
      if (IsIntegerScalar(value)) return std::to_string(value.AsInt64());
      if (value.is_string() && value.rank() == 0) return StrCat("'", value.str(), "'");
      return TensorSpec::Of(value).ToString() + " tensor";
    }
    std::string operator()(const TensorSpec& value) const { return value.ToString() + " spec"; }
    std::string operator()(const Slot& value) const { return value.spec.ToString() + " tensor"; }
    std::string operator()(const FunctionValue&) const { return "a function"; }
    std::string operator()(const DatasetRef&) const { return "a dataset"; }
    std::string operator()(const ValueList& list) const {
      std::string text = "[";
      for (size_t i = 0; i < list.size(); ++i) text += (i ? ", " : "") + list[i].ToString();
      return text + "]";
    }
  };
  return std::visit(Printer(), held);
}

const Value* Args::Find(std::string_view name) const {
  auto found = values_.find(name);
  return found == values_.end() || found->second.is_none() ? nullptr : &found->second;
}

bool Args::Has(std::string_view name) const { return Find(name) != nullptr; }

bool Args::IsPlaceholder(std::string_view name) const {
  const Value* value = Find(name);
  if (value == nullptr) return false;
  if (value->get<Slot>()) return true;
  const ValueList* list = value->get<ValueList>();
  return list && std::any_of(list->begin(), list->end(),
                             [](const Value& item) { return item.get<Slot>() != nullptr; });
}

Status Args::Error(const std::string& what) const {
  return InvalidArgument(StrCat(owner_, ": ", what));
}

Status Args::WrongType(std::string_view name, const char* expected, const Value& value) const {
  return Error(StrCat(name, " must be ", expected, ", got ", value.ToString()));
}

Result<int64_t> Args::Int(std::string_view name, IntRange range) const {
  const Value* value = Find(name);
  if (value == nullptr) return Error(StrCat(name, " is required"));
  int64_t number = 0;
  if (const int64_t* plain = value->get<int64_t>()) {
    number = *plain;
  } else if (const Tensor* tensor = value->get<Tensor>(); tensor && IsIntegerScalar(*tensor)) {
    number = tensor->AsInt64();
  } else if (const Slot* later = value->get<Slot>(); later && IsInteger(later->spec.dtype)) {
    return std::clamp<int64_t>(1, range.min, range.max);
  } else {
    return WrongType(name, "an integer", *value);
  }
  if (number >= range.min && number <= range.max) return number;
  std::string expected = StrCat(">= ", range.min);
  if (range.min == INT64_MIN) expected = StrCat("<= ", range.max);
  if (range.min != INT64_MIN && range.max != INT64_MAX) {
    expected = StrCat("between ", range.min, " and ", range.max);
  }
  return Error(StrCat(name, " must be ", expected, ", got ", number));
}

Result<int64_t> Args::IntOr(std::string_view name, int64_t fallback, IntRange range) const {
  if (!Has(name)) return fallback;
  return Int(name, range);
}

Result<double> Args::DoubleOr(std::string_view name, double fallback) const {
  const Value* value = Find(name);
  if (value == nullptr) return fallback;
  if (const double* number = value->get<double>()) return *number;
  if (const int64_t* number = value->get<int64_t>()) return static_cast<double>(*number);
  if (const Tensor* tensor = value->get<Tensor>(); tensor && tensor->num_elements() == 1) {
    if (tensor->dtype() == DType::kFloat32) return static_cast<double>(tensor->scalar<float>());
    if (tensor->dtype() == DType::kFloat64) return tensor->scalar<double>();
    if (IsInteger(tensor->dtype())) return static_cast<double>(tensor->AsInt64());
  }
  if (value->get<Slot>()) return fallback;
  return WrongType(name, "a number", *value);
}

Result<bool> Args::BoolOr(std::string_view name, bool fallback) const {
  const Value* value = Find(name);
  if (value == nullptr) return fallback;
  if (const bool* flag = value->get<bool>()) return *flag;
  if (const Tensor* tensor = value->get<Tensor>();
      tensor && tensor->dtype() == DType::kBool && tensor->num_elements() == 1) {
    return tensor->AsInt64() != 0;
  }
  if (value->get<Slot>()) return fallback;
  return WrongType(name, "a bool", *value);
}

Result<std::string> Args::String(std::string_view name) const {
  const Value* value = Find(name);
  if (value == nullptr) return Error(StrCat(name, " is required"));
  if (const std::string* text = value->get<std::string>()) return *text;
  if (const Tensor* tensor = value->get<Tensor>();
      tensor && tensor->is_string() && tensor->num_elements() == 1) {
    return std::string(tensor->str(0));
  }
  if (const Slot* later = value->get<Slot>(); later && later->spec.dtype == DType::kString) {
    return std::string();
  }
  return WrongType(name, "a string", *value);
}

Result<std::string> Args::StringOr(std::string_view name, std::string fallback) const {
  if (!Has(name)) return fallback;
  return String(name);
}

Result<DType> Args::Dtype(std::string_view name) const {
  FASTPIPE_ASSIGN(std::string text, String(name));
  auto dtype = DTypeFromName(text);
  if (!dtype.ok()) return Error(StrCat(name, ": ", dtype.status().message()));
  return dtype;
}

Result<DType> Args::DtypeOr(std::string_view name, DType fallback) const {
  if (!Has(name)) return fallback;
  return Dtype(name);
}

Result<std::vector<int64_t>> Args::Ints(std::string_view name) const {
  const Value* value = Find(name);
  if (value == nullptr) return Error(StrCat(name, " is required"));
  std::vector<int64_t> numbers;
  if (const Tensor* tensor = value->get<Tensor>(); tensor && IsInteger(tensor->dtype())) {
    if (tensor->rank() == 0) return std::vector<int64_t>{tensor->AsInt64()};
    for (int64_t i = 0; i < tensor->num_elements(); ++i) {
      numbers.push_back(
          tensor->Reshaped(std::vector<int64_t>{tensor->num_elements()}).Row(i).AsInt64());
    }
    return numbers;
  }
  const ValueList* list = value->get<ValueList>();
  if (list == nullptr) return WrongType(name, "a list of integers", *value);
  for (const Value& item : *list) {
    const Tensor* tensor = item.get<Tensor>();
    if (item.is_none() || item.get<Slot>()) {
      numbers.push_back(-1);
    } else if (const int64_t* number = item.get<int64_t>()) {
      numbers.push_back(*number);
    } else if (tensor && IsIntegerScalar(*tensor)) {
      numbers.push_back(tensor->AsInt64());
    } else {
      return WrongType(name, "a list of integers", *value);
    }
  }
  return numbers;
}

Result<std::vector<std::string>> Args::Strings(std::string_view name) const {
  const Value* value = Find(name);
  if (value == nullptr) return Error(StrCat(name, " is required"));
  std::vector<std::string> texts;
  bool good = true;
  if (const ValueList* list = value->get<ValueList>()) {
    for (const Value& item : *list) {
      const Tensor* tensor = item.get<Tensor>();
      good = good && (tensor == nullptr || tensor->rank() == 0) && AppendStrings(item, &texts);
    }
  } else {
    good = AppendStrings(*value, &texts);
  }
  if (!good) return WrongType(name, "a string or a list of strings", *value);
  return texts;
}

Result<ValueList> Args::List(std::string_view name) const {
  const Value* value = Find(name);
  if (value == nullptr) return Error(StrCat(name, " is required"));
  if (const ValueList* list = value->get<ValueList>()) return *list;
  return WrongType(name, "a list", *value);
}

Result<Function> Args::Func(std::string_view name) const {
  const Value* value = Find(name);
  if (value == nullptr) return Error(StrCat(name, " is required"));
  const FunctionValue* function = value->get<FunctionValue>();
  if (function == nullptr) return WrongType(name, "a function", *value);
  Function bound{function->program, {}};
  for (const Value& capture : function->captures) {
    const Tensor* tensor = capture.get<Tensor>();
    if (tensor == nullptr) return Function{function->program, {}};
    bound.captures.push_back(*tensor);
  }
  return bound;
}

Result<Tensor> Args::OneTensor(std::string_view name) const {
  const Value* value = Find(name);
  if (value == nullptr) return Error(StrCat(name, " is required"));
  if (std::optional<Tensor> tensor = AsTensor(*value)) return *std::move(tensor);
  return WrongType(name, "a tensor", *value);
}

Result<std::vector<Tensor>> Args::Tensors(std::string_view name) const {
  FASTPIPE_ASSIGN(const ValueList list, List(name));
  std::vector<Tensor> tensors;
  for (const Value& item : list) {
    if (item.get<Slot>()) return std::vector<Tensor>();
    if (const DatasetRef* dataset = item.get<DatasetRef>()) {
      tensors.push_back(TensorOf(*dataset));
    } else if (std::optional<Tensor> tensor = AsTensor(item)) {
      tensors.push_back(*std::move(tensor));
    } else {
      return WrongType(name, "a list of tensors", *Find(name));
    }
  }
  return tensors;
}

Result<ElementSpec> Args::TensorSpecs(std::string_view name) const {
  FASTPIPE_ASSIGN(const ValueList list, List(name));
  ElementSpec specs;
  for (const Value& item : list) {
    if (const Slot* later = item.get<Slot>()) {
      specs.push_back(later->spec);
    } else if (const DatasetRef* dataset = item.get<DatasetRef>()) {
      specs.push_back(DatasetSpec((*dataset)->spec()));
    } else if (const std::optional<Tensor> tensor = AsTensor(item)) {
      specs.push_back(tensor->dtype() == DType::kDataset ? DatasetSpec(DatasetOf(*tensor)->spec())
                                                         : TensorSpec::Of(*tensor));
    } else {
      return WrongType(name, "a list of tensors", *Find(name));
    }
  }
  return specs;
}

Result<ElementSpec> Args::Signature(std::string_view name) const {
  FASTPIPE_ASSIGN(const ValueList list, List(name));
  ElementSpec specs;
  for (const Value& item : list) {
    const TensorSpec* spec = item.get<TensorSpec>();
    if (spec == nullptr) return WrongType(name, "a list of specs", *Find(name));
    specs.push_back(*spec);
  }
  return specs;
}

}  // namespace fastpipe
