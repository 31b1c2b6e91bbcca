// PythonHooks: the way from native code to Python callables, without Python.h.
//
// Contract: _core installs the hooks when it is imported. A callable is known by a handle; Python
// keeps it alive as long as a pipeline that uses it. Hooks are reached through a PythonEntry alone.
// A hook takes the GIL only around the call and returns an exception as a PythonError status with
// its type and traceback in the payload.
// Thread rule: hooks are called by any thread, which must hold no lock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/element.h"
#include "core/kernel.h"
#include "core/status.h"

namespace fastpipe {

struct PythonHooks {
  // Calls callable `handle`; its results must fit `outputs`, one each.
  Status (*call)(int64_t handle, const std::vector<Tensor>& inputs, const ElementSpec& outputs,
                 std::vector<Tensor>* results) = nullptr;
  // Calls the generator function `handle` and keeps the iterator it returns.
  Status (*start_generator)(int64_t handle, const std::vector<Tensor>& args,
                            std::shared_ptr<void>* generator) = nullptr;
  // The next element, or end of sequence.
  Status (*next_generated)(void* generator, const ElementSpec& spec,
                           std::vector<Tensor>* element) = nullptr;
  // The state of a generator that offers one; else `*refused` says what it is.
  Status (*save_generator)(void* generator, std::string* state, std::string* refused) = nullptr;
  // Brings a fresh generator to a state. The generator may refuse it later, by its first element.
  Status (*restore_generator)(void* generator, std::string_view state) = nullptr;
  // Tells callable `handle` of an error, as the exception that it would become.
  Status (*tell)(int64_t handle, const Status& error) = nullptr;
  // Gives back a reference.
  void (*drop)(void* object) = nullptr;
  // Makes what Python must know of a thread that calls it. Null if it knows the caller already.
  void* (*make_thread_state)() = nullptr;
  // Lets the calling thread use it, and forgets it. The GIL is held from the one to the other.
  void (*enter_thread_state)(void* state) = nullptr;
  void (*leave_thread_state)(void* state) = nullptr;
};

void SetPythonHooks(const PythonHooks& hooks);

// A thread on its way into Python and back: `PythonEntry()->call(...)`.
class PythonEntry {
 public:
  PythonEntry();
  ~PythonEntry();
  PythonEntry(const PythonEntry&) = delete;
  PythonEntry& operator=(const PythonEntry&) = delete;
  const PythonHooks* operator->() const;

 private:
  void* state_;
};

// Python makes thread states under a lock of its own but without the GIL. Before CPython 3.11.10
// (gh-112275) a child that is forked meanwhile waits for that lock for ever. So states are made
// under a lock of ours too, which a fork waits for.
void LockPythonEntriesForFork();
void UnlockPythonEntriesAfterFork();

// InvalidArgument unless `values` fit `specs`: what a callable returned against what it promised.
Status ExpectSignature(const std::vector<Tensor>& values, const ElementSpec& specs);

}  // namespace fastpipe
