// string_length(text): the number of bytes or UTF-8 characters of each string, as int32.

#include "core/registry.h"
#include "kernels/string_map.h"
#include "kernels/utf8.h"

namespace fastpipe {
namespace {

Result<KernelPlan> PlanLength(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(const bool utf8, UnitIsUtf8(attrs));
  return PlanStringMap(attrs, inputs, DType::kInt32, [utf8](const Tensor& input, Output* output) {
    int32_t* lengths = output->Allocate<int32_t>(input.dims());
    const int64_t count = input.num_elements();
    for (int64_t i = 0; i < count; ++i) {
      const std::string_view text = input.str(i);
      lengths[i] = static_cast<int32_t>(utf8 ? CountUtf8Characters(text) : text.size());
    }
    return Status::Ok();
  });
}

FASTPIPE_KERNEL("string_length", PlanLength);

}  // namespace
}  // namespace fastpipe
