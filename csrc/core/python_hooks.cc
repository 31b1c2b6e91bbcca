#include "core/python_hooks.h"

namespace fastpipe {
namespace {

PythonHooks installed;  // written once, when _core is imported, before any pipeline exists

}  // namespace

void SetPythonHooks(const PythonHooks& hooks) { installed = hooks; }
const PythonHooks& GetPythonHooks() { return installed; }

Status ExpectSignature(const std::vector<Tensor>& values, const ElementSpec& specs) {
  if (values.size() != specs.size()) {
    return InvalidArgument(StrCat("the Python function returned ", values.size(),
                                  " values, its signature has ", specs.size()));
  }
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!specs[i].Accepts(values[i])) {
      return InvalidArgument(StrCat("the Python function returned ",
                                    TensorSpec::Of(values[i]).ToString(), " as component ", i,
                                    ", its signature says ", specs[i].ToString()));
    }
  }
  return Status::Ok();
}

}  // namespace fastpipe
