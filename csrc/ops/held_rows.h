// HeldRows: small elements that an op holds in memory, in columns: what cache keeps of numbers.
//
// Contract: a builder takes elements in their order and becomes a dataset of them, which serves
// views. Its elements give blocks.
// Thread rule: one thread at a time; the dataset is const and shared.
#pragma once

#include <string>
#include <vector>

#include "core/block.h"
#include "core/dataset.h"

namespace fastpipe {

class HeldRowsBuilder {
 public:
  // REQUIRES: RowRing::Fits(spec)
  explicit HeldRowsBuilder(ElementSpec spec) : spec_(std::move(spec)) {}
  void Append(const Block& block);
  void Append(const Element& element) { Append(BlockOf(element)); }
  // Empty afterwards. `label` is that of the op that holds them.
  DatasetRef Finish(const std::string& label);

 private:
  const ElementSpec spec_;
  std::vector<Block> parts_;  // of kMostBlockRows each; the last one is filled as far as rows_
  int64_t rows_ = kMostBlockRows;
};

}  // namespace fastpipe
