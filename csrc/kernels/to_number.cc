// string_to_number(text): each string read as a number of dtype `out_type`.

#include "core/registry.h"
#include "io/text.h"
#include "kernels/string_map.h"

namespace fastpipe {
namespace {

template <typename T>
Result<KernelPlan> PlanTo(const Args& attrs, Specs inputs) {
  return PlanStringMap(attrs, inputs, DTypeOf<T>(), [](const Tensor& input, Output* output) {
    T* numbers = output->Allocate<T>(input.dims());
    const int64_t count = input.num_elements();
    for (int64_t i = 0; i < count; ++i) {
      if (!ParseNumber(input.str(i), &numbers[i])) {
        return InvalidArgument(StrCat("string_to_number: expected text that is a ",
                                      DTypeName(DTypeOf<T>()), ", got ", Quoted(input.str(i)),
                                      input.rank() == 0 ? "" : StrCat(" at index ", i)));
      }
    }
    return Status::Ok();
  });
}

Result<KernelPlan> PlanToNumber(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(const DType dtype, attrs.DtypeOr("out_type", DType::kFloat32));
  if (dtype == DType::kFloat32) return PlanTo<float>(attrs, inputs);
  if (dtype == DType::kFloat64) return PlanTo<double>(attrs, inputs);
  if (dtype == DType::kInt32) return PlanTo<int32_t>(attrs, inputs);
  if (dtype == DType::kInt64) return PlanTo<int64_t>(attrs, inputs);
  if (dtype == DType::kUint32) return PlanTo<uint32_t>(attrs, inputs);
  if (dtype == DType::kUint64) return PlanTo<uint64_t>(attrs, inputs);
  return attrs.Error(StrCat(
      "out_type must be float32, float64, int32, int64, uint32 or uint64, got ", DTypeName(dtype)));
}

FASTPIPE_KERNEL("string_to_number", PlanToNumber);

}  // namespace
}  // namespace fastpipe
