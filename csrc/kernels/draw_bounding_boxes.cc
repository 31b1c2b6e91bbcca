// draw_bounding_boxes(images, boxes, colors): images with the outlines of boxes.
//
// images [batch, height, width, 1, 3 or 4 channels], floats; boxes [batch, count, 4], float32: y1,
// x1, y2, x2, where 0 is the first row or column and 1 the last one; colors [count, channels],
// float32, in turn for the boxes of an image, or a palette of ten if there are none.

#include <algorithm>
#include <cmath>

#include "core/registry.h"
#include "kernels/convert.h"
#include "kernels/image_batch.h"

namespace fastpipe {
namespace {

constexpr int64_t kDepth = 4;
// Yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia.
constexpr float kPalette[][kDepth] = {
    {1, 1, 0, 1},       {0, 0, 1, 1},    {1, 0, 0, 1},    {0, 1, 0, 1}, {0.5f, 0, 0.5f, 1},
    {0.5f, 0.5f, 0, 1}, {0.5f, 0, 0, 1}, {0, 0, 0.5f, 1}, {0, 1, 1, 1}, {1, 0, 1, 1},
};

// The first and the last row, or column, of a box along an axis of `size` pixels.
struct Extent {
  int64_t first = 0, last = 0;
  int64_t size = 0;

  // Empty, or beside the image.
  bool hidden() const { return first > last || first >= size || last < 0; }
  int64_t first_inside() const { return std::max<int64_t>(first, 0); }
  int64_t last_inside() const { return std::min(last, size - 1); }
};

Extent ExtentOf(float from, float to, int64_t size) {
  const auto place = [size](float share) {
    return Convert<int64_t>(share * static_cast<float>(size - 1));
  };
  return {place(from), place(to), size};
}

using Draw = void (*)(void* image, const ImageBatch& in, const Extent& rows, const Extent& columns,
                      const float* color);

template <typename T>
void DrawBox(void* image, const ImageBatch& in, const Extent& rows, const Extent& columns,
             const float* color) {
  T* pixels = static_cast<T*>(image);
  const auto paint = [&](int64_t y, int64_t x) {
    T* pixel = pixels + (y * in.width + x) * in.channels;
    for (int64_t c = 0; c < in.channels; ++c) pixel[c] = Convert<T>(color[c]);
  };
  for (const int64_t y : {rows.first, rows.last}) {
    if (y < 0 || y >= rows.size) continue;
    for (int64_t x = columns.first_inside(); x <= columns.last_inside(); ++x) paint(y, x);
  }
  for (const int64_t x : {columns.first, columns.last}) {
    if (x < 0 || x >= columns.size) continue;
    for (int64_t y = rows.first_inside(); y <= rows.last_inside(); ++y) paint(y, x);
  }
}

constexpr auto kDraws = TableOf<FloatTypes>([]<typename T>() -> Draw { return DrawBox<T>; });

std::vector<float> Palette(int64_t channels) {
  std::vector<float> colors;
  for (const auto& color : kPalette) colors.insert(colors.end(), color, color + kDepth);
  for (size_t i = 0; channels == 1 && i < colors.size(); i += kDepth) colors[i] = 1;
  return colors;
}

bool Fits(int64_t size, int64_t expected) { return size < 0 || expected < 0 || size == expected; }

Status CheckShapes(const Args& attrs, Specs in) {
  const TensorSpec &images = in[0], &boxes = in[1], &colors = in[2];
  const int64_t channels = images.known_rank && images.rank() == 4 ? images.dims[3] : -1;
  if (images.known_rank &&
      (images.rank() != 4 || channels == 0 || channels == 2 || channels > kDepth)) {
    return attrs.Error(StrCat("images must be [batch, height, width, 1, 3 or 4 channels], got ",
                              images.ToString()));
  }
  if (boxes.known_rank && (boxes.rank() != 3 || !Fits(boxes.dims[2], 4) ||
                           (images.known_rank && !Fits(boxes.dims[0], images.dims[0])))) {
    return attrs.Error(StrCat("boxes must be [batch, count, 4] for images ", images.ToString(),
                              ", got ", boxes.ToString()));
  }
  if (!colors.known_rank) return Status::Ok();
  if (colors.rank() == 2 && (colors.dims[1] < 0 || colors.dims[1] >= channels)) {
    return Status::Ok();
  }
  return attrs.Error(StrCat("colors must be [count, channels] for images ", images.ToString(),
                            ", got ", colors.ToString()));
}

Status Run(const Args& attrs, Draw draw, Inputs inputs, Output* output) {
  const Tensor &images = *inputs[0], &boxes = *inputs[1], &colors = *inputs[2];
  const TensorSpec specs[] = {TensorSpec::Of(images), TensorSpec::Of(boxes),
                              TensorSpec::Of(colors)};
  FASTPIPE_RETURN_IF_ERROR(CheckShapes(attrs, specs));
  FASTPIPE_ASSIGN(const ImageBatch in, ImageBatchOf(attrs, images));
  uint8_t* to = output->Allocate(images.dtype(), images.dims());
  if (images.num_elements() == 0) return Status::Ok();
  std::copy_n(images.raw(), images.num_bytes(), to);
  const bool given = colors.dim(0) > 0;
  const std::vector<float> palette = given ? std::vector<float>() : Palette(in.channels);
  const float* table = given ? colors.data<float>() : palette.data();
  const int64_t depth = given ? colors.dim(1) : kDepth;
  const int64_t shades = given ? colors.dim(0) : static_cast<int64_t>(palette.size()) / depth;
  const size_t size = images.num_bytes() / static_cast<size_t>(in.count);
  const float* box = boxes.data<float>();
  for (int64_t i = 0; i < in.count; ++i, to += size) {
    for (int64_t b = 0; b < boxes.dim(1); ++b, box += 4) {
      const Extent rows = ExtentOf(box[0], box[2], in.height);
      const Extent columns = ExtentOf(box[1], box[3], in.width);
      if (rows.hidden() || columns.hidden()) continue;
      draw(to, in, rows, columns, table + b % shades * depth);
    }
  }
  return Status::Ok();
}

Result<KernelPlan> PlanDrawBoundingBoxes(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 3));
  FASTPIPE_ASSIGN(const Draw draw, FindOrError(kDraws, attrs, inputs, 0));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 1, DType::kFloat32));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 2, DType::kFloat32));
  FASTPIPE_RETURN_IF_ERROR(CheckShapes(attrs, inputs));
  return KernelPlan{{inputs[0]}, KernelFrom([attrs, draw](KernelContext*, Inputs in, Outputs out) {
                      return Run(attrs, draw, in, &out[0]);
                    })};
}

FASTPIPE_KERNEL("draw_bounding_boxes", PlanDrawBoundingBoxes);

}  // namespace
}  // namespace fastpipe
