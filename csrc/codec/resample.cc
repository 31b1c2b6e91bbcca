#include "codec/resample.h"

#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "codec/resample_rows.h"
#include "codec/resample_weights.h"

namespace fastpipe {

namespace {

const RowLoops& LoopsOf(ResizeCode code) {
  const RowLoops* fast = code == ResizeCode::kFastest ? Avx2RowLoops() : nullptr;
  return fast != nullptr ? *fast : ScalarRowLoops();
}

Status CheckSizes(ImageShape in, int64_t out_height, int64_t out_width) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  for (int64_t size : {in.height, in.width, in.channels, out_height, out_width}) {
    if (size > 0 && size <= kMax) continue;
    return InvalidArgument(StrCat("cannot resize ", in.height, " x ", in.width, " x ", in.channels,
                                  " to ", out_height, " x ", out_width,
                                  ": sizes must be from 1 to ", kMax));
  }
  return Status::Ok();
}

template <typename Weight>
AxisWeights<Weight> AxisOf(const WeightTable<Weight>& table) {
  return {table.starts.data(), table.weights.data(), table.taps,
          static_cast<int64_t>(table.starts.size())};
}

// Memory of one thread that is kept for its next image; only rows, so it stays small.
template <typename Value>
Value* Scratch(int64_t count) {
  thread_local std::vector<Value> memory;
  if (memory.size() < static_cast<size_t>(count)) memory.resize(static_cast<size_t>(count));
  return memory.data();
}

void CombineRows(const RowLoops& loops, const uint8_t* const* rows, const float* weights, int taps,
                 int64_t count, float* output) {
  loops.combine_bytes(rows, weights, taps, count, output);
}

void CombineRows(const RowLoops& loops, const float* const* rows, const float* weights, int taps,
                 int64_t count, float* output) {
  loops.combine_floats(rows, weights, taps, count, output);
}

void WidenRow(const RowLoops& loops, const uint8_t* row, int64_t count, float* output) {
  loops.widen(row, count, output);
}

void WidenRow(const RowLoops&, const float* row, int64_t count, float* output) {
  std::memcpy(output, row, static_cast<size_t>(count) * sizeof(float));
}

// Vertically into a row that stays in the cache, then horizontally: TensorFlow's order.
template <typename Value>
void ResizeWeighted(const RowLoops& loops, const Value* input, ImageShape in,
                    const FloatTable& vertical, const FloatTable& horizontal, float gain,
                    float* output) {
  const int64_t row_size = in.width * in.channels;
  const AxisWeights<float> axis = AxisOf(horizontal);
  const int64_t out_row_size = axis.size * in.channels;
  float* row = Scratch<float>(row_size + kRowPadding);
  std::vector<const Value*> rows(static_cast<size_t>(vertical.taps));
  for (size_t y = 0; y < vertical.starts.size(); ++y, output += out_row_size) {
    for (int t = 0; t < vertical.taps; ++t) {
      rows[static_cast<size_t>(t)] = input + (vertical.starts[y] + int64_t{t}) * row_size;
    }
    CombineRows(loops, rows.data(), vertical.weights.data() + y * rows.size(), vertical.taps,
                row_size, row);
    loops.resize_row(row, axis, static_cast<int>(in.channels), output);
    if (gain != 1.0f) {
      for (int64_t i = 0; i < out_row_size; ++i) output[i] *= gain;
    }
  }
}

// Two rows of the input, blended horizontally. Consecutive outputs often share them.
template <typename Value>
class BlendedRows {
 public:
  BlendedRows(const RowLoops& loops, const Value* input, ImageShape in, const BlendTable& table)
      : loops_(loops),
        input_(input),
        in_(in),
        axis_{table.lower.data(), table.upper.data(), table.fractions.data(),
              static_cast<int64_t>(table.lower.size())},
        out_row_size_(axis_.size * in.channels),
        wide_(Scratch<float>(in.width * in.channels + kRowPadding + 2 * out_row_size_)) {}

  // Valid until another row than this and the previous one is asked for.
  const float* Get(int32_t y) {
    for (int slot = 0; slot < 2; ++slot) {
      if (held_[slot] == y) {
        next_ = 1 - slot;
        return Slot(slot);
      }
    }
    const int slot = next_;
    const int64_t row_size = in_.width * in_.channels;
    WidenRow(loops_, input_ + y * row_size, row_size, wide_);
    loops_.blend_row(wide_, axis_, static_cast<int>(in_.channels), Slot(slot));
    held_[slot] = y;
    next_ = 1 - slot;
    return Slot(slot);
  }

  int64_t out_row_size() const { return out_row_size_; }

 private:
  float* Slot(int slot) {
    return wide_ + in_.width * in_.channels + kRowPadding + slot * out_row_size_;
  }

  const RowLoops& loops_;
  const Value* input_;
  const ImageShape in_;
  const AxisBlend axis_;
  const int64_t out_row_size_;
  float* wide_;
  int32_t held_[2] = {-1, -1};
  int next_ = 0;
};

template <typename Value>
void ResizeBlended(const RowLoops& loops, const Value* input, ImageShape in,
                   const BlendTable& vertical, const BlendTable& horizontal, float* output) {
  BlendedRows<Value> rows(loops, input, in, horizontal);
  for (size_t y = 0; y < vertical.lower.size(); ++y, output += rows.out_row_size()) {
    const float* above = rows.Get(vertical.lower[y]);
    const float* below = rows.Get(vertical.upper[y]);
    loops.blend(above, below, vertical.fractions[y], rows.out_row_size(), output);
  }
}

template <typename Value>
void ResizeNearestToFloat(const Value* input, ImageShape in, int64_t out_height, int64_t out_width,
                          float* output) {
  const std::vector<int32_t> ys = NearestPositions(in.height, out_height);
  const std::vector<int32_t> xs = NearestPositions(in.width, out_width);
  for (int32_t y : ys) {
    const Value* row = input + y * in.width * in.channels;
    for (int32_t x : xs) {
      const Value* pixel = row + x * in.channels;
      for (int64_t c = 0; c < in.channels; ++c) *output++ = static_cast<float>(pixel[c]);
    }
  }
}

template <typename Value>
Status Resize(const Value* input, ImageShape in, int64_t out_height, int64_t out_width,
              ResizeMethod method, bool antialias, float* output, ResizeCode code) {
  FASTPIPE_RETURN_IF_ERROR(CheckSizes(in, out_height, out_width));
  const RowLoops& loops = LoopsOf(code);
  if (method == ResizeMethod::kNearest) {
    ResizeNearestToFloat(input, in, out_height, out_width, output);
    return Status::Ok();
  }
  if (method == ResizeMethod::kBilinear && !antialias) {
    ResizeBlended(loops, input, in, *BlendWeights(in.height, out_height),
                  *BlendWeights(in.width, out_width), output);
    return Status::Ok();
  }
  float gain = 1.0f;
  if (method == ResizeMethod::kArea) {
    // Whole pixels have weight 1 and sums of bytes stay exact; one division at the end.
    antialias = false;
    const float height_scale = static_cast<float>(in.height) / static_cast<float>(out_height);
    const float width_scale = static_cast<float>(in.width) / static_cast<float>(out_width);
    gain = static_cast<float>(1.0 / (height_scale * width_scale));
  }
  ResizeWeighted(loops, input, in, *FloatWeights(in.height, out_height, method, antialias),
                 *FloatWeights(in.width, out_width, method, antialias), gain, output);
  return Status::Ok();
}

// Input rows resized horizontally, the last `taps` of them: a ring, since rows are asked for in
// ascending order.
class PillowRows {
 public:
  // `table` null: the width stays.
  PillowRows(const RowLoops& loops, const uint8_t* input, ImageShape in, const PillowTable* table,
             int taps)
      : loops_(loops), input_(input), in_(in), table_(table), taps_(taps) {
    if (table == nullptr) return;
    stride_ = static_cast<int64_t>(table->starts.size()) * in.channels + kRowPadding;
    const int64_t copy = in.width * in.channels + kRowPadding;
    copy_ = Scratch<uint8_t>(copy + taps * stride_);
    ring_ = copy_ + copy;
  }

  // Valid until row y + taps is asked for.
  const uint8_t* Get(int64_t y) {
    const int64_t row_size = in_.width * in_.channels;
    const uint8_t* row = input_ + y * row_size;
    if (table_ == nullptr) return row;
    uint8_t* resized = ring_ + y % taps_ * stride_;
    for (; next_ <= y; ++next_) {
      if (next_ + taps_ <= y) continue;  // fell between two outputs
      const uint8_t* source = input_ + next_ * row_size;
      if (next_ + 1 == in_.height) {
        // The row after it pads every row but the last.
        std::memcpy(copy_, source, static_cast<size_t>(row_size));
        source = copy_;
      }
      loops_.pillow_row(source, AxisOf(*table_), static_cast<int>(in_.channels),
                        ring_ + next_ % taps_ * stride_);
    }
    return resized;
  }

 private:
  const RowLoops& loops_;
  const uint8_t* input_;
  const ImageShape in_;
  const PillowTable* table_;
  const int taps_;
  int64_t stride_ = 0;
  int64_t next_ = 0;  // the first row not resized yet
  uint8_t* copy_ = nullptr;
  uint8_t* ring_ = nullptr;
};

// A null table: that axis keeps its size.
void PillowHorizontalFirst(const RowLoops& loops, const uint8_t* input, ImageShape in,
                           const PillowTable* vertical, const PillowTable* horizontal,
                           uint8_t* output) {
  const int64_t out_width =
      horizontal == nullptr ? in.width : static_cast<int64_t>(horizontal->starts.size());
  const int64_t row_size = out_width * in.channels;
  const int taps = vertical == nullptr ? 1 : vertical->taps;
  PillowRows rows(loops, input, in, horizontal, taps);
  if (vertical == nullptr) {
    for (int64_t y = 0; y < in.height; ++y, output += row_size) {
      std::memcpy(output, rows.Get(y), static_cast<size_t>(row_size));
    }
    return;
  }
  std::vector<const uint8_t*> sources(static_cast<size_t>(taps));
  for (size_t y = 0; y < vertical->starts.size(); ++y, output += row_size) {
    for (int t = 0; t < taps; ++t)
      sources[static_cast<size_t>(t)] = rows.Get(vertical->starts[y] + t);
    loops.pillow_combine(sources.data(), vertical->weights.data() + y * sources.size(), taps,
                         row_size, output);
  }
}

void PillowVerticalFirst(const RowLoops& loops, const uint8_t* input, ImageShape in,
                         const PillowTable& vertical, const PillowTable& horizontal,
                         uint8_t* output) {
  const int64_t in_row_size = in.width * in.channels;
  const int64_t row_size = static_cast<int64_t>(horizontal.starts.size()) * in.channels;
  uint8_t* combined = Scratch<uint8_t>(in_row_size + row_size + 2 * kRowPadding);
  uint8_t* resized = combined + in_row_size + kRowPadding;
  std::vector<const uint8_t*> sources(static_cast<size_t>(vertical.taps));
  for (size_t y = 0; y < vertical.starts.size(); ++y, output += row_size) {
    for (int t = 0; t < vertical.taps; ++t) {
      sources[static_cast<size_t>(t)] = input + (vertical.starts[y] + int64_t{t}) * in_row_size;
    }
    loops.pillow_combine(sources.data(), vertical.weights.data() + y * sources.size(),
                         vertical.taps, in_row_size, combined);
    loops.pillow_row(combined, AxisOf(horizontal), static_cast<int>(in.channels), resized);
    std::memcpy(output, resized, static_cast<size_t>(row_size));
  }
}

}  // namespace

Status ResizeToFloat(const uint8_t* input, ImageShape in, int64_t out_height, int64_t out_width,
                     ResizeMethod method, bool antialias, float* output, ResizeCode code) {
  return Resize(input, in, out_height, out_width, method, antialias, output, code);
}

Status ResizeToFloat(const float* input, ImageShape in, int64_t out_height, int64_t out_width,
                     ResizeMethod method, bool antialias, float* output, ResizeCode code) {
  return Resize(input, in, out_height, out_width, method, antialias, output, code);
}

Status ResizeNearest(const void* input, int64_t height, int64_t width, int64_t out_height,
                     int64_t out_width, int64_t pixel_bytes, void* output) {
  FASTPIPE_RETURN_IF_ERROR(CheckSizes({height, width, pixel_bytes}, out_height, out_width));
  const std::vector<int32_t> ys = NearestPositions(height, out_height);
  const std::vector<int32_t> xs = NearestPositions(width, out_width);
  const size_t size = static_cast<size_t>(pixel_bytes);
  const auto* from = static_cast<const uint8_t*>(input);
  auto* to = static_cast<uint8_t*>(output);
  for (int32_t y : ys) {
    const uint8_t* row = from + y * width * pixel_bytes;
    for (int32_t x : xs) {
      std::memcpy(to, row + x * pixel_bytes, size);
      to += size;
    }
  }
  return Status::Ok();
}

Status ResizeLikePillow(const uint8_t* input, ImageShape in, int64_t out_height, int64_t out_width,
                        PillowFilter filter, uint8_t* output, PillowPasses passes,
                        ResizeCode code) {
  FASTPIPE_RETURN_IF_ERROR(CheckSizes(in, out_height, out_width));
  const RowLoops& loops = LoopsOf(code);
  // Pillow leaves out the pass of an axis that keeps its size.
  std::shared_ptr<const PillowTable> horizontal, vertical;
  if (out_width != in.width) horizontal = PillowWeights(in.width, out_width, filter);
  if (out_height != in.height) vertical = PillowWeights(in.height, out_height, filter);
  const int64_t shrinks = in.height - out_height;
  const bool vertical_first =
      passes == PillowPasses::kPillow13 && shrinks > 0 && shrinks > 2 * (in.width - out_width);
  if (vertical_first && horizontal != nullptr) {
    PillowVerticalFirst(loops, input, in, *vertical, *horizontal, output);
  } else {
    PillowHorizontalFirst(loops, input, in, vertical.get(), horizontal.get(), output);
  }
  return Status::Ok();
}

}  // namespace fastpipe
