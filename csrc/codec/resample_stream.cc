#include "codec/resample_stream.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "codec/resample_rows.h"
#include "codec/resample_weights.h"

namespace fastpipe {

namespace {

template <typename Value>
size_t BytesOf(int64_t count) {
  return static_cast<size_t>(count) * sizeof(Value);
}

template <typename Weight>
AxisWeights<Weight> AxisOf(const WeightTable<Weight>& table) {
  return {table.starts.data(), table.weights.data(), table.taps,
          static_cast<int64_t>(table.starts.size())};
}

PillowAxis PillowAxisOf(const PillowTable& table) {
  return {AxisOf<int32_t>(table), table.pairs.data()};
}

// What is computed two output rows at a time needs the rows of both.
template <typename Weight>
int64_t WindowOfPairs(const WeightTable<Weight>& table) {
  int64_t window = table.taps;
  for (size_t y = 1; y < table.starts.size(); y += 2) {
    window = std::max(window, int64_t{table.starts[y]} + table.taps - table.starts[y - 1]);
  }
  return window;
}

void CombineRows(const RowLoops& loops, const uint8_t* const* rows, const float* weights, int taps,
                 int64_t count, float* output) {
  // Bytes are finite, so a weight of zero adds nothing.
  while (taps > 1 && weights[taps - 1] == 0) --taps;
  for (; taps > 1 && weights[0] == 0; --taps) ++weights, ++rows;
  loops.combine_bytes(rows, weights, taps, count, output);
}

void CombineRows(const RowLoops& loops, const float* const* rows, const float* weights, int taps,
                 int64_t count, float* output) {
  loops.combine_floats(rows, weights, taps, count, output);
}

// Vertically into two rows that stay in the cache, then horizontally: TensorFlow's order.
template <typename Value>
class WeightedResizer final : public RowResizer<Value> {
 public:
  WeightedResizer(const RowLoops& loops, ImageShape in, std::shared_ptr<const FloatTable> vertical,
                  std::shared_ptr<const FloatTable> horizontal, float gain, float* output)
      : loops_(loops),
        in_(in),
        vertical_(std::move(vertical)),
        horizontal_(std::move(horizontal)),
        gain_(gain),
        height_(static_cast<int64_t>(vertical_->starts.size())),
        row_size_(in.width * in.channels),
        out_row_size_(static_cast<int64_t>(horizontal_->starts.size()) * in.channels),
        output_(output),
        combined_(static_cast<size_t>(2 * (row_size_ + kRowPadding))),
        sources_(static_cast<size_t>(vertical_->taps)) {}

  void Advance(const RowRing<Value>& ring, int64_t available) override {
    while (next_ < height_) {
      const int64_t last = std::min(next_ + 1, height_ - 1);
      if (Start(last) + vertical_->taps > available) return;
      float* const combined[2] = {combined_.data(),
                                  combined_.data() + (last - next_) * (row_size_ + kRowPadding)};
      float* const outputs[2] = {output_ + next_ * out_row_size_, output_ + last * out_row_size_};
      for (int64_t y = next_; y <= last; ++y) Combine(ring, y, combined[y - next_]);
      loops_.resize_rows(combined, AxisOf(*horizontal_), static_cast<int>(in_.channels), outputs);
      if (gain_ != 1.0f) {
        for (float* value = outputs[0]; value < outputs[1] + out_row_size_; ++value) {
          *value *= gain_;
        }
      }
      next_ = last + 1;
    }
  }
  int64_t first_needed() const override { return next_ < height_ ? Start(next_) : in_.height; }
  int64_t window() const override { return WindowOfPairs(*vertical_); }

 private:
  int64_t Start(int64_t y) const { return vertical_->starts[static_cast<size_t>(y)]; }

  void Combine(const RowRing<Value>& ring, int64_t y, float* combined) {
    const int taps = vertical_->taps;
    for (int t = 0; t < taps; ++t) sources_[static_cast<size_t>(t)] = ring.Row(Start(y) + t);
    CombineRows(loops_, sources_.data(), vertical_->weights.data() + y * taps, taps, row_size_,
                combined);
  }

  const RowLoops& loops_;
  const ImageShape in_;
  const std::shared_ptr<const FloatTable> vertical_, horizontal_;
  const float gain_;
  const int64_t height_, row_size_, out_row_size_;
  float* const output_;
  std::vector<float> combined_;
  std::vector<const Value*> sources_;
  int64_t next_ = 0;  // the output row to compute
};

// Two neighbours of each axis. Consecutive outputs often share the rows blended horizontally.
template <typename Value>
class BlendedResizer final : public RowResizer<Value> {
 public:
  BlendedResizer(const RowLoops& loops, ImageShape in, std::shared_ptr<const BlendTable> vertical,
                 std::shared_ptr<const BlendTable> horizontal, float* output)
      : loops_(loops),
        in_(in),
        vertical_(std::move(vertical)),
        horizontal_(std::move(horizontal)),
        height_(static_cast<int64_t>(vertical_->lower.size())),
        row_size_(in.width * in.channels),
        out_row_size_(static_cast<int64_t>(horizontal_->lower.size()) * in.channels),
        output_(output),
        wide_(static_cast<size_t>(row_size_ + kRowPadding)),
        blended_(static_cast<size_t>(2 * out_row_size_)) {}

  void Advance(const RowRing<Value>& ring, int64_t available) override {
    for (; next_ < height_ && Upper() < available; ++next_) {
      const float* above = Blended(ring, Lower());
      const float* below = Blended(ring, Upper());
      loops_.blend(above, below, vertical_->fractions[static_cast<size_t>(next_)], out_row_size_,
                   output_ + next_ * out_row_size_);
    }
  }
  int64_t first_needed() const override { return next_ < height_ ? Lower() : in_.height; }
  int64_t window() const override { return 2; }

 private:
  int32_t Lower() const { return vertical_->lower[static_cast<size_t>(next_)]; }
  int32_t Upper() const { return vertical_->upper[static_cast<size_t>(next_)]; }

  // The upper row is the lower one or follows it, so two that are needed together have two places.
  const float* Blended(const RowRing<Value>& ring, int32_t y) {
    float* blended = blended_.data() + y % 2 * out_row_size_;
    if (held_[y % 2] == y) return blended;
    const AxisBlend axis = {horizontal_->lower.data(), horizontal_->upper.data(),
                            horizontal_->fractions.data(),
                            static_cast<int64_t>(horizontal_->lower.size())};
    loops_.blend_row(Widened(ring.Row(y)), axis, static_cast<int>(in_.channels), blended);
    held_[y % 2] = y;
    return blended;
  }

  const float* Widened(const uint8_t* row) {
    loops_.widen(row, row_size_, wide_.data());
    return wide_.data();
  }
  const float* Widened(const float* row) {
    std::memcpy(wide_.data(), row, BytesOf<float>(row_size_));
    return wide_.data();
  }

  const RowLoops& loops_;
  const ImageShape in_;
  const std::shared_ptr<const BlendTable> vertical_, horizontal_;
  const int64_t height_, row_size_, out_row_size_;
  float* const output_;
  std::vector<float> wide_;
  std::vector<float> blended_;
  int32_t held_[2] = {-1, -1};  // the input rows in blended_
  int64_t next_ = 0;            // the output row to compute
};

class NearestResizer final : public RowResizer<uint8_t> {
 public:
  NearestResizer(ImageShape in, int64_t out_height, int64_t out_width, uint8_t* output)
      : in_(in),
        ys_(NearestPositions(in.height, out_height)),
        xs_(NearestPositions(in.width, out_width)),
        output_(output) {}

  void Advance(const RowRing<uint8_t>& ring, int64_t available) override {
    const size_t pixel = static_cast<size_t>(in_.channels);
    for (; next_ < ys_.size() && ys_[next_] < available; ++next_) {
      const uint8_t* row = ring.Row(ys_[next_]);
      for (int32_t x : xs_) {
        std::memcpy(output_, row + x * in_.channels, pixel);
        output_ += pixel;
      }
    }
  }
  int64_t first_needed() const override { return next_ < ys_.size() ? ys_[next_] : in_.height; }
  int64_t window() const override { return 1; }

 private:
  const ImageShape in_;
  const std::vector<int32_t> ys_, xs_;
  uint8_t* output_;
  size_t next_ = 0;  // the output row to compute
};

// The row, or a copy of it that is padded.
const uint8_t* Padded(const RowRing<uint8_t>& ring, int64_t y, int64_t row_size, uint8_t* copy) {
  const uint8_t* row = ring.Row(y);
  if (ring.end - row >= row_size + kRowPadding) return row;
  std::memcpy(copy, row, BytesOf<uint8_t>(row_size));
  return copy;
}

// A null table: that axis keeps its size, and Pillow leaves out its pass.
class PillowHorizontalFirst final : public RowResizer<uint8_t> {
 public:
  PillowHorizontalFirst(const RowLoops& loops, ImageShape in,
                        std::shared_ptr<const PillowTable> vertical,
                        std::shared_ptr<const PillowTable> horizontal, uint8_t* output)
      : loops_(loops),
        in_(in),
        vertical_(std::move(vertical)),
        horizontal_(std::move(horizontal)),
        taps_(vertical_ == nullptr ? 1 : vertical_->taps),
        height_(vertical_ == nullptr ? in.height : static_cast<int64_t>(vertical_->starts.size())),
        row_size_(in.width * in.channels),
        out_row_size_(
            (horizontal_ == nullptr ? in.width : static_cast<int64_t>(horizontal_->starts.size())) *
            in.channels),
        output_(output),
        sources_(static_cast<size_t>(taps_)) {
    if (horizontal_ == nullptr) return;
    copies_.resize(static_cast<size_t>(kPillowRows * (row_size_ + kRowPadding)));
    if (vertical_ != nullptr) resized_.resize(static_cast<size_t>(Ring() * out_row_size_));
  }

  void Advance(const RowRing<uint8_t>& ring, int64_t available) override {
    for (; next_ < height_ && Start() + taps_ <= available; ++next_) {
      if (horizontal_ != nullptr) ResizeRows(ring, available);
      Combine(ring, output_ + next_ * out_row_size_);
    }
  }
  int64_t first_needed() const override {
    if (next_ == height_) return in_.height;
    return horizontal_ == nullptr ? Start() : std::max(Start(), first_row_);
  }
  int64_t window() const override { return taps_; }

 private:
  int64_t Start() const {
    return vertical_ == nullptr ? next_ : vertical_->starts[static_cast<size_t>(next_)];
  }

  int64_t Ring() const { return taps_ + kPillowRows - 1; }

  // Where input row y goes when it is resized: straight to the output if nothing follows.
  uint8_t* Resized(int64_t y) {
    if (vertical_ == nullptr) return output_ + y * out_row_size_;
    return resized_.data() + y % Ring() * out_row_size_;
  }

  // Resizes what the next output needs, and up to three rows more.
  void ResizeRows(const RowRing<uint8_t>& ring, int64_t available) {
    const int64_t end = Start() + taps_;
    first_row_ = std::max(first_row_, Start());  // others fell between two outputs
    while (first_row_ < end) {
      const uint8_t* rows[kPillowRows];
      uint8_t* outputs[kPillowRows];
      for (int64_t i = 0; i < kPillowRows; ++i) {
        const int64_t y = std::min(first_row_ + i, available - 1);
        rows[i] = Padded(ring, y, row_size_, copies_.data() + i * (row_size_ + kRowPadding));
        outputs[i] = Resized(y);
      }
      loops_.pillow_rows(rows, PillowAxisOf(*horizontal_), static_cast<int>(in_.channels), outputs);
      first_row_ = std::min(first_row_ + kPillowRows, available);
    }
  }

  void Combine(const RowRing<uint8_t>& ring, uint8_t* output) {
    if (vertical_ == nullptr) {
      if (horizontal_ != nullptr) return;
      std::memcpy(output, ring.Row(next_), BytesOf<uint8_t>(out_row_size_));
      return;
    }
    for (int t = 0; t < taps_; ++t) {
      const int64_t y = Start() + t;
      sources_[static_cast<size_t>(t)] = horizontal_ == nullptr ? ring.Row(y) : Resized(y);
    }
    loops_.pillow_combine(sources_.data(), vertical_->weights.data() + next_ * taps_, taps_,
                          out_row_size_, output);
  }

  const RowLoops& loops_;
  const ImageShape in_;
  const std::shared_ptr<const PillowTable> vertical_, horizontal_;
  const int taps_;
  const int64_t height_, row_size_, out_row_size_;
  uint8_t* const output_;
  std::vector<uint8_t> copies_;
  std::vector<uint8_t> resized_;  // a ring of Ring() rows
  std::vector<const uint8_t*> sources_;
  int64_t first_row_ = 0;  // the first input row not resized yet
  int64_t next_ = 0;       // the output row to compute
};

class PillowVerticalFirst final : public RowResizer<uint8_t> {
 public:
  PillowVerticalFirst(const RowLoops& loops, ImageShape in,
                      std::shared_ptr<const PillowTable> vertical,
                      std::shared_ptr<const PillowTable> horizontal, uint8_t* output)
      : loops_(loops),
        in_(in),
        vertical_(std::move(vertical)),
        horizontal_(std::move(horizontal)),
        height_(static_cast<int64_t>(vertical_->starts.size())),
        row_size_(in.width * in.channels),
        out_row_size_(static_cast<int64_t>(horizontal_->starts.size()) * in.channels),
        output_(output),
        combined_(static_cast<size_t>(2 * (row_size_ + kRowPadding))),
        sources_(static_cast<size_t>(vertical_->taps)) {}

  void Advance(const RowRing<uint8_t>& ring, int64_t available) override {
    const int taps = vertical_->taps;
    while (next_ < height_) {
      const int64_t last = std::min(next_ + 1, height_ - 1);
      if (Start(last) + taps > available) return;
      uint8_t* const combined[2] = {combined_.data(),
                                    combined_.data() + (last - next_) * (row_size_ + kRowPadding)};
      for (int64_t y = next_; y <= last; ++y) {
        for (int t = 0; t < taps; ++t) sources_[static_cast<size_t>(t)] = ring.Row(Start(y) + t);
        loops_.pillow_combine(sources_.data(), vertical_->weights.data() + y * taps, taps,
                              row_size_, combined[y - next_]);
      }
      const uint8_t* const rows[kPillowRows] = {combined[0], combined[1], combined[1], combined[1]};
      uint8_t* const second = output_ + last * out_row_size_;
      uint8_t* const outputs[kPillowRows] = {output_ + next_ * out_row_size_, second, second,
                                             second};
      loops_.pillow_rows(rows, PillowAxisOf(*horizontal_), static_cast<int>(in_.channels), outputs);
      next_ = last + 1;
    }
  }
  int64_t first_needed() const override { return next_ < height_ ? Start(next_) : in_.height; }
  int64_t window() const override { return WindowOfPairs(*vertical_); }

 private:
  int64_t Start(int64_t y) const { return vertical_->starts[static_cast<size_t>(y)]; }

  const RowLoops& loops_;
  const ImageShape in_;
  const std::shared_ptr<const PillowTable> vertical_, horizontal_;
  const int64_t height_, row_size_, out_row_size_;
  uint8_t* const output_;
  std::vector<uint8_t> combined_;
  std::vector<const uint8_t*> sources_;
  int64_t next_ = 0;  // the output row to compute
};

}  // namespace

template <typename Value>
std::unique_ptr<RowResizer<Value>> NewFloatResizer(ImageShape in, ImageArea area,
                                                   int64_t out_height, int64_t out_width,
                                                   ResizeMethod method, bool antialias,
                                                   ResizeCode code, float* output) {
  const RowLoops& loops = RowLoopsOf(code);
  if (method == ResizeMethod::kBilinear && !antialias) {
    return std::make_unique<BlendedResizer<Value>>(loops, in, BlendWeights(in.height, out_height),
                                                   BlendWeights(in.width, out_width), output);
  }
  float gain = 1.0f;
  if (method == ResizeMethod::kArea) {
    // Whole pixels have weight 1 and sums of bytes stay exact; one division at the end.
    antialias = false;
    const float height_scale = static_cast<float>(in.height) / static_cast<float>(out_height);
    const float width_scale = static_cast<float>(in.width) / static_cast<float>(out_width);
    gain = static_cast<float>(1.0 / (height_scale * width_scale));
  }
  return std::make_unique<WeightedResizer<Value>>(
      loops, in, FloatWeights({in.height, area.top, area.bottom}, out_height, method, antialias),
      FloatWeights({in.width, area.left, area.right}, out_width, method, antialias), gain, output);
}

template std::unique_ptr<RowResizer<uint8_t>> NewFloatResizer(ImageShape, ImageArea, int64_t,
                                                              int64_t, ResizeMethod, bool,
                                                              ResizeCode, float*);
template std::unique_ptr<RowResizer<float>> NewFloatResizer(ImageShape, ImageArea, int64_t, int64_t,
                                                            ResizeMethod, bool, ResizeCode, float*);

std::unique_ptr<RowResizer<uint8_t>> NewNearestResizer(ImageShape in, int64_t out_height,
                                                       int64_t out_width, uint8_t* output) {
  return std::make_unique<NearestResizer>(in, out_height, out_width, output);
}

std::unique_ptr<RowResizer<uint8_t>> NewPillowResizer(ImageShape in, ImageArea area,
                                                      int64_t out_height, int64_t out_width,
                                                      PillowFilter filter, PillowPasses passes,
                                                      ResizeCode code, uint8_t* output) {
  const RowLoops& loops = RowLoopsOf(code);
  std::shared_ptr<const PillowTable> horizontal, vertical;
  const AxisSpan width = {in.width, area.left, area.right};
  const AxisSpan height = {in.height, area.top, area.bottom};
  if (out_width != in.width || !width.is_whole()) {
    horizontal = PillowWeights(width, out_width, filter);
  }
  if (out_height != in.height || !height.is_whole()) {
    vertical = PillowWeights(height, out_height, filter);
  }
  const int64_t shrinks = in.height - out_height;
  const bool vertical_first =
      passes == PillowPasses::kPillow13 && shrinks > 0 && shrinks > 2 * (in.width - out_width);
  if (vertical_first && horizontal != nullptr) {
    return std::make_unique<PillowVerticalFirst>(loops, in, std::move(vertical),
                                                 std::move(horizontal), output);
  }
  return std::make_unique<PillowHorizontalFirst>(loops, in, std::move(vertical),
                                                 std::move(horizontal), output);
}

Status CheckResizeSizes(ImageShape in, int64_t out_height, int64_t out_width) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  for (int64_t size : {in.height, in.width, in.channels, out_height, out_width}) {
    if (size > 0 && size <= kMax) continue;
    return InvalidArgument(StrCat("cannot resize ", in.height, " x ", in.width, " x ", in.channels,
                                  " to ", out_height, " x ", out_width,
                                  ": sizes must be from 1 to ", kMax));
  }
  return Status::Ok();
}

}  // namespace fastpipe
