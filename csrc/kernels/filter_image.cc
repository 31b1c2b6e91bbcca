// filter_image(images, filters): every channel of images weighted by each filter, wherever it lies
// within the image.
//
// images [..., height, width, channels], filters [rows, columns, count], both of one float dtype,
// to [..., height - rows + 1, width - columns + 1, channels, count].

#include <algorithm>

#include "core/registry.h"
#include "kernels/image_floats.h"

namespace fastpipe {
namespace {

struct FilterShape {
  int64_t rows = 0, columns = 0, count = 0;
};

using FilterImage = void (*)(const void* image, Dims dims, const void* filters,
                             const FilterShape& shape, void* to);

// One row of the result at a time, whose values differ only in where they start.
template <typename T>
void Filter(const void* image, Dims dims, const void* filters, const FilterShape& shape, void* to) {
  const int64_t channels = dims[2], row_size = dims[1] * channels;
  const int64_t values = (dims[1] - shape.columns + 1) * channels;
  std::vector<Wide<T>> sums(static_cast<size_t>(values));
  const T* pixels = static_cast<const T*>(image);
  const T* weights = static_cast<const T*>(filters);
  T* results = static_cast<T*>(to);
  for (int64_t y = 0; y + shape.rows <= dims[0]; ++y, results += values * shape.count) {
    for (int64_t f = 0; f < shape.count; ++f) {
      std::fill(sums.begin(), sums.end(), Wide<T>{0});
      for (int64_t place = 0; place < shape.rows * shape.columns; ++place) {
        const Wide<T> weight = ToWide(weights[place * shape.count + f]);
        const T* from =
            pixels + (y + place / shape.columns) * row_size + place % shape.columns * channels;
        for (int64_t i = 0; i < values; ++i) {
          sums[static_cast<size_t>(i)] += ToWide(from[i]) * weight;
        }
      }
      for (int64_t i = 0; i < values; ++i) {
        results[i * shape.count + f] = FromWide<T>(sums[static_cast<size_t>(i)]);
      }
    }
  }
}

constexpr auto kFilters =
    TableOf<FloatTypes>([]<typename T>() -> FilterImage { return Filter<T>; });

// The shape of the result; -1 where unknown. InvalidArgument if a filter does not fit.
Result<std::vector<int64_t>> FilteredDims(const Args& attrs, Dims images,
                                          const FilterShape& shape) {
  std::vector<int64_t> dims(images.begin(), images.end());
  for (const auto& [from_end, size] : {std::pair(3, shape.rows), std::pair(2, shape.columns)}) {
    int64_t& dim = dims[dims.size() - static_cast<size_t>(from_end)];
    if (dim < 0) continue;
    dim -= size - 1;
    if (dim > 0) continue;
    return attrs.Error(StrCat("a filter of ", shape.rows, " x ", shape.columns,
                              " does not fit into images of shape ", ShapeString(images)));
  }
  dims.push_back(shape.count);
  return dims;
}

Status Run(const Args& attrs, FilterImage filter, const FilterShape& shape, const Tensor& images,
           const Tensor& filters, Output* output) {
  FASTPIPE_RETURN_IF_ERROR(ExpectPixels(attrs, images, 3, 0));
  FASTPIPE_ASSIGN(const std::vector<int64_t> dims, FilteredDims(attrs, images.dims(), shape));
  uint8_t* to = output->Allocate(images.dtype(), dims);
  if (NumElements(dims) == 0) return Status::Ok();
  const Dims image = images.dims().last(3);
  const auto bytes = static_cast<int64_t>(DTypeSize(images.dtype()));
  const int64_t size = NumElements(image) * bytes;
  const int64_t result_size = NumElements(Dims(dims).last(4)) * bytes;
  const uint8_t* from = images.raw();
  for (int64_t i = images.num_elements() * bytes / size; i > 0; --i) {
    filter(from, image, filters.raw(), shape, to);
    from += size;
    to += result_size;
  }
  return Status::Ok();
}

Result<KernelPlan> PlanFilterImage(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectPixels(attrs, inputs[0], 3, 0));
  FASTPIPE_ASSIGN(const FilterImage filter, FindOrError(kFilters, attrs, inputs, 0));
  FASTPIPE_RETURN_IF_ERROR(ExpectOneDType(attrs, inputs));
  const TensorSpec& filters = inputs[1];
  if (!filters.fully_known() || filters.rank() != 3 || filters.dims[0] < 1 || filters.dims[1] < 1) {
    return attrs.Error(
        StrCat("filters must be [rows, columns, count] of known sizes, got ", filters.ToString()));
  }
  const FilterShape shape = {filters.dims[0], filters.dims[1], filters.dims[2]};
  TensorSpec spec = inputs[0];
  if (spec.known_rank) {
    FASTPIPE_ASSIGN(spec.dims, FilteredDims(attrs, inputs[0].dims, shape));
  }
  return KernelPlan{{std::move(spec)},
                    KernelFrom([attrs, filter, shape](KernelContext*, Inputs in, Outputs out) {
                      return Run(attrs, filter, shape, *in[0], *in[1], &out[0]);
                    })};
}

FASTPIPE_KERNEL("filter_image", PlanFilterImage);

}  // namespace
}  // namespace fastpipe
