#include "core/guard.h"

namespace fastpipe {

Status FromCurrentException() {
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

}  // namespace fastpipe
