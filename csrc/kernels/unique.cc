// unique(x): the different values of a vector in the order in which they appear first; for each
// value of x its position among them; how often each appears. Positions and counts have dtype
// `out_idx`, int32 or int64.

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/dispatch.h"

namespace fastpipe {
namespace {

// What tells values apart: the bytes of a string, the value of a number.
struct TextAt {
  using Key = std::string_view;
  static Key Get(const Tensor& x, int64_t i) { return x.str(i); }
};
template <typename T>
struct NumberAt {
  using Key = Wide<T>;  // 0.0 and -0.0 are equal, no NaN equals another
  static Key Get(const Tensor& x, int64_t i) { return ToWide(x.data<T>()[i]); }
};

struct Found {
  std::vector<int64_t> firsts;     // where each different value appears first
  std::vector<int64_t> positions;  // for each value
  std::vector<int64_t> counts;
};

template <typename At>
Found FindUnique(const Tensor& x) {
  Found found;
  std::unordered_map<typename At::Key, int64_t> seen;
  const int64_t count = x.num_elements();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t fresh = static_cast<int64_t>(found.firsts.size());
    const auto [at, added] = seen.emplace(At::Get(x, i), fresh);
    if (added) {
      found.firsts.push_back(i);
      found.counts.push_back(0);
    }
    found.positions.push_back(at->second);
    ++found.counts[static_cast<size_t>(at->second)];
  }
  return found;
}

using FindIn = Found (*)(const Tensor& x);
constexpr auto kFinds =
    TableOf<FixedSizeTypes>([]<typename T>() -> FindIn { return FindUnique<NumberAt<T>>; });

template <typename To>
void Give(const std::vector<int64_t>& values, Output* out) {
  const int64_t count = static_cast<int64_t>(values.size());
  std::copy(values.begin(), values.end(), out->Allocate<To>(Dims(&count, 1)));
}

Result<KernelPlan> PlanUnique(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const DType dtype, attrs.DtypeOr("out_idx", DType::kInt32));
  if (dtype != DType::kInt32 && dtype != DType::kInt64) {
    return attrs.Error(StrCat("out_idx must be int32 or int64, got ", DTypeName(dtype)));
  }
  FindIn find = FindUnique<TextAt>;
  if (inputs[0].dtype != DType::kString) {
    FASTPIPE_ASSIGN(find, FindOrError(kFinds, attrs, inputs, 0));
  }
  if (inputs[0].known_rank && inputs[0].rank() != 1) {
    return attrs.Error(StrCat("takes a vector, got ", inputs[0].ToString()));
  }
  const int64_t size = inputs[0].known_rank ? inputs[0].dims[0] : -1;
  const auto give = dtype == DType::kInt32 ? Give<int32_t> : Give<int64_t>;
  return KernelPlan{
      {TensorSpec::Of(inputs[0].dtype, {-1}), TensorSpec::Of(dtype, {size}),
       TensorSpec::Of(dtype, {-1})},
      KernelFrom([attrs, find, give](KernelContext*, Inputs in, Outputs out) {
        const Tensor& x = *in[0];
        if (x.rank() != 1) {
          return attrs.Error(StrCat("takes a vector, got shape ", ShapeString(x.dims())));
        }
        const Found found = find(x);
        const int64_t count = static_cast<int64_t>(found.firsts.size());
        Assembler values(x.dtype(), Dims(&count, 1), &out[0]);
        for (int64_t first : found.firsts) values.Append(x, first, 1);
        values.Finish();
        give(found.positions, &out[1]);
        give(found.counts, &out[2]);
        return Status::Ok();
      })};
}

FASTPIPE_KERNEL("unique", PlanUnique);

}  // namespace
}  // namespace fastpipe
