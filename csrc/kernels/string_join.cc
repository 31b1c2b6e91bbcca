// string_join(parts...): the parts joined by `separator`, element by element.
//
// All parts have one shape, or are scalars that serve every element.

#include <vector>

#include "core/registry.h"

namespace fastpipe {
namespace {

Status ShapesDiffer(const Args& attrs, size_t index, const std::string& got,
                    const std::string& expected) {
  return attrs.Error(StrCat("parts must be scalars or have one shape, got ", got, " at part ",
                            index, " after ", expected));
}

// InvalidArgument unless a part of spec `part` can stand beside those before it; `*joined` becomes
// the spec of both.
Status MergeSpec(const Args& attrs, size_t index, const TensorSpec& part, TensorSpec* joined) {
  if (!joined->known_rank) return Status::Ok();
  if (!part.known_rank || joined->dims.empty()) {
    *joined = part;
    return Status::Ok();
  }
  if (part.dims.empty()) return Status::Ok();
  bool same = part.dims.size() == joined->dims.size();
  for (size_t axis = 0; same && axis < part.dims.size(); ++axis) {
    int64_t& dim = joined->dims[axis];
    same = dim < 0 || part.dims[axis] < 0 || dim == part.dims[axis];
    if (dim < 0) dim = part.dims[axis];
  }
  return same ? Status::Ok() : ShapesDiffer(attrs, index, part.ToString(), joined->ToString());
}

Status Join(const Args& attrs, const std::string& separator, Inputs in, Output* output) {
  Dims dims;
  for (size_t i = 0; i < in.size(); ++i) {
    const Dims part = in[i]->dims();
    if (dims.empty()) dims = part;
    if (!part.empty() && !std::equal(part.begin(), part.end(), dims.begin(), dims.end())) {
      return ShapesDiffer(attrs, i, ShapeString(part), ShapeString(dims));
    }
  }
  const int64_t count = NumElements(dims);
  StringArrayBuilder builder(static_cast<size_t>(count));
  std::string joined;
  for (int64_t i = 0; i < count; ++i) {
    joined.clear();
    for (size_t part = 0; part < in.size(); ++part) {
      if (part > 0) joined += separator;
      joined += in[part]->rank() == 0 ? in[part]->str() : in[part]->str(i);
    }
    builder.Append(joined);
  }
  output->Set(builder.Build(dims));
  return Status::Ok();
}

Result<KernelPlan> PlanJoin(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(std::string separator, attrs.StringOr("separator", ""));
  TensorSpec joined = TensorSpec::Scalar(DType::kString);
  for (size_t i = 0; i < inputs.size(); ++i) {
    FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, i, DType::kString));
    FASTPIPE_RETURN_IF_ERROR(MergeSpec(attrs, i, inputs[i], &joined));
  }
  return KernelPlan{
      {std::move(joined)},
      KernelFrom([attrs, separator = std::move(separator)](KernelContext*, Inputs in, Outputs out) {
        return Join(attrs, separator, in, &out[0]);
      })};
}

FASTPIPE_KERNEL("string_join", PlanJoin);

}  // namespace
}  // namespace fastpipe
