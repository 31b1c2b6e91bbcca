// Pipelines that between them save the position of every op: what the target "checkpoint" restores.
//
// Contract: each is finite, so that a position which stands for very many elements soon meets the
// end; none needs a kernel or a file. Thread rule: made once, then constant.
#pragma once

#include <vector>

#include "core/dataset.h"

namespace fastpipe::fuzz {

const std::vector<DatasetRef>& Pipelines();

}  // namespace fastpipe::fuzz
