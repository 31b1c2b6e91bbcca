// extract_patches(images): patches of images, as a convolution would see them, each flattened into
// the channels of the result.
//
// images [batch, height, width, channels] of any fixed-size dtype. Attributes, each two integers
// for rows and columns: sizes of a patch, strides from one patch to the next, rates from one pixel
// of a patch to the next; and padding: "VALID" for patches within the image only, or "SAME" for one
// patch a stride, with zeros around the image.

#include <algorithm>
#include <cstring>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/choice.h"
#include "kernels/image_batch.h"

namespace fastpipe {
namespace {

enum class Padding { kValid, kSame };
constexpr Choice<Padding> kPaddings[] = {{"VALID", Padding::kValid}, {"SAME", Padding::kSame}};

// The patches along one axis.
struct Axis {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t rate = 1;
  int64_t count = -1;  // of patches; -1: not known yet
  int64_t before = 0;  // where the first patch starts, rows of padding before the image

  int64_t span() const { return (size - 1) * rate + 1; }
  // Where pixel `step` of patch `index` lies in the image, or beside it.
  int64_t At(int64_t index, int64_t step) const { return index * stride + step * rate - before; }
};

struct PatchPlan {
  Args attrs;
  Axis rows, columns;
  Padding padding = Padding::kValid;
};

Result<Axis> Placed(const PatchPlan& plan, Axis axis, int64_t size) {
  if (size < 0) return axis;
  if (plan.padding == Padding::kSame) {
    axis.count = (size + axis.stride - 1) / axis.stride;
    axis.before = std::max<int64_t>(0, (axis.count - 1) * axis.stride + axis.span() - size) / 2;
    return axis;
  }
  const int64_t count = (size - axis.span() + axis.stride) / axis.stride;
  if (count < 0) {
    return plan.attrs.Error(
        StrCat("a patch of ", axis.span(), " pixels does not fit into an image of ", size));
  }
  axis.count = count;
  return axis;
}

Status CheckImages(const Args& attrs, DType dtype, Dims dims) {
  if (dims.size() == 4) return Status::Ok();
  return attrs.Error(StrCat("takes a batch of images [batch, height, width, channels], got ",
                            DTypeName(dtype), " ", ShapeString(dims)));
}

void CopyPatches(const uint8_t* image, const ImageBatch& in, const Axis& rows, const Axis& columns,
                 size_t pixel, uint8_t** to) {
  for (int64_t y = 0; y < rows.count; ++y) {
    for (int64_t x = 0; x < columns.count; ++x) {
      for (int64_t i = 0; i < rows.size; ++i) {
        const int64_t row = rows.At(y, i);
        for (int64_t j = 0; j < columns.size; ++j, *to += pixel) {
          const int64_t column = columns.At(x, j);
          if (row < 0 || row >= in.height || column < 0 || column >= in.width) {
            std::memset(*to, 0, pixel);
          } else {
            std::memcpy(*to, image + static_cast<size_t>(row * in.width + column) * pixel, pixel);
          }
        }
      }
    }
  }
}

Status Run(const PatchPlan& plan, const Tensor& images, Output* output) {
  FASTPIPE_RETURN_IF_ERROR(CheckImages(plan.attrs, images.dtype(), images.dims()));
  FASTPIPE_ASSIGN(const ImageBatch in, ImageBatchOf(plan.attrs, images));
  FASTPIPE_ASSIGN(const Axis rows, Placed(plan, plan.rows, in.height));
  FASTPIPE_ASSIGN(const Axis columns, Placed(plan, plan.columns, in.width));
  const std::vector<int64_t> dims = {in.count, rows.count, columns.count,
                                     rows.size * columns.size * in.channels};
  FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(plan.attrs.owner(), dims));
  uint8_t* to = output->Allocate(images.dtype(), dims);
  const size_t pixel = static_cast<size_t>(in.channels) * DTypeSize(images.dtype());
  if (NumElements(dims) == 0) return Status::Ok();
  for (int64_t i = 0; i < in.count; ++i) {
    const uint8_t* image = images.raw() + static_cast<size_t>(i * in.height * in.width) * pixel;
    CopyPatches(image, in, rows, columns, pixel, &to);
  }
  return Status::Ok();
}

// The attribute `name` to `field` of both axes.
Status ReadPair(const Args& attrs, const char* name, int64_t Axis::* field, PatchPlan* plan) {
  FASTPIPE_ASSIGN(const std::vector<int64_t> pair, attrs.Ints(name));
  const bool good =
      pair.size() == 2 && std::min(pair[0], pair[1]) > 0 && std::max(pair[0], pair[1]) <= INT32_MAX;
  if (!good) {
    return attrs.Error(
        StrCat(name, " must be positive for rows and for columns, got ", ShapeString(pair)));
  }
  plan->rows.*field = pair[0];
  plan->columns.*field = pair[1];
  return Status::Ok();
}

Result<KernelPlan> PlanExtractPatches(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  const TensorSpec& images = inputs[0];
  FASTPIPE_RETURN_IF_ERROR(ExpectImages(attrs, inputs));
  if (images.known_rank) {
    FASTPIPE_RETURN_IF_ERROR(CheckImages(attrs, images.dtype, images.dims));
  }
  PatchPlan plan{.attrs = attrs, .rows = {}, .columns = {}};
  FASTPIPE_RETURN_IF_ERROR(ReadPair(attrs, "sizes", &Axis::size, &plan));
  FASTPIPE_RETURN_IF_ERROR(ReadPair(attrs, "strides", &Axis::stride, &plan));
  FASTPIPE_RETURN_IF_ERROR(ReadPair(attrs, "rates", &Axis::rate, &plan));
  FASTPIPE_ASSIGN(plan.padding, ReadChoice(attrs, "padding", kPaddings));
  TensorSpec spec = TensorSpec::Of(images.dtype, {-1, -1, -1, -1});
  if (images.known_rank) {
    const ImageBatch in = ImageBatchOf(images);
    FASTPIPE_ASSIGN(const Axis rows, Placed(plan, plan.rows, in.height));
    FASTPIPE_ASSIGN(const Axis columns, Placed(plan, plan.columns, in.width));
    const int64_t depth = in.channels < 0 ? -1 : rows.size * columns.size * in.channels;
    spec.dims = {in.count, rows.count, columns.count, depth};
  }
  return KernelPlan{{std::move(spec)}, KernelFrom([plan](KernelContext*, Inputs in, Outputs out) {
                      return Run(plan, *in[0], &out[0]);
                    })};
}

FASTPIPE_KERNEL("extract_patches", PlanExtractPatches);

}  // namespace
}  // namespace fastpipe
