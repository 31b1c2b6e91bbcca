// Random rectangles of an image, to crop it to.
//
// distorted_bounding_box(image_size, boxes, min_object_covered, seed): a rectangle that covers
//   enough of at least one of `boxes`, equal to TensorFlow's: begin and size in image_size's dtype,
//   and the rectangle as [1, 1, 4] fractions. Attributes: aspect_ratio_range, area_range (two
//   numbers each), max_attempts, whole_image (stands for a box where there is none).
// random_resized_box(image_size, seed): y, x, height, width of a rectangle of random area and
// aspect
//   ratio. Attributes: scale, the least and the most of the image's area; ratio, of the aspect
//   ratio, uniform in its logarithm.

#include <algorithm>
#include <cmath>

#include "core/registry.h"
#include "kernels/dispatch.h"
#include "kernels/integers_argument.h"
#include "kernels/seed_argument.h"

namespace fastpipe {
namespace {

struct Range {
  double least = 0;
  double most = 0;
};

// Two numbers in a list, the attribute `name`.
Result<Range> ReadRange(const Args& attrs, std::string_view name) {
  FASTPIPE_ASSIGN(const Tensor tensor, attrs.OneTensor(name));
  if (tensor.dtype() != DType::kFloat64 || tensor.num_elements() != 2) {
    return attrs.Error(StrCat(name, " must be two numbers, got ", tensor.num_elements()));
  }
  const double* values = tensor.data<double>();
  return Range{values[0], values[1]};
}

struct Size {
  int32_t height = 0;
  int32_t width = 0;
};

Result<Size> SizeOf(const Args& attrs, const Tensor& image_size) {
  const std::vector<int64_t> sizes = IntegersOf(image_size);
  if (image_size.rank() != 1 || sizes.size() != 3) {
    return attrs.Error(StrCat("image_size must be height, width and channels, got shape ",
                              ShapeString(image_size.dims())));
  }
  for (size_t i : {0, 1}) {
    if (sizes[i] >= 0 && sizes[i] < INT32_MAX) continue;
    return attrs.Error(StrCat("image_size must be less than 2^31, got ", sizes[i]));
  }
  return Size{static_cast<int32_t>(sizes[0]), static_cast<int32_t>(sizes[1])};
}

Status ExpectImageSize(const Args& attrs, const TensorSpec& spec) {
  const bool three =
      !spec.known_rank || (spec.rank() == 1 && (spec.dims[0] == 3 || spec.dims[0] < 0));
  if (IsInteger(spec.dtype) && three) return Status::Ok();
  return attrs.Error(
      StrCat("image_size must be 3 integers: height, width, channels, got ", spec.ToString()));
}

struct Rectangle {
  int32_t left = 0, top = 0, right = 0, bottom = 0;

  int32_t width() const { return right - left; }
  int32_t height() const { return bottom - top; }
  // Wraps like the multiplication of the original; images are far from that large.
  float Area() const {
    return static_cast<float>(
        static_cast<int32_t>(static_cast<uint32_t>(width()) * static_cast<uint32_t>(height())));
  }
  float Overlap(const Rectangle& other) const {
    const Rectangle common{std::max(left, other.left), std::max(top, other.top),
                           std::min(right, other.right), std::min(bottom, other.bottom)};
    return common.left > common.right || common.top > common.bottom ? 0 : common.Area();
  }
};

struct Constraints {
  float least_ratio, most_ratio;
  float least_area, most_area;
  int64_t max_attempts;
  bool whole_image;
};

int32_t Rounded(float value) { return static_cast<int32_t>(std::lrintf(value)); }

// The greatest height that gives a width within the image.
int32_t HeightWithin(Size image, float area, float ratio) {
  int32_t height = Rounded(std::sqrt(area / ratio));
  if (Rounded(static_cast<float>(height) * ratio) > image.width) {
    const float almost = 0.0000001f;
    height = static_cast<int32_t>((image.width + 0.5 - almost) / ratio);
    if (Rounded(static_cast<float>(height) * ratio) > image.width) --height;
  }
  return std::min(height, image.height);
}

// A rectangle of the aspect ratio `ratio`; false if none of the wanted area fits.
bool DrawRectangle(Size image, const Constraints& wanted, float ratio, PhiloxNumbers* random,
                   Rectangle* drawn) {
  if (image.width <= 0 || image.height <= 0 || wanted.least_area > wanted.most_area) return false;
  const auto area_of = [&](float share) {
    return share * static_cast<float>(image.width) * static_cast<float>(image.height);
  };
  const float least = area_of(wanted.least_area);
  const float most = area_of(wanted.most_area);
  const int32_t max_height = HeightWithin(image, most, ratio);
  int32_t height = std::min(Rounded(std::sqrt(least / ratio)), max_height);
  if (height < max_height) {
    height += static_cast<int32_t>(random->Below(static_cast<uint32_t>(max_height - height + 1)));
  }
  int32_t width = 0;
  float area = 0;
  const auto resize = [&](int32_t to) {
    height = to;
    width = Rounded(static_cast<float>(height) * ratio);
    area = Rectangle{0, 0, width, height}.Area();
  };
  resize(height);
  // Rounding may have missed the range by a little.
  if (area < least) resize(height + 1);
  if (area > most) resize(height - 1);
  if (area < least || area > most || width > image.width || height > image.height || width <= 0 ||
      height <= 0) {
    return false;
  }
  const auto place = [random](int32_t room) {
    return room > 0 ? static_cast<int32_t>(random->Below(static_cast<uint32_t>(room))) : 0;
  };
  const int32_t top = place(image.height - height);
  const int32_t left = place(image.width - width);
  *drawn = {left, top, left + width, top + height};
  return true;
}

bool CoversAny(const Rectangle& crop, float share, const std::vector<Rectangle>& boxes) {
  if (crop.Area() < 1) return false;
  return std::any_of(boxes.begin(), boxes.end(), [&](const Rectangle& box) {
    return box.Area() >= 1 && crop.Overlap(box) / box.Area() >= share;
  });
}

// The boxes, in pixels.
Result<std::vector<Rectangle>> ReadBoxes(const Args& attrs, const Tensor& boxes, Size image,
                                         bool whole_image) {
  if (boxes.rank() != 3 || boxes.dim(2) != 4) {
    return attrs.Error(StrCat("bounding_boxes must have shape [batch, boxes, 4], got ",
                              ShapeString(boxes.dims())));
  }
  const float* values = boxes.data<float>();
  const int64_t count = boxes.num_elements();
  for (int64_t i = 0; i < count; ++i) {
    if (values[i] >= 0 && values[i] <= 1) continue;
    return attrs.Error(StrCat("bounding_boxes must be in [0, 1], got ", values[i]));
  }
  const auto pixels = [](float share, int32_t size) {
    return static_cast<int32_t>(share * static_cast<float>(size));
  };
  std::vector<Rectangle> read;
  for (int64_t i = 0; i < count; i += 4) {
    read.push_back({pixels(values[i + 1], image.width), pixels(values[i], image.height),
                    pixels(values[i + 3], image.width), pixels(values[i + 2], image.height)});
  }
  if (read.empty() && !whole_image) {
    return attrs.Error(
        "bounding_boxes is empty: give some, or use_image_if_no_bounding_boxes=True");
  }
  if (read.empty()) read.push_back({0, 0, image.width, image.height});
  return read;
}

template <typename T>
void SetVector(Output* out, int32_t first, int32_t second, int32_t third) {
  const int64_t size = 3;
  T* to = out->Allocate<T>(Dims(&size, 1));
  to[0] = static_cast<T>(first);
  to[1] = static_cast<T>(second);
  to[2] = static_cast<T>(third);
}
using SetIntegers = void (*)(Output* out, int32_t first, int32_t second, int32_t third);
constexpr auto kSetIntegers =
    TableOf<IntegerTypes>([]<typename T>() -> SetIntegers { return SetVector<T>; });

Status DistortedBoundingBox(const Args& attrs, const Constraints& wanted, SetIntegers set,
                            Inputs in, Outputs out) {
  FASTPIPE_ASSIGN(const Size image, SizeOf(attrs, *in[0]));
  FASTPIPE_ASSIGN(const auto boxes, ReadBoxes(attrs, *in[1], image, wanted.whole_image));
  const float covered = in[2]->scalar<float>();
  if (in[2]->rank() != 0 || !(covered >= 0)) {
    return attrs.Error(StrCat("min_object_covered must be a scalar >= 0, got shape ",
                              ShapeString(in[2]->dims()), ", value ", covered));
  }
  FASTPIPE_ASSIGN(const Philox blocks, PhiloxOf(attrs, *in[3]));
  PhiloxNumbers random(blocks);
  Rectangle crop{0, 0, image.width, image.height};
  for (int64_t i = 0; i < wanted.max_attempts; ++i) {
    const float ratio =
        random.NextFloat() * (wanted.most_ratio - wanted.least_ratio) + wanted.least_ratio;
    Rectangle drawn;
    if (DrawRectangle(image, wanted, ratio, &random, &drawn) && CoversAny(drawn, covered, boxes)) {
      crop = drawn;
      break;
    }
  }
  set(&out[0], crop.top, crop.left, 0);
  set(&out[1], crop.height(), crop.width(), -1);
  const int64_t dims[] = {1, 1, 4};
  float* box = out[2].Allocate<float>(dims);
  const auto share = [](int32_t at, int32_t size) {
    return static_cast<float>(at) / static_cast<float>(size);
  };
  box[0] = share(crop.top, image.height);
  box[1] = share(crop.left, image.width);
  box[2] = share(crop.bottom, image.height);
  box[3] = share(crop.right, image.width);
  return Status::Ok();
}

Result<Constraints> ReadConstraints(const Args& attrs) {
  FASTPIPE_ASSIGN(const Range ratio, ReadRange(attrs, "aspect_ratio_range"));
  FASTPIPE_ASSIGN(const Range area, ReadRange(attrs, "area_range"));
  if (!(ratio.least > 0) || !(ratio.most > 0)) {
    return attrs.Error(
        StrCat("aspect_ratio_range must be positive, got [", ratio.least, ", ", ratio.most, "]"));
  }
  if (!(area.least > 0 && area.least <= 1) || !(area.most > 0 && area.most <= 1)) {
    return attrs.Error(
        StrCat("area_range must be in (0, 1], got [", area.least, ", ", area.most, "]"));
  }
  Constraints wanted{static_cast<float>(ratio.least),
                     static_cast<float>(ratio.most),
                     static_cast<float>(area.least),
                     static_cast<float>(area.most),
                     0,
                     false};
  FASTPIPE_ASSIGN(wanted.max_attempts, attrs.IntOr("max_attempts", 100, {.min = 1}));
  FASTPIPE_ASSIGN(wanted.whole_image, attrs.BoolOr("whole_image", false));
  return wanted;
}

Result<KernelPlan> PlanDistortedBoundingBox(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 4));
  FASTPIPE_RETURN_IF_ERROR(ExpectImageSize(attrs, inputs[0]));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 1, DType::kFloat32));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 2, DType::kFloat32));
  FASTPIPE_RETURN_IF_ERROR(ExpectSeed(attrs, inputs, 3));
  if (inputs[1].known_rank &&
      (inputs[1].rank() != 3 || (inputs[1].dims[2] != 4 && inputs[1].dims[2] >= 0))) {
    return attrs.Error(
        StrCat("bounding_boxes must have shape [batch, boxes, 4], got ", inputs[1].ToString()));
  }
  FASTPIPE_ASSIGN(const Constraints wanted, ReadConstraints(attrs));
  const DType dtype = inputs[0].dtype;
  const SetIntegers set = Find(kSetIntegers, dtype);
  return KernelPlan{{TensorSpec::Of(dtype, {3}), TensorSpec::Of(dtype, {3}),
                     TensorSpec::Of(DType::kFloat32, {1, 1, 4})},
                    KernelFrom([=](KernelContext*, Inputs in, Outputs out) {
                      return DistortedBoundingBox(attrs, wanted, set, in, out);
                    })};
}

struct Box {
  int32_t y = 0, x = 0, height = 0, width = 0;
};

// The whole image, or what of its middle has an aspect ratio in the range.
Box MiddleBox(Size image, Range ratio) {
  Box box{0, 0, image.height, image.width};
  const double own = static_cast<double>(image.width) / image.height;
  if (own < ratio.least) {
    box.height = static_cast<int32_t>(std::lrint(image.width / ratio.least));
  } else if (own > ratio.most) {
    box.width = static_cast<int32_t>(std::lrint(image.height * ratio.most));
  }
  box.height = std::clamp(box.height, 1, image.height);
  box.width = std::clamp(box.width, 1, image.width);
  box.y = (image.height - box.height) / 2;
  box.x = (image.width - box.width) / 2;
  return box;
}

Box DrawBox(Size image, Range scale, Range ratio, PhiloxNumbers* random) {
  constexpr int kAttempts = 10;
  const double area = static_cast<double>(image.height) * image.width;
  const auto uniform = [random](double least, double most) {
    return least + random->NextDouble() * (most - least);
  };
  for (int i = 0; i < kAttempts; ++i) {
    const double wanted = area * uniform(scale.least, scale.most);
    const double shape = std::exp(uniform(std::log(ratio.least), std::log(ratio.most)));
    const double width = std::rint(std::sqrt(wanted * shape));
    const double height = std::rint(std::sqrt(wanted / shape));
    if (!(width >= 1 && width <= image.width && height >= 1 && height <= image.height)) continue;
    Box box{0, 0, static_cast<int32_t>(height), static_cast<int32_t>(width)};
    const auto place = [random](int32_t room) {
      return static_cast<int32_t>(random->Below(static_cast<uint32_t>(room) + 1));
    };
    box.y = place(image.height - box.height);
    box.x = place(image.width - box.width);
    return box;
  }
  return MiddleBox(image, ratio);
}

Result<Range> ReadPositiveRange(const Args& attrs, std::string_view name) {
  FASTPIPE_ASSIGN(const Range range, ReadRange(attrs, name));
  if (range.least > 0 && range.least <= range.most && std::isfinite(range.most)) return range;
  return attrs.Error(StrCat(name, " must be two positive numbers, the least first, got [",
                            range.least, ", ", range.most, "]"));
}

Result<KernelPlan> PlanRandomResizedBox(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectImageSize(attrs, inputs[0]));
  FASTPIPE_RETURN_IF_ERROR(ExpectSeed(attrs, inputs, 1));
  FASTPIPE_ASSIGN(const Range scale, ReadPositiveRange(attrs, "scale"));
  FASTPIPE_ASSIGN(const Range ratio, ReadPositiveRange(attrs, "ratio"));
  return KernelPlan{
      {TensorSpec::Of(DType::kInt32, {4})}, KernelFrom([=](KernelContext*, Inputs in, Outputs out) {
        FASTPIPE_ASSIGN(const Size image, SizeOf(attrs, *in[0]));
        if (image.height == 0 || image.width == 0) {
          return attrs.Error(
              StrCat("the image is empty: ", image.height, " x ", image.width, " pixels"));
        }
        FASTPIPE_ASSIGN(const Philox blocks, PhiloxOf(attrs, *in[1]));
        PhiloxNumbers random(blocks);
        const Box box = DrawBox(image, scale, ratio, &random);
        const int64_t size = 4;
        int32_t* to = out[0].Allocate<int32_t>(Dims(&size, 1));
        for (int32_t value : {box.y, box.x, box.height, box.width}) *to++ = value;
        return Status::Ok();
      })};
}

FASTPIPE_KERNEL("distorted_bounding_box", PlanDistortedBoundingBox);
FASTPIPE_KERNEL("random_resized_box", PlanRandomResizedBox);

}  // namespace
}  // namespace fastpipe
