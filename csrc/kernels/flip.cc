// flip_image(images): images mirrored. Attributes: transposed, which swaps rows and columns first;
// then flip_rows (upside down) and flip_columns (left to right).
// random_flip_image(images, seed): flip_rows, or flip_columns, for each image with a chance of one
// half; equal to TensorFlow's.
// rotate_image(images): turned counter-clockwise by `quarter_turns` times 90 degrees, an
// IntegersArgument of one.

#include "kernels/flip.h"

#include <algorithm>
#include <cstring>

#include "core/registry.h"
#include "kernels/image_batch.h"
#include "kernels/integers_argument.h"
#include "kernels/seed_argument.h"

namespace fastpipe {
namespace {

using CopyPixels = void (*)(const uint8_t* from, int64_t step, int64_t count, size_t pixel,
                            uint8_t* to);

// Copies pixels of `pixel` bytes that lie `step` bytes apart; kPixel is their size if it is one of
// the usual ones, for which the copy is a few instructions.
template <size_t kPixel>
void CopyApart(const uint8_t* from, int64_t step, int64_t count, size_t pixel, uint8_t* to) {
  const size_t size = kPixel == 0 ? pixel : kPixel;
  for (int64_t i = 0; i < count; ++i, from += step, to += size) std::memcpy(to, from, size);
}

// Pixels of 12 bytes, 16 at a time: what is too much is overwritten by the next pixel. The last
// two, before and behind which other memory may end, are copied exactly.
void CopyTriples(const uint8_t* from, int64_t step, int64_t count, size_t pixel, uint8_t* to) {
  const int64_t most = step < 0 ? std::max<int64_t>(count - 1, 0) : 0;
  int64_t done = 0;
  if (most > 0) {  // the rightmost pixel has nothing behind it
    std::memcpy(to, from, pixel);
    done = 1;
  }
  for (; done < most; ++done) std::memcpy(to + done * 12, from + done * step, 16);
  CopyApart<12>(from + done * step, step, count - done, pixel, to + done * 12);
}

CopyPixels CopyOf(size_t pixel) {
  switch (pixel) {
    case 1:
      return CopyApart<1>;
    case 3:
      return CopyApart<3>;
    case 4:
      return CopyApart<4>;
    case 12:
      return CopyTriples;
    default:
      return CopyApart<0>;
  }
}

void OrientImage(const uint8_t* from, const ImageBatch& in, Orientation how, size_t pixel,
                 uint8_t* to) {
  const auto size = static_cast<int64_t>(pixel);
  // Steps in the input for a row and for a column of the result.
  int64_t row_step = in.width * size, column_step = size;
  int64_t rows = in.height, columns = in.width;
  if (how.transposed) {
    std::swap(row_step, column_step);
    std::swap(rows, columns);
  }
  if (how.flip_rows) {
    from += (rows - 1) * row_step;
    row_step = -row_step;
  }
  if (how.flip_columns) {
    from += (columns - 1) * column_step;
    column_step = -column_step;
  }
  const CopyPixels copy = CopyOf(pixel);
  for (int64_t y = 0; y < rows; ++y, from += row_step, to += columns * size) {
    if (column_step == size) {
      std::memcpy(to, from, static_cast<size_t>(columns * size));
    } else {
      copy(from, column_step, columns, pixel, to);
    }
  }
}

// Each image the way that how_of(number) says: either all are transposed or none.
template <typename HowOf>
void OrientEach(const Tensor& images, const ImageBatch& in, bool transposed, HowOf how_of,
                Output* output) {
  const auto [rows, columns] =
      transposed ? std::pair(in.width, in.height) : std::pair(in.height, in.width);
  uint8_t* to = output->Allocate(images.dtype(), in.Resized(rows, columns));
  if (images.num_elements() == 0) return;
  const size_t pixel = static_cast<size_t>(in.channels) * DTypeSize(images.dtype());
  const size_t image = static_cast<size_t>(in.height * in.width) * pixel;
  for (int64_t i = 0; i < in.count; ++i, to += image) {
    OrientImage(images.raw() + static_cast<size_t>(i) * image, in, how_of(i), pixel, to);
  }
}

Status Orient(const Args& attrs, Orientation how, const Tensor& images, Output* output) {
  FASTPIPE_ASSIGN(const ImageBatch in, ImageBatchOf(attrs, images));
  FASTPIPE_RETURN_IF_ERROR(ExpectNotEmpty(attrs, images.dims()));
  OrientEach(images, in, how.transposed, [how](int64_t) { return how; }, output);
  return Status::Ok();
}

class FlipImageKernel final : public FlipKernel {
 public:
  FlipImageKernel(Args attrs, Orientation how) : attrs_(std::move(attrs)), how_(how) {}
  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    return Orient(attrs_, how_, *in[0], &out[0]);
  }
  Result<Orientation> HowOne(Inputs) const override { return how_; }

 private:
  const Args attrs_;
  const Orientation how_;
};

Result<KernelPlan> PlanFlipImage(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectImages(attrs, inputs));
  Orientation how;
  FASTPIPE_ASSIGN(how.transposed, attrs.BoolOr("transposed", false));
  FASTPIPE_ASSIGN(how.flip_rows, attrs.BoolOr("flip_rows", false));
  FASTPIPE_ASSIGN(how.flip_columns, attrs.BoolOr("flip_columns", false));
  TensorSpec spec = inputs[0];
  if (spec.known_rank) FASTPIPE_RETURN_IF_ERROR(ExpectNotEmpty(attrs, spec.dims));
  if (how.transposed && spec.known_rank) {
    const ImageBatch in = ImageBatchOf(spec);
    spec = ResizedSpec(spec, spec.dtype, in.width, in.height);
  }
  return KernelPlan{{std::move(spec)}, std::make_shared<const FlipImageKernel>(attrs, how)};
}

// A single image is flipped by a number below one half, those of a batch by numbers above it.
Result<Orientation> OneAtRandom(const Args& attrs, Orientation how, Inputs inputs) {
  FASTPIPE_ASSIGN(const Philox blocks, PhiloxOf(attrs, *inputs[1]));
  PhiloxNumbers random(blocks);
  return random.NextFloat() < 0.5f ? how : Orientation{};
}

Status FlipAtRandom(const Args& attrs, Orientation how, Inputs inputs, Output* output) {
  const Tensor& images = *inputs[0];
  FASTPIPE_ASSIGN(const ImageBatch in, ImageBatchOf(attrs, images));
  FASTPIPE_RETURN_IF_ERROR(ExpectNotEmpty(attrs, images.dims()));
  if (in.batched) {
    FASTPIPE_ASSIGN(const Philox blocks, PhiloxOf(attrs, *inputs[1]));
    PhiloxNumbers random(blocks);
    const auto how_of = [&](int64_t) { return random.NextFloat() > 0.5f ? how : Orientation{}; };
    OrientEach(images, in, false, how_of, output);
    return Status::Ok();
  }
  FASTPIPE_ASSIGN(const Orientation one, OneAtRandom(attrs, how, inputs));
  if (one.AsItIs()) {
    output->Set(images);
  } else {
    OrientEach(images, in, false, [one](int64_t) { return one; }, output);
  }
  return Status::Ok();
}

class RandomFlipKernel final : public FlipKernel {
 public:
  RandomFlipKernel(Args attrs, Orientation how) : attrs_(std::move(attrs)), how_(how) {}
  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    return FlipAtRandom(attrs_, how_, in, &out[0]);
  }
  Result<Orientation> HowOne(Inputs in) const override { return OneAtRandom(attrs_, how_, in); }

 private:
  const Args attrs_;
  const Orientation how_;
};

Result<KernelPlan> PlanRandomFlipImage(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectImages(attrs, inputs));
  FASTPIPE_RETURN_IF_ERROR(ExpectSeed(attrs, inputs, 1));
  if (inputs[0].known_rank) FASTPIPE_RETURN_IF_ERROR(ExpectNotEmpty(attrs, inputs[0].dims));
  Orientation how;
  FASTPIPE_ASSIGN(how.flip_rows, attrs.BoolOr("flip_rows", false));
  FASTPIPE_ASSIGN(how.flip_columns, attrs.BoolOr("flip_columns", false));
  return KernelPlan{{inputs[0]}, std::make_shared<const RandomFlipKernel>(attrs, how)};
}

Status Rotate(const Args& attrs, const std::vector<int64_t>& turns, const Tensor& images,
              Output* output) {
  constexpr Orientation kByTurns[4] = {
      {}, {true, true, false}, {false, true, true}, {true, false, true}};
  if (turns.size() != 1) {
    return attrs.Error(StrCat("quarter_turns must be one integer, got ", turns.size()));
  }
  const int64_t quarter = ((turns[0] % 4) + 4) % 4;
  if (quarter == 0) {
    FASTPIPE_RETURN_IF_ERROR(ImageBatchOf(attrs, images).status());
    output->Set(images);
    return ExpectNotEmpty(attrs, images.dims());
  }
  return Orient(attrs, kByTurns[quarter], images, output);
}

Result<KernelPlan> PlanRotateImage(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectImages(attrs, inputs));
  size_t next = 1;
  FASTPIPE_ASSIGN(const IntegersArgument turns,
                  IntegersArgument::Read(attrs, "quarter_turns", inputs, &next));
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, next));
  TensorSpec spec = inputs[0];
  if (spec.known_rank) {
    FASTPIPE_RETURN_IF_ERROR(ExpectNotEmpty(attrs, spec.dims));
    const ImageBatch in = ImageBatchOf(spec);
    const bool square = in.height == in.width;
    const int64_t quarters = turns.IsStatic() && turns.size() == 1 ? turns.Known()[0] : 0;
    if (!square && !turns.IsStatic()) {
      spec = ResizedSpec(spec, spec.dtype, -1, -1);
    } else if (quarters % 2 != 0) {
      spec = ResizedSpec(spec, spec.dtype, in.width, in.height);
    }
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, turns](KernelContext*, Inputs in, Outputs out) {
                      return Rotate(attrs, turns.Get(in), *in[0], &out[0]);
                    })};
}

}  // namespace

void MirrorRow(const uint8_t* from, int64_t columns, size_t pixel, uint8_t* to) {
  const auto size = static_cast<int64_t>(pixel);
  CopyOf(pixel)(from + (columns - 1) * size, -size, columns, pixel, to);
}

namespace {

FASTPIPE_KERNEL("flip_image", PlanFlipImage);
FASTPIPE_KERNEL("random_flip_image", PlanRandomFlipImage);
FASTPIPE_KERNEL("rotate_image", PlanRotateImage);

}  // namespace
}  // namespace fastpipe
