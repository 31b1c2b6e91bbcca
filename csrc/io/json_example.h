// tf.train.Example as JSON, by the JSON mapping of protocol buffers, to its serialized message.
//
// Contract: strict JSON of exactly that shape; names in camel or snake case, null for what is
// absent, int64 also as strings, floats also as "NaN" and "Infinity", bytes in base64 of either
// alphabet. Anything else gives InvalidArgument with its offset. Thread rule: a free function.
#pragma once

#include <string>
#include <string_view>

#include "core/status.h"

namespace fastpipe {

Result<std::string> ExampleFromJson(std::string_view json);

}  // namespace fastpipe
