#include "core/python_hooks.h"

#include <memory>

#include "core/mutex.h"

namespace fastpipe {
namespace {

PythonHooks installed;  // written once, when _core is imported, before any pipeline exists

// Guards no data: it is held while a thread state is made.
Mutex& StatesMutex() {
  // Never destroyed: threads may outlive the statics.
  static Mutex* const mutex = std::make_unique<Mutex>().release();
  return *mutex;
}

}  // namespace

void SetPythonHooks(const PythonHooks& hooks) { installed = hooks; }

PythonEntry::PythonEntry() {
  {
    MutexLock lock(StatesMutex());
    state_ = installed.make_thread_state();
  }
  if (state_ != nullptr) installed.enter_thread_state(state_);
}

PythonEntry::~PythonEntry() {
  if (state_ != nullptr) installed.leave_thread_state(state_);
}

const PythonHooks* PythonEntry::operator->() const { return &installed; }

void LockPythonEntriesForFork() NO_THREAD_SAFETY_ANALYSIS { StatesMutex().Lock(); }
void UnlockPythonEntriesAfterFork() NO_THREAD_SAFETY_ANALYSIS { StatesMutex().Unlock(); }

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
