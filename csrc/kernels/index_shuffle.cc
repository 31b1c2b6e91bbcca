// index_shuffle(index, seed, max_index): where `index` goes in a random permutation of 0 ...
// max_index, which no one writes down; equal to TensorFlow's. index and max_index are scalars or
// vectors of one dtype; a seed is two integers, or two for each.

#include <algorithm>
#include <array>
#include <bit>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/dispatch.h"
#include "kernels/integers_argument.h"

namespace fastpipe {
namespace {

// The block cipher Simon with four rounds over words of any size. A permutation of the blocks is
// one of a range in them: what falls outside is enciphered again.
class Permutation {
 public:
  Permutation(uint32_t first, uint32_t second, uint64_t max_index)
      : max_index_(max_index), word_(WordFor(max_index)), mask_((uint64_t{1} << word_) - 1) {
    // TensorFlow's: the constant that it puts before a seed, and the first bit of Simon's sequence.
    keys_ = {498247692 & mask_, first & mask_, second & mask_, 0};
    const uint64_t last = keys_[2];
    keys_[3] = (0xfffffffc & mask_) ^ 1 ^ keys_[0] ^ RotateRight(last, 3) ^ RotateRight(last, 4);
  }

  // REQUIRES: index <= max_index
  uint64_t At(uint64_t index) const {
    if (max_index_ == 0) return 0;
    do {
      index = Encipher(index);
    } while (index > max_index_);
    return index;
  }

 private:
  // Bits of half a block that holds max_index; smaller blocks than 16 bits would show patterns.
  static int WordFor(uint64_t max_index) {
    const int bits = max_index <= 1 ? 0 : std::bit_width(max_index - 1);
    return std::max((bits + 1) / 2, 8);
  }
  uint64_t RotateLeft(uint64_t x, int by) const { return (x << by | x >> (word_ - by)) & mask_; }
  uint64_t RotateRight(uint64_t x, int by) const { return (x >> by | x << (word_ - by)) & mask_; }
  uint64_t Mix(uint64_t x) const {
    return (RotateLeft(x, 1) & RotateLeft(x, 8)) ^ RotateLeft(x, 2);
  }
  uint64_t Encipher(uint64_t value) const {
    uint64_t left = value >> word_ & mask_;
    uint64_t right = value & mask_;
    for (size_t i = 0; i < keys_.size(); i += 2) {
      left ^= Mix(right) ^ keys_[i];
      right ^= Mix(left) ^ keys_[i + 1];
    }
    return left << word_ | right;
  }

  const uint64_t max_index_;
  const int word_;
  const uint64_t mask_;
  std::array<uint64_t, 4> keys_{};
};

template <typename T>
struct Shuffled {
  const Args& attrs;
  const Tensor& index;
  const std::vector<int64_t> seeds;
  const Tensor& max_index;

  // Value `i` of a tensor, or its only one.
  static T Of(const Tensor& tensor, int64_t i) {
    return tensor.data<T>()[tensor.rank() == 0 ? 0 : i];
  }
  Status Fill(int64_t count, T* to) const {
    const size_t step = seeds.size() > 2 ? 2 : 0;
    for (int64_t i = 0; i < count; ++i) {
      const T at = Of(index, i);
      const T most = Of(max_index, i);
      if (at < 0 || at > most) {
        return attrs.Error(StrCat("index must be between 0 and max_index (", most, "), got ", at));
      }
      const size_t seed = static_cast<size_t>(i) * step;
      const Permutation permutation(static_cast<uint32_t>(seeds[seed]),
                                    static_cast<uint32_t>(seeds[seed + 1]),
                                    static_cast<uint64_t>(most));
      to[i] = static_cast<T>(permutation.At(static_cast<uint64_t>(at)));
    }
    return Status::Ok();
  }
};

// How many results there are; -1: one scalar.
Result<int64_t> CountOf(const Args& attrs, Inputs in) {
  int64_t count = -1;
  for (size_t i = 0; i < 3; ++i) {
    const bool is_seed = i == 1;
    const int rank = in[i]->rank() - (is_seed ? 1 : 0);
    if (rank < 0 || rank > 1 || (is_seed && in[i]->dim(in[i]->rank() - 1) != 2)) {
      return attrs.Error(StrCat(
          "index and max_index must be scalars or vectors, and seed [2] or [n, 2], got shapes ",
          ShapeString(in[0]->dims()), ", ", ShapeString(in[2]->dims()), " and ",
          ShapeString(in[1]->dims())));
    }
    if (rank == 0) continue;
    if (count >= 0 && in[i]->dim(0) != count) {
      return attrs.Error(
          StrCat("vectors must be of one size, got ", count, " and ", in[i]->dim(0)));
    }
    count = in[i]->dim(0);
  }
  return count;
}

template <typename T>
Status RunShuffle(const Args& attrs, Inputs in, Output* out) {
  FASTPIPE_ASSIGN(const int64_t count, CountOf(attrs, in));
  const Shuffled<T> shuffled{attrs, *in[0], IntegersOf(*in[1]), *in[2]};
  if (count < 0) return shuffled.Fill(1, out->Allocate<T>({}));
  return shuffled.Fill(count, out->Allocate<T>(Dims(&count, 1)));
}

using Run = Status (*)(const Args& attrs, Inputs in, Output* out);
using IndexTypes = Types<int32_t, int64_t, uint32_t, uint64_t>;
constexpr auto kRuns = TableOf<IndexTypes>([]<typename T>() -> Run { return RunShuffle<T>; });

Result<KernelPlan> PlanIndexShuffle(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 3));
  FASTPIPE_ASSIGN(const Run run, FindOrError(kRuns, attrs, inputs, 0));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 2, inputs[0].dtype));
  if (!IsInteger(inputs[1].dtype)) {
    return attrs.Error(StrCat("seed must be integers, got ", inputs[1].ToString()));
  }
  TensorSpec spec = TensorSpec::UnknownRank(inputs[0].dtype);
  if (inputs[0].known_rank && inputs[1].known_rank && inputs[2].known_rank) {
    spec = TensorSpec::Scalar(inputs[0].dtype);
    for (size_t i = 0; i < 3; ++i) {
      const bool several = inputs[i].rank() > (i == 1 ? 1 : 0);
      if (several && (spec.dims.empty() || spec.dims[0] < 0)) spec.dims = {inputs[i].dims[0]};
    }
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, run](KernelContext*, Inputs in, Outputs out) {
                      return run(attrs, in, &out[0]);
                    })};
}

FASTPIPE_KERNEL("index_shuffle", PlanIndexShuffle);

}  // namespace
}  // namespace fastpipe
