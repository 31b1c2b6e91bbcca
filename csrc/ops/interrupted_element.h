// InterruptedElement: what an op had pulled when Ctrl+C came before it had a result.
//
// Contract: an op that computes from an element takes it by Next and passes what computing it
// returned through Keep. After an interrupt the next Next gives the same element again: none is
// lost, and none comes twice. Meanwhile the op cannot tell where it stands (ExpectNone).
// Thread rule: as the op's Iterator.
#pragma once

#include <string>
#include <utility>

#include "core/element.h"
#include "core/status.h"

namespace fastpipe {

inline Status InterruptedWithinElement(const std::string& label) {
  return FailedPrecondition(label + ": it was interrupted within an element; take that one first");
}

class InterruptedElement {
 public:
  bool held() const { return held_; }

  // The element that was interrupted, or the next of `input`.
  template <typename Input>
  Status Next(Input* input, Element* out) {
    if (!held_) return input->Next(out);
    held_ = false;
    *out = std::move(element_);
    return Status::Ok();
  }
  // Takes `*element` back if `status` is an interrupt.
  Status Keep(Status status, Element* element) {
    if (status.code() == Code::kCancelled) {
      held_ = true;
      element_ = std::move(*element);
    }
    return status;
  }
  Status ExpectNone(const std::string& label) const {
    return held_ ? InterruptedWithinElement(label) : Status::Ok();
  }

 private:
  Element element_;
  bool held_ = false;
};

}  // namespace fastpipe
