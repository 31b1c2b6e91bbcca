// Chains of elementwise kernels in one pass: (cast(image) - mean) / deviation, clipped, reads and
// writes memory once, by blocks that stay in the first-level cache. A flip before the chain is
// folded into its reading, transpose to [channels, height, width] after it into its writing.
//
// One input goes through the chain; the other operands of its steps have the shape of that input,
// or of its last axes, or are scalars. With any other shapes the chain gives up.

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "core/rewrite.h"
#include "kernels/elementwise.h"
#include "kernels/flip.h"

namespace fastpipe {
namespace {

constexpr int64_t kBlock = 1024;  // values, of at most 8 bytes
constexpr size_t kMaxValue = 8;
constexpr size_t kMaxOperands = 3;

struct Step {
  std::shared_ptr<const ElementwiseKernel> kernel;
  std::vector<int> operands;  // inputs of the chain; -1: what goes through it
};

// An operand beside the chain: what it has for the values from a position on.
class Side {
 public:
  // Nothing if its shape is not of the last axes of `whole`.
  static std::optional<Side> Of(const Tensor& tensor, Dims whole) {
    Dims dims = tensor.dims();
    if (dims.size() > whole.size()) return std::nullopt;
    while (!dims.empty() && dims.front() == 1) dims = dims.subspan(1);
    const Dims end = whole.last(dims.size());
    if (!std::equal(dims.begin(), dims.end(), end.begin(), end.end())) return std::nullopt;
    return Side(tensor);
  }

  // How many of `count` values from `position` on lie in a row.
  int64_t InARow(int64_t position, int64_t count) const {
    return period_ <= kBlock ? count : std::min(count, period_ - position % period_);
  }
  // REQUIRES: as many values as InARow.
  ElementwiseKernel::Operand At(int64_t position) const {
    const uint8_t* data = repeated_.empty() ? data_ : repeated_.data();
    if (period_ == 1) return {data, 0};
    return {data + static_cast<size_t>(position % period_) * bytes_, 1};
  }

 private:
  explicit Side(const Tensor& tensor)
      : data_(tensor.raw()), period_(tensor.num_elements()), bytes_(DTypeSize(tensor.dtype())) {
    if (period_ <= 1 || period_ > kBlock) return;
    const size_t period = static_cast<size_t>(period_) * bytes_;
    repeated_.resize(static_cast<size_t>(kBlock + period_) * bytes_);
    for (size_t at = 0; at < repeated_.size(); at += period) {
      std::memcpy(&repeated_[at], data_, std::min(period, repeated_.size() - at));
    }
  }

  const uint8_t* data_;
  int64_t period_;
  size_t bytes_;
  std::vector<uint8_t> repeated_;  // a short one, often enough for a block
};

// What a chain made goes to its place: as it is, or channels first.
class Target {
 public:
  Target(uint8_t* data, size_t bytes, bool channels_first, Dims dims)
      : data_(data), bytes_(bytes), channels_first_(channels_first) {
    if (!channels_first) return;
    channels_ = dims[2];
    plane_ = dims[0] * dims[1];
  }
  bool channels_first() const { return channels_first_; }
  uint8_t* At(int64_t position) const { return data_ + static_cast<size_t>(position) * bytes_; }
  // Whole pixels, from `position` on.
  void Scatter(const uint8_t* values, int64_t position, int64_t count) const {
    if (bytes_ == 4) {
      ScatterAs<uint32_t>(values, position, count);
    } else if (bytes_ == 1) {
      ScatterAs<uint8_t>(values, position, count);
    } else {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t at = (position + i) % channels_ * plane_ + (position + i) / channels_;
        std::memcpy(At(at), values + static_cast<size_t>(i) * bytes_, bytes_);
      }
    }
  }

 private:
  template <typename T>
  void ScatterAs(const uint8_t* values, int64_t position, int64_t count) const {
    const T* from = reinterpret_cast<const T*>(values);
    T* to = reinterpret_cast<T*>(data_) + position / channels_;
    const int64_t pixels = count / channels_;
    if (channels_ == 3) {  // all planes at once: each value is read once
      for (int64_t i = 0; i < pixels; ++i, from += 3) {
        to[i] = from[0];
        to[plane_ + i] = from[1];
        to[2 * plane_ + i] = from[2];
      }
      return;
    }
    for (int64_t c = 0; c < channels_; ++c) {
      for (int64_t i = 0; i < pixels; ++i) to[c * plane_ + i] = from[i * channels_ + c];
    }
  }

  uint8_t* const data_;
  const size_t bytes_;
  const bool channels_first_;
  int64_t channels_ = 1;
  int64_t plane_ = 0;
};

struct Chain {
  std::shared_ptr<const FlipKernel> flip;  // null: the first input as it is
  size_t flip_inputs = 0;                  // that follow the first: its seed
  std::vector<Step> steps;
  bool channels_first = false;
  DType source = DType::kInvalid;
  DType result = DType::kInvalid;
};

Status GiveUp() { return Unimplemented("these shapes do not go through a chain"); }

class ChainKernel final : public Kernel {
 public:
  explicit ChainKernel(Chain chain) : chain_(std::move(chain)) {}

  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    const Tensor& source = *in[0];
    const Dims dims = source.dims();
    if (chain_.channels_first && (dims.size() != 3 || dims[2] < 1 || dims[2] > kBlock)) {
      return GiveUp();
    }
    Orientation how;
    if (chain_.flip != nullptr) {
      if (dims.size() != 3 || source.num_elements() == 0) return GiveUp();
      FASTPIPE_ASSIGN(how, chain_.flip->HowOne(in.first(1 + chain_.flip_inputs)));
      if (how.transposed) return GiveUp();
    }
    std::vector<Side> sides;
    for (size_t i = 1 + chain_.flip_inputs; i < in.size(); ++i) {
      std::optional<Side> side = Side::Of(*in[i], dims);
      if (!side) return GiveUp();
      sides.push_back(std::move(*side));
    }
    const std::vector<int64_t> result = chain_.channels_first
                                            ? std::vector<int64_t>{dims[2], dims[0], dims[1]}
                                            : std::vector<int64_t>(dims.begin(), dims.end());
    const Target target(out[0].Allocate(chain_.result, result), DTypeSize(chain_.result),
                        chain_.channels_first, dims);
    if (how.AsItIs()) {
      RunRow(source.raw(), 0, source.num_elements(), dims, sides, target);
    } else {
      RunFlipped(source, how, sides, target);
    }
    return Status::Ok();
  }

 private:
  void RunFlipped(const Tensor& source, Orientation how, const std::vector<Side>& sides,
                  const Target& target) const {
    const Dims dims = source.dims();
    const size_t pixel = static_cast<size_t>(dims[2]) * DTypeSize(source.dtype());
    const int64_t row = dims[1] * dims[2];
    std::vector<uint8_t> mirrored(static_cast<size_t>(dims[1]) * pixel);
    for (int64_t y = 0; y < dims[0]; ++y) {
      const int64_t from_y = how.flip_rows ? dims[0] - 1 - y : y;
      const uint8_t* from = source.raw() + static_cast<size_t>(from_y * dims[1]) * pixel;
      if (how.flip_columns) {
        MirrorRow(from, dims[1], pixel, mirrored.data());
        from = mirrored.data();
      }
      RunRow(from, y * row, row, dims, sides, target);
    }
  }

  // `count` values that lie at `from`, and are those from `position` on.
  void RunRow(const uint8_t* from, int64_t position, int64_t count, Dims dims,
              const std::vector<Side>& sides, const Target& target) const {
    const size_t bytes = DTypeSize(chain_.source);
    // Channels first are written by the pixel.
    const int64_t most = target.channels_first() ? kBlock - kBlock % dims[2] : kBlock;
    for (int64_t done = 0; done < count;) {
      int64_t some = std::min(most, count - done);
      if (!target.channels_first()) {
        for (const Side& side : sides) some = side.InARow(position + done, some);
      }
      RunBlock(from + static_cast<size_t>(done) * bytes, position + done, some, sides, target);
      done += some;
    }
  }

  void RunBlock(const uint8_t* from, int64_t position, int64_t count,
                const std::vector<Side>& sides, const Target& target) const {
    alignas(64) std::array<uint8_t, kBlock * kMaxValue> scratch[2];
    const int first_side = static_cast<int>(1 + chain_.flip_inputs);
    const void* through = from;
    for (size_t i = 0; i < chain_.steps.size(); ++i) {
      const Step& step = chain_.steps[i];
      std::array<ElementwiseKernel::Operand, kMaxOperands> operands;
      for (size_t k = 0; k < step.operands.size(); ++k) {
        const int input = step.operands[k];
        operands[k] = input < 0 ? ElementwiseKernel::Operand{through, 1}
                                : sides[static_cast<size_t>(input - first_side)].At(position);
      }
      const bool last = i + 1 == chain_.steps.size();
      void* to = last && !target.channels_first() ? target.At(position) : scratch[i % 2].data();
      step.kernel->RunBlock({operands.data(), step.operands.size()}, to, count);
      through = to;
    }
    if (target.channels_first()) {
      target.Scatter(static_cast<const uint8_t*>(through), position, count);
    }
  }

  const Chain chain_;
};

// ---- finding chains ----

std::shared_ptr<const ElementwiseKernel> ElementwiseAt(const ProgramView& program, int i) {
  auto kernel = std::dynamic_pointer_cast<const ElementwiseKernel>(program.kernel(i));
  const bool usable = kernel != nullptr && kernel->Infallible() &&
                      program.inputs(i).size() <= kMaxOperands &&
                      program.spec(program.output(i)).rank() != 0;
  return usable ? kernel : nullptr;
}

bool MakesChannelsFirst(const ProgramView& program, int i) {
  if (program.attrs(i).owner() != "transpose" || !program.attrs(i).Has("perm")) return false;
  const Result<std::vector<int64_t>> perm = program.attrs(i).Ints("perm");
  return perm.ok() && perm.value() == std::vector<int64_t>{2, 0, 1};
}

// Which input of an instruction goes through the chain: the one of the highest rank; of several one
// that nothing else needs.
size_t Spine(const ProgramView& program, int i) {
  const auto merit = [&](int slot) {
    const int rank = program.spec(slot).rank();
    const int maker = program.maker(slot);
    return std::pair(rank < 0 ? 3 : rank, maker >= 0 && program.OnlyUser(maker) == i);
  };
  const std::span<const int> inputs = program.inputs(i);
  return static_cast<size_t>(std::max_element(inputs.begin(), inputs.end(),
                                              [&](int a, int b) { return merit(a) < merit(b); }) -
                             inputs.begin());
}

// Collects a chain backwards from its last instruction.
class ChainBuilder {
 public:
  explicit ChainBuilder(const ProgramView& program) : program_(program) {}

  // Nothing if there are not several instructions to join.
  std::optional<Replacement> EndingAt(int last) {
    int at = last;
    chain_.result = program_.spec(program_.output(last)).dtype;
    if (MakesChannelsFirst(program_, last)) {
      chain_.channels_first = true;
      members_.push_back(last);
      source_ = program_.inputs(last)[0];
      at = MakerFor(last, source_);
    }
    while (at >= 0) {
      const auto kernel = ElementwiseAt(program_, at);
      if (kernel == nullptr) break;
      AddStep(at, kernel);
      at = MakerFor(at, source_);
    }
    if (chain_.steps.empty()) return std::nullopt;
    if (at >= 0) AddFlip(at);
    if (members_.size() < 2) return std::nullopt;
    return Finish();
  }

  const std::vector<int>& members() const { return members_; }

 private:
  // The maker of `slot` if nothing but `user` needs it.
  int MakerFor(int user, int slot) const {
    const int maker = program_.maker(slot);
    return maker >= 0 && program_.OnlyUser(maker) == user ? maker : -1;
  }

  void AddStep(int at, std::shared_ptr<const ElementwiseKernel> kernel) {
    const size_t spine = Spine(program_, at);
    const std::span<const int> inputs = program_.inputs(at);
    Step step{std::move(kernel), {}};
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (k == spine) {
        step.operands.push_back(-1);
      } else {
        step.operands.push_back(static_cast<int>(sides_.size()));
        sides_.push_back(inputs[k]);
      }
    }
    chain_.steps.insert(chain_.steps.begin(), std::move(step));
    members_.push_back(at);
    source_ = inputs[spine];
  }

  void AddFlip(int at) {
    auto flip = std::dynamic_pointer_cast<const FlipKernel>(program_.kernel(at));
    if (flip == nullptr) return;
    chain_.flip = std::move(flip);
    chain_.flip_inputs = program_.inputs(at).size() - 1;
    members_.push_back(at);
    source_ = program_.inputs(at)[0];
    flip_inputs_.assign(program_.inputs(at).begin() + 1, program_.inputs(at).end());
  }

  Replacement Finish() {
    chain_.source = program_.spec(source_).dtype;
    Replacement made;
    made.instructions.assign(members_.rbegin(), members_.rend());
    made.inputs = {source_};
    made.inputs.insert(made.inputs.end(), flip_inputs_.begin(), flip_inputs_.end());
    const int first_side = static_cast<int>(made.inputs.size());
    made.inputs.insert(made.inputs.end(), sides_.begin(), sides_.end());
    for (Step& step : chain_.steps) {
      for (int& operand : step.operands) operand += operand < 0 ? 0 : first_side;
    }
    made.kernel = std::make_shared<const ChainKernel>(std::move(chain_));
    return made;
  }

  const ProgramView& program_;
  Chain chain_;
  std::vector<int> members_;  // backwards
  std::vector<int> sides_;
  std::vector<int> flip_inputs_;
  int source_ = -1;
};

std::vector<Replacement> ChainRule(const ProgramView& program) {
  std::vector<Replacement> found;
  std::vector<bool> taken(static_cast<size_t>(program.size()), false);
  for (int i = program.size(); i-- > 0;) {
    const bool starts = ElementwiseAt(program, i) != nullptr || MakesChannelsFirst(program, i);
    if (taken[static_cast<size_t>(i)] || !starts) continue;
    ChainBuilder builder(program);
    std::optional<Replacement> chain = builder.EndingAt(i);
    if (!chain) continue;
    for (int member : builder.members()) taken[static_cast<size_t>(member)] = true;
    found.push_back(std::move(*chain));
  }
  return found;
}

FASTPIPE_REWRITE(ChainRule);

}  // namespace
}  // namespace fastpipe
