// matmul(a, b): the matrix product of the last two axes; those before broadcast. `transpose_a` and
// `transpose_b` swap the last two axes first.

#include <algorithm>
#include <array>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/broadcast.h"
#include "kernels/dispatch.h"

namespace fastpipe {
namespace {

struct Matrix {
  const void* values = nullptr;
  int64_t row_step = 0;
  int64_t column_step = 0;
};

// `out` is rows x columns. Row by row, so that the inner loop runs over neighbours and can be
// vectorised.
template <typename T>
void Product(const Matrix& a, const Matrix& b, int64_t rows, int64_t inner, int64_t columns,
             void* out) {
  using Total = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<Wide<T>>,
                                            std::type_identity<Wide<T>>>::type;
  const T* left = static_cast<const T*>(a.values);
  const T* right = static_cast<const T*>(b.values);
  T* to = static_cast<T*>(out);
  std::vector<Total> totals(static_cast<size_t>(columns));
  for (int64_t i = 0; i < rows; ++i) {
    std::fill(totals.begin(), totals.end(), Total{0});
    for (int64_t k = 0; k < inner; ++k) {
      const Total factor = static_cast<Total>(ToWide(left[i * a.row_step + k * a.column_step]));
      const T* row = right + k * b.row_step;
      for (int64_t j = 0; j < columns; ++j) {
        totals[static_cast<size_t>(j)] +=
            factor * static_cast<Total>(ToWide(row[j * b.column_step]));
      }
    }
    for (Total total : totals) *to++ = FromWide<T>(static_cast<Wide<T>>(total));
  }
}

using Multiply = void (*)(const Matrix& a, const Matrix& b, int64_t rows, int64_t inner,
                          int64_t columns, void* out);
constexpr auto kMultiplies = TableOf<Types<int32_t, int64_t, Half, float, double, Bfloat16>>(
    []<typename T>() -> Multiply { return Product<T>; });

class Matmul final : public Kernel {
 public:
  Matmul(Args attrs, Multiply run, bool transpose_a, bool transpose_b)
      : attrs_(std::move(attrs)), run_(run), transpose_{transpose_a, transpose_b} {}

  // The last two sizes of the result; sizes may be unknown.
  Result<std::array<int64_t, 2>> Sizes(Dims a, Dims b) const {
    if (a.size() < 2 || b.size() < 2) {
      return attrs_.Error(StrCat("takes tensors of two axes or more, got ", ShapeString(a), " and ",
                                 ShapeString(b)));
    }
    const int64_t inner = a[a.size() - (transpose_[0] ? 2 : 1)];
    const int64_t other = b[b.size() - (transpose_[1] ? 1 : 2)];
    if (inner >= 0 && other >= 0 && inner != other) {
      return attrs_.Error(StrCat("the inner sizes must be equal, got ", inner, " and ", other,
                                 " of shapes ", ShapeString(a), " and ", ShapeString(b)));
    }
    return std::array<int64_t, 2>{a[a.size() - (transpose_[0] ? 1 : 2)],
                                  b[b.size() - (transpose_[1] ? 2 : 1)]};
  }

  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    const Tensor& a = *in[0];
    const Tensor& b = *in[1];
    using Sizes2 = std::array<int64_t, 2>;
    FASTPIPE_ASSIGN(const Sizes2 sizes, Sizes(a.dims(), b.dims()));
    const int64_t inner = a.dims()[a.dims().size() - (transpose_[0] ? 2 : 1)];
    const Dims batch_a = a.dims().first(a.dims().size() - 2);
    const Dims batch_b = b.dims().first(b.dims().size() - 2);
    const TensorSpec batches[] = {TensorSpec::Of(a.dtype(), {batch_a.begin(), batch_a.end()}),
                                  TensorSpec::Of(b.dtype(), {batch_b.begin(), batch_b.end()})};
    FASTPIPE_ASSIGN(const TensorSpec batch, BroadcastSpecs(attrs_, batches, a.dtype()));
    std::vector<int64_t> dims = batch.dims;
    const StridedLoop loop = BroadcastLoop(dims, {batch_a, batch_b});
    dims.insert(dims.end(), sizes.begin(), sizes.end());
    FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims(attrs_.owner(), dims));
    uint8_t* to = out[0].Allocate(a.dtype(), dims);
    const int64_t size = static_cast<int64_t>(DTypeSize(a.dtype()));
    const auto matrix = [&](const Tensor& x, size_t which, int64_t index) {
      const int64_t columns = x.dims().back();
      const int64_t rows = x.dims()[x.dims().size() - 2];
      Matrix made{x.raw() + index * rows * columns * size, columns, 1};
      if (transpose_[which]) std::swap(made.row_step, made.column_step);
      return made;
    };
    loop.Run({}, [&](const auto& offsets, const auto& steps, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        run_(matrix(a, 0, offsets[0] + i * steps[0]), matrix(b, 1, offsets[1] + i * steps[1]),
             sizes[0], inner, sizes[1], to);
        to += sizes[0] * sizes[1] * size;
      }
    });
    return Status::Ok();
  }

 private:
  const Args attrs_;
  const Multiply run_;
  const std::array<bool, 2> transpose_;
};

Result<KernelPlan> PlanMatmul(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectOneDType(attrs, inputs));
  FASTPIPE_ASSIGN(const Multiply run, FindOrError(kMultiplies, attrs, inputs, 0));
  FASTPIPE_ASSIGN(const bool transpose_a, attrs.BoolOr("transpose_a", false));
  FASTPIPE_ASSIGN(const bool transpose_b, attrs.BoolOr("transpose_b", false));
  auto kernel = std::make_shared<const Matmul>(attrs, run, transpose_a, transpose_b);
  TensorSpec spec = TensorSpec::UnknownRank(inputs[0].dtype);
  for (const TensorSpec& input : inputs) {
    if (input.known_rank && input.rank() < 2) {
      return attrs.Error(StrCat("takes tensors of two axes or more, got ", input.ToString()));
    }
  }
  if (inputs[0].known_rank && inputs[1].known_rank) {
    using Sizes2 = std::array<int64_t, 2>;
    FASTPIPE_ASSIGN(const Sizes2 sizes, kernel->Sizes(inputs[0].dims, inputs[1].dims));
    std::vector<TensorSpec> batches;
    for (const TensorSpec& input : inputs) {
      batches.push_back(TensorSpec::Of(input.dtype, {input.dims.begin(), input.dims.end() - 2}));
    }
    FASTPIPE_ASSIGN(spec, BroadcastSpecs(attrs, batches, inputs[0].dtype));
    spec.dims.insert(spec.dims.end(), sizes.begin(), sizes.end());
  }
  return KernelPlan{{std::move(spec)}, std::move(kernel)};
}

FASTPIPE_KERNEL("matmul", PlanMatmul);

}  // namespace
}  // namespace fastpipe
