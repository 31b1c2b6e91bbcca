// Numbered: what an Iterator also is whose results are numbered as its elements are.
//
// Contract: Skip(n) of such an Iterator passes over n elements by their number, without finding out
// which of them would be errors. Ops that select by position (skip, shard) then do the same.
// Thread rule: as an Iterator.
#pragma once

namespace fastpipe {

class Numbered {
 public:
  virtual ~Numbered() = default;
};

}  // namespace fastpipe
