// SelectRows: some rows of a column, in their order.
//
// Contract: a copy in memory of its own. Thread rule: a pure function.
#pragma once

#include <span>

#include "core/tensor.h"

namespace fastpipe {

// The rows where `keep` holds, of which there are `count`. REQUIRES: a flag for each row.
Tensor SelectRows(const Tensor& column, std::span<const bool> keep, int64_t count);

}  // namespace fastpipe
