// StridedLoop: walks the positions of an array in row-major order, in runs.
//
// Contract: every operand has a stride, in elements, per axis; 0 repeats, a negative one goes
// backwards. Axes that can be walked as one are merged, so that equal shapes give a single run. The
// visitor gets, for each run, where every operand starts, its step, and how many positions follow.
// Thread rule: const after construction.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/tensor.h"

namespace fastpipe {

class StridedLoop {
 public:
  static constexpr size_t kOperands = 3;
  using Offsets = std::array<int64_t, kOperands>;
  struct Axis {
    int64_t size = 0;
    Offsets strides{};
  };

  // Axes are added outermost first.
  explicit StridedLoop(size_t rank) { axes_.reserve(rank); }
  void AddAxis(const Axis& axis);

  // visit(const Offsets& offsets, const Offsets& steps, int64_t count) for each run.
  template <typename Visit>
  void Run(Offsets offsets, Visit visit) const {
    if (empty_) return;
    if (axes_.empty()) {
      visit(offsets, Offsets{}, int64_t{1});
      return;
    }
    const Axis& inner = axes_.back();
    std::vector<int64_t> position(axes_.size() - 1, 0);
    while (true) {
      visit(offsets, inner.strides, inner.size);
      if (!Advance(&position, &offsets)) return;
    }
  }

 private:
  // To the next run; false after the last.
  bool Advance(std::vector<int64_t>* position, Offsets* offsets) const;
  std::vector<Axis> axes_;
  bool empty_ = false;  // some axis has size 0
};

// Strides of a row-major array.
std::vector<int64_t> RowMajorStrides(Dims dims);

}  // namespace fastpipe
