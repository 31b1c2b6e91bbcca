// A dataset of a few elements that an op holds in memory: the windows of window and
// group_by_window.
#pragma once

#include <vector>

#include "core/dataset.h"

namespace fastpipe {

// `label` is that of the op that holds them.
DatasetRef HoldElements(const ElementSpec& spec, std::vector<Element> elements,
                        const std::string& label);

}  // namespace fastpipe
