// strided_slice(x): x[key] for the indices, slices, new axes and ellipsis in the list `items`.
//
// An item is an index (an integer), a slice (a list of begin, end and step, each an integer or
// None), "newaxis" or "...". The word "input" in place of an integer stands for the next scalar
// input. Indices count from the end when negative and must exist; slices stop at the ends of the
// axis.

#include <algorithm>
#include <optional>

#include "core/registry.h"
#include "kernels/assemble.h"
#include "kernels/crop.h"

namespace fastpipe {
namespace {

// An integer of the key: known, absent (None), or an input.
struct Bound {
  enum class Kind { kAbsent, kKnown, kInput } kind = Kind::kAbsent;
  int64_t value = 0;
};

struct Item {
  enum class Kind { kIndex, kSlice, kNewAxis, kEllipsis } kind = Kind::kIndex;
  Bound begin;  // of an index: the index
  Bound end;
  Bound step;
};

// One axis of x as the key takes it: `count` positions from `first` on.
struct Taken {
  int64_t first = 0;
  int64_t count = 1;
  int64_t step = 1;
};

Result<Bound> ReadBound(const Args& attrs, const Value& value) {
  if (value.is_none()) return Bound{};
  if (const int64_t* number = value.get<int64_t>()) return Bound{Bound::Kind::kKnown, *number};
  const std::string* word = value.get<std::string>();
  if (word && *word == "input") return Bound{Bound::Kind::kInput, 0};
  return attrs.Error(StrCat("expected an integer or a slice of integers, got ", value.ToString()));
}

Result<Item> ReadItem(const Args& attrs, const Value& value) {
  Item item;
  const std::string* word = value.get<std::string>();
  if (word && *word == "newaxis") {
    item.kind = Item::Kind::kNewAxis;
  } else if (word && *word == "...") {
    item.kind = Item::Kind::kEllipsis;
  } else if (const ValueList* slice = value.get<ValueList>(); slice && slice->size() == 3) {
    item.kind = Item::Kind::kSlice;
    FASTPIPE_ASSIGN(item.begin, ReadBound(attrs, (*slice)[0]));
    FASTPIPE_ASSIGN(item.end, ReadBound(attrs, (*slice)[1]));
    FASTPIPE_ASSIGN(item.step, ReadBound(attrs, (*slice)[2]));
    if (item.step.kind == Bound::Kind::kKnown && item.step.value == 0) {
      return attrs.Error("the step of a slice must not be 0");
    }
  } else {
    FASTPIPE_ASSIGN(item.begin, ReadBound(attrs, value));
    if (item.begin.kind == Bound::Kind::kAbsent) return attrs.Error("got None as an index");
  }
  return item;
}

// Which positions of an axis of size `size` a slice with known bounds takes.
Taken TakeSlice(std::optional<int64_t> begin, std::optional<int64_t> end, int64_t step,
                int64_t size) {
  // Going forwards positions are 0 .. size, going backwards -1 .. size - 1.
  const int64_t least = step > 0 ? 0 : -1;
  const auto clamp = [&](int64_t bound) {
    return std::clamp(bound < 0 ? bound + size : bound, least, size + least);
  };
  const int64_t first = begin ? clamp(*begin) : (step > 0 ? 0 : size - 1);
  const int64_t last = end ? clamp(*end) : (step > 0 ? size : -1);
  const int64_t distance = step > 0 ? last - first : first - last;
  // As unsigned, because the least step has no positive twin.
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
  if (distance <= 0) return {0, 0, 1};
  const uint64_t count = (static_cast<uint64_t>(distance) + stride - 1) / stride;
  return {first, static_cast<int64_t>(count), count == 1 ? 1 : step};
}

class StridedSlice {
 public:
  static Result<StridedSlice> Read(const Args& attrs, Specs inputs) {
    StridedSlice read;
    read.attrs_ = attrs;
    FASTPIPE_ASSIGN(const ValueList list, attrs.List("items"));
    size_t ellipses = 0;
    for (const Value& value : list) {
      FASTPIPE_ASSIGN(const Item item, ReadItem(attrs, value));
      ellipses += item.kind == Item::Kind::kEllipsis;
      read.axes_ += item.kind == Item::Kind::kIndex || item.kind == Item::Kind::kSlice;
      for (const Bound& bound : {item.begin, item.end, item.step}) {
        read.inputs_ += bound.kind == Bound::Kind::kInput;
      }
      read.items_.push_back(item);
    }
    if (ellipses > 1) return attrs.Error("an index may hold one ellipsis (...), got two");
    if (ellipses == 0) {
      Item rest;
      rest.kind = Item::Kind::kEllipsis;
      read.items_.push_back(rest);
    }
    FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, read.inputs_ + 1));
    for (const TensorSpec& input : inputs.subspan(1)) {
      if (IsInteger(input.dtype) && input.rank() <= 0) continue;
      return attrs.Error(StrCat("indices must be integer scalars, got ", input.ToString(),
                                ": use gather or boolean_mask"));
    }
    return read;
  }

  Result<TensorSpec> Spec(const TensorSpec& x) const;
  Status Run(Inputs in, Output* out) const;
  // See CropKernel.
  Result<Box> Locate(Inputs in, Dims image) const;
  // True for x[i]: a row, which shares memory.
  bool IsRow() const { return items_.size() == 2 && items_[0].kind == Item::Kind::kIndex; }

 private:
  Status ExpectRank(int rank) const {
    if (axes_ <= rank) return Status::Ok();
    return attrs_.Error(StrCat("got ", axes_, " indices for a tensor of rank ", rank));
  }
  Result<int64_t> Position(int64_t index, int64_t size, size_t axis) const {
    if (index >= -size && index < size) return index < 0 ? index + size : index;
    return attrs_.Error(
        StrCat("index ", index, " is outside axis ", axis, ", which has size ", size));
  }
  // What `item` takes of axis `axis`, of size `size`; `next` is the input that an open bound reads.
  Result<Taken> Take(const Item& item, Inputs in, size_t* next, size_t axis, int64_t size) const;

  Args attrs_;
  std::vector<Item> items_;  // with exactly one ellipsis
  int axes_ = 0;             // that the items name
  size_t inputs_ = 0;        // scalars among the items
};

Result<Taken> StridedSlice::Take(const Item& item, Inputs in, size_t* next, size_t axis,
                                 int64_t size) const {
  const auto read = [&](const Bound& bound) -> std::optional<int64_t> {
    if (bound.kind == Bound::Kind::kAbsent) return std::nullopt;
    return bound.kind == Bound::Kind::kKnown ? bound.value : in[(*next)++]->AsInt64();
  };
  const std::optional<int64_t> begin = read(item.begin);
  if (item.kind == Item::Kind::kIndex) {
    FASTPIPE_ASSIGN(const int64_t position, Position(*begin, size, axis));
    return Taken{position, 1, 1};
  }
  const std::optional<int64_t> end = read(item.end);
  const int64_t step = read(item.step).value_or(1);
  if (step == 0) return attrs_.Error("the step of a slice must not be 0");
  return TakeSlice(begin, end, step, size);
}

Result<TensorSpec> StridedSlice::Spec(const TensorSpec& x) const {
  if (!x.known_rank) return TensorSpec::UnknownRank(x.dtype);
  FASTPIPE_RETURN_IF_ERROR(ExpectRank(x.rank()));
  TensorSpec spec = TensorSpec::Of(x.dtype, {});
  size_t axis = 0;
  for (const Item& item : items_) {
    if (item.kind == Item::Kind::kNewAxis) spec.dims.push_back(1);
    if (item.kind == Item::Kind::kEllipsis) {
      for (int left = x.rank() - axes_; left > 0; --left) spec.dims.push_back(x.dims[axis++]);
    }
    if (item.kind != Item::Kind::kIndex && item.kind != Item::Kind::kSlice) continue;
    const int64_t size = x.dims[axis];
    const auto open = [](const Bound& bound) { return bound.kind == Bound::Kind::kInput; };
    const bool known = size >= 0 && !open(item.begin) && !open(item.end) && !open(item.step);
    const bool whole = item.begin.kind == Bound::Kind::kAbsent &&
                       item.end.kind == Bound::Kind::kAbsent &&
                       item.step.kind == Bound::Kind::kAbsent;
    int64_t count = whole ? size : -1;
    if (known) {
      size_t no_input = 0;
      FASTPIPE_ASSIGN(const Taken taken, Take(item, {}, &no_input, axis, size));
      count = taken.count;
    }
    if (item.kind == Item::Kind::kSlice) spec.dims.push_back(count);
    ++axis;
  }
  return spec;
}

Status StridedSlice::Run(Inputs in, Output* out) const {
  const Tensor& x = *in[0];
  FASTPIPE_RETURN_IF_ERROR(ExpectRank(x.rank()));
  size_t next = 1;
  if (IsRow()) {
    FASTPIPE_ASSIGN(const Taken taken, Take(items_[0], in, &next, 0, x.dim(0)));
    out->Set(x.Row(taken.first));
    return Status::Ok();
  }
  const std::vector<int64_t> strides = RowMajorStrides(x.dims());
  std::vector<int64_t> dims;
  StridedLoop loop(x.dims().size());
  int64_t start = 0;
  size_t axis = 0;
  for (const Item& item : items_) {
    if (item.kind == Item::Kind::kNewAxis) dims.push_back(1);
    if (item.kind == Item::Kind::kEllipsis) {
      for (int left = x.rank() - axes_; left > 0; --left, ++axis) {
        dims.push_back(x.dims()[axis]);
        loop.AddAxis({x.dims()[axis], {strides[axis]}});
      }
    }
    if (item.kind != Item::Kind::kIndex && item.kind != Item::Kind::kSlice) continue;
    FASTPIPE_ASSIGN(const Taken taken, Take(item, in, &next, axis, x.dims()[axis]));
    start += taken.first * strides[axis];
    if (item.kind == Item::Kind::kSlice) dims.push_back(taken.count);
    loop.AddAxis({taken.count, {taken.step * strides[axis]}});
    ++axis;
  }
  // All of x from its first value on: no axis is cut, and none of more than one value is reversed.
  if (NumElements(dims) == x.num_elements() && start == 0) {
    out->Set(x.Reshaped(dims));
    return Status::Ok();
  }
  Assembler result(x.dtype(), dims, out);
  result.Append(x, start, loop);
  result.Finish();
  return Status::Ok();
}

Result<Box> StridedSlice::Locate(Inputs in, Dims image) const {
  FASTPIPE_RETURN_IF_ERROR(ExpectRank(static_cast<int>(image.size())));
  std::vector<Taken> axes;
  size_t next = 1;
  for (const Item& item : items_) {
    if (item.kind == Item::Kind::kEllipsis) {
      for (int left = static_cast<int>(image.size()) - axes_; left > 0; --left) {
        axes.push_back({0, image[axes.size()], 1});
      }
    } else if (item.kind == Item::Kind::kSlice) {
      FASTPIPE_ASSIGN(const Taken taken, Take(item, in, &next, axes.size(), image[axes.size()]));
      axes.push_back(taken);
    } else {
      return Unimplemented("no rectangle of pixels");
    }
  }
  const bool forwards =
      std::all_of(axes.begin(), axes.end(), [](const Taken& taken) { return taken.step == 1; });
  if (image.size() != 3 || !forwards || axes[2].count != image[2]) {
    return Unimplemented("no rectangle of pixels");
  }
  return Box{axes[0].first, axes[1].first, axes[0].count, axes[1].count};
}

class StridedSliceKernel final : public CropKernel {
 public:
  explicit StridedSliceKernel(StridedSlice slice) : slice_(std::move(slice)) {}
  Status Run(KernelContext*, Inputs in, Outputs out) const override {
    return slice_.Run(in, &out[0]);
  }
  Result<Box> Locate(Inputs in, Dims image) const override { return slice_.Locate(in, image); }

 private:
  const StridedSlice slice_;
};

Result<KernelPlan> PlanStridedSlice(const Args& attrs, Specs inputs) {
  if (inputs.empty()) return attrs.Error("takes a tensor, got none");
  FASTPIPE_ASSIGN(StridedSlice slice, StridedSlice::Read(attrs, inputs));
  FASTPIPE_ASSIGN(TensorSpec spec, slice.Spec(inputs[0]));
  return KernelPlan{{std::move(spec)}, std::make_shared<const StridedSliceKernel>(slice)};
}

FASTPIPE_KERNEL("strided_slice", PlanStridedSlice);

}  // namespace
}  // namespace fastpipe
