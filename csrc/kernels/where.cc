// where(condition, x, y): the values of x where the bool tensor `condition` is true, else those of
// y.
//   The three broadcast; x and y have one dtype.
// where_indices(condition): the int64 positions [count, rank] of the values that are not zero.

#include <cstring>

#include "core/registry.h"
#include "kernels/broadcast.h"
#include "kernels/dispatch.h"

namespace fastpipe {
namespace {

// Values are moved, never computed with: their size is all that counts.
using SelectLoop = void (*)(const StridedLoop& loop, const bool* condition, const void* x,
                            const void* y, void* out);

template <typename Word>
void RunSelect(const StridedLoop& loop, const bool* condition, const void* x, const void* y,
               void* out) {
  const Word* yes = static_cast<const Word*>(x);
  const Word* no = static_cast<const Word*>(y);
  Word* to = static_cast<Word*>(out);
  loop.Run({}, [&](const auto& offsets, const auto& steps, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const Word a = yes[offsets[1] + i * steps[1]];
      const Word b = no[offsets[2] + i * steps[2]];
      *to++ = condition[offsets[0] + i * steps[0]] ? a : b;
    }
  });
}

constexpr auto kSelects = TableOf<FixedSizeTypes>([]<typename T>() -> SelectLoop {
  if constexpr (sizeof(T) == 1) return RunSelect<uint8_t>;
  if constexpr (sizeof(T) == 2) return RunSelect<uint16_t>;
  if constexpr (sizeof(T) == 4) return RunSelect<uint32_t>;
  return RunSelect<uint64_t>;
});

Status Where(const Args& attrs, Inputs in, Output* out) {
  if (in[0]->rank() == 0 && in[1]->rank() == 0 && in[2]->rank() == 0) {
    out->Set(*in[in[0]->scalar<bool>() ? 1 : 2]);
    return Status::Ok();
  }
  FASTPIPE_ASSIGN(const std::vector<int64_t> dims, BroadcastDims(attrs.owner(), in));
  const StridedLoop loop = BroadcastLoop(dims, {in[0]->dims(), in[1]->dims(), in[2]->dims()});
  const bool* condition = in[0]->data<bool>();
  const DType dtype = in[1]->dtype();
  if (dtype != DType::kString) {
    Find(kSelects, dtype)(loop, condition, in[1]->raw(), in[2]->raw(), out->Allocate(dtype, dims));
    return Status::Ok();
  }
  StringArrayBuilder builder(static_cast<size_t>(NumElements(dims)));
  loop.Run({}, [&](const auto& offsets, const auto& steps, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const size_t side = condition[offsets[0] + i * steps[0]] ? 1 : 2;
      builder.Append(in[side]->str(offsets[side] + i * steps[side]));
    }
  });
  out->Set(builder.Build(dims));
  return Status::Ok();
}

Result<KernelPlan> PlanWhere(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 3));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kBool));
  FASTPIPE_RETURN_IF_ERROR(ExpectOneDType(attrs, inputs, 1));
  if (inputs[1].dtype != DType::kString && Find(kSelects, inputs[1].dtype) == nullptr) {
    return attrs.Error(
        StrCat("x and y must be numbers, bools or strings, got ", inputs[1].ToString()));
  }
  FASTPIPE_ASSIGN(TensorSpec spec, BroadcastSpecs(attrs, inputs, inputs[1].dtype));
  return KernelPlan{.outputs = {std::move(spec)},
                    .kernel = KernelFrom([attrs](KernelContext*, Inputs in, Outputs out) {
                      return Where(attrs, in, &out[0]);
                    }),
                    .elementwise = true};
}

using FindNonZero = std::vector<int64_t> (*)(const Tensor& x);

template <typename T>
std::vector<int64_t> NonZeroOf(const Tensor& x) {
  std::vector<int64_t> found;
  const T* values = x.data<T>();
  const int64_t count = x.num_elements();
  for (int64_t i = 0; i < count; ++i) {
    if (ToWide(values[i]) != 0) found.push_back(i);
  }
  return found;
}

constexpr auto kNonZero =
    TableOf<FixedSizeTypes>([]<typename T>() -> FindNonZero { return NonZeroOf<T>; });

Result<KernelPlan> PlanWhereIndices(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const FindNonZero find, FindOrError(kNonZero, attrs, inputs, 0));
  const TensorSpec spec = TensorSpec::Of(DType::kInt64, {-1, inputs[0].rank()});
  return KernelPlan{{spec}, KernelFrom([find](KernelContext*, Inputs in, Outputs out) {
                      const std::vector<int64_t> found = find(*in[0]);
                      const std::vector<int64_t> strides = RowMajorStrides(in[0]->dims());
                      const int64_t dims[] = {static_cast<int64_t>(found.size()), in[0]->rank()};
                      int64_t* to = out[0].Allocate<int64_t>(dims);
                      for (int64_t index : found) {
                        for (int64_t stride : strides) {
                          *to++ = index / stride;
                          index %= stride;
                        }
                      }
                      return Status::Ok();
                    })};
}

FASTPIPE_KERNEL("where", PlanWhere);
FASTPIPE_KERNEL("where_indices", PlanWhereIndices);

}  // namespace
}  // namespace fastpipe
