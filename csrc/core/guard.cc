#include "core/guard.h"

namespace fastpipe {

namespace {

Status Meaning() {
  try {
    throw;
  } catch (const OutOfMemory& error) {
    return ResourceExhausted(
        StrCat("one value would take ", error.bytes(), " bytes, more than this machine has"));
  } catch (const TooManyDimensions& error) {
    return InvalidArgument(error.what());
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("there is not enough memory for this element");
  } catch (const std::length_error&) {
    return ResourceExhausted("one value would be longer than memory can be");
  } catch (const std::exception& error) {
    return Internal(error.what());
  }
}

}  // namespace

Status FromCurrentException() noexcept {
  try {
    return Meaning();
  } catch (const std::bad_alloc&) {  // not even for its message
    return Status::OutOfMemory();
  }
}

}  // namespace fastpipe
