// The bytes of an element in a saved dataset: docs/saved-dataset.md.
// Thread rule: free functions without state.
#pragma once

#include <string>
#include <string_view>

#include "core/buffer.h"
#include "core/element.h"
#include "core/status.h"

namespace fastpipe {

// Appends `element`. InvalidArgument if it is not of `spec`. REQUIRES: no component is a dataset.
Status AppendElement(const Element& element, const ElementSpec& spec, std::string* out);

// The reverse. Tensors of more than a few bytes share `buffer`, in which `bytes` lie, aligned to 64
// if they are 1 KiB or more. DataLoss if these are not the bytes of an element of `spec`.
Status ParseElement(std::string_view bytes, const BufferRef& buffer, const ElementSpec& spec,
                    Element* out);

}  // namespace fastpipe
