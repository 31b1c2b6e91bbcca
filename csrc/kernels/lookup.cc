// lookup(keys, default): the values that a constant table has for keys of any shape; `default`, a
// scalar, for those it lacks. Attributes: table_keys and table_values, vectors of equal size.

#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/dispatch.h"

namespace fastpipe {
namespace {

struct TextKeys {
  using Key = std::string_view;  // into the tensor of keys, which the table keeps
  static Key Get(const Tensor& keys, int64_t i) { return keys.str(i); }
};
template <typename T>
struct NumberKeys {
  using Key = T;
  static Key Get(const Tensor& keys, int64_t i) { return keys.data<T>()[i]; }
};

template <typename Keys>
class Lookup final : public Kernel {
 public:
  static Result<KernelPlan> Plan(const Args& attrs, Specs inputs, Tensor keys, Tensor values) {
    auto kernel = std::make_shared<Lookup>();
    kernel->keys_ = std::move(keys);
    kernel->values_ = std::move(values);
    for (int64_t i = 0; i < kernel->keys_.num_elements(); ++i) {
      const auto [at, added] = kernel->places_.emplace(Keys::Get(kernel->keys_, i), i);
      if (!added && !kernel->SameValue(at->second, i)) {
        return attrs.Error(
            StrCat("a key stands at indices ", at->second, " and ", i, " with different values"));
      }
    }
    TensorSpec spec = inputs[0];
    spec.dtype = kernel->values_.dtype();
    return KernelPlan{{std::move(spec)}, std::move(kernel)};
  }

  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    const Tensor& keys = *in[0];
    Assembler result(values_.dtype(), keys.dims(), &out[0]);
    for (int64_t i = 0; i < keys.num_elements(); ++i) {
      const auto at = places_.find(Keys::Get(keys, i));
      if (at == places_.end()) {
        result.Repeat(*in[1], 1);
      } else {
        result.Append(values_, at->second, 1);
      }
    }
    result.Finish();
    return Status::Ok();
  }

 private:
  bool SameValue(int64_t a, int64_t b) const {
    if (values_.is_string()) return values_.str(a) == values_.str(b);
    const size_t size = DTypeSize(values_.dtype());
    return std::memcmp(values_.raw() + static_cast<size_t>(a) * size,
                       values_.raw() + static_cast<size_t>(b) * size, size) == 0;
  }

  Tensor keys_;
  Tensor values_;
  std::unordered_map<typename Keys::Key, int64_t> places_;
};

using Plan = Result<KernelPlan> (*)(const Args& attrs, Specs inputs, Tensor keys, Tensor values);
constexpr auto kPlans =
    TableOf<IntegerTypes>([]<typename T>() -> Plan { return Lookup<NumberKeys<T>>::Plan; });

Result<KernelPlan> PlanLookup(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_ASSIGN(Tensor keys, attrs.OneTensor("table_keys"));
  FASTPIPE_ASSIGN(Tensor values, attrs.OneTensor("table_values"));
  if (keys.rank() != 1 || values.rank() != 1 || keys.dim(0) != values.dim(0)) {
    return attrs.Error(StrCat("keys and values must be vectors of one size, got ",
                              TensorSpec::Of(keys).ToString(), " and ",
                              TensorSpec::Of(values).ToString()));
  }
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, keys.dtype()));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 1, values.dtype()));
  if (inputs[1].rank() > 0) {
    return attrs.Error(StrCat("the default must be a scalar, got ", inputs[1].ToString()));
  }
  const Plan plan = keys.is_string() ? Lookup<TextKeys>::Plan : Find(kPlans, keys.dtype());
  if (plan == nullptr) {
    return attrs.Error(StrCat("keys must be strings or integers, got ", DTypeName(keys.dtype())));
  }
  return plan(attrs, inputs, std::move(keys), std::move(values));
}

FASTPIPE_KERNEL("lookup", PlanLookup);

}  // namespace
}  // namespace fastpipe
