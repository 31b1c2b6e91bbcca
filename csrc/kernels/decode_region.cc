// decode_jpeg whose image is only cropped, or resized, or asked for its shape: the shape comes from
// the header, and of the pixels only those are decoded that the crop takes.

#include <array>
#include <optional>

#include "core/rewrite.h"
#include "kernels/crop.h"
#include "kernels/decode_jpeg.h"

namespace fastpipe {
namespace {

Status GiveUp() { return Unimplemented("not a JPEG of which a part can be decoded"); }

// The shape that decoding will give: [height, width, channels].
Result<std::array<int64_t, 3>> DecodedShape(const JpegOptions& options, const Tensor& contents) {
  if (contents.rank() != 0 || ImageFormatOf(contents.str()) != ImageFormat::kJpeg) {
    return GiveUp();
  }
  FASTPIPE_ASSIGN(const JpegInfo info, ReadJpegInfo(contents.str()));
  if (info.channels == 2 || options.channels == 4) return GiveUp();
  const int64_t stored = info.channels < 3 ? info.channels : 3;
  return std::array<int64_t, 3>{info.height, info.width,
                                options.channels == 0 ? stored : options.channels};
}

// The shape of what decode_jpeg(contents) gives.
class DecodedShapeKernel final : public Kernel {
 public:
  DecodedShapeKernel(const JpegOptions& options, std::shared_ptr<const Kernel> shape)
      : options_(options), shape_(std::move(shape)) {}

  Status Run(KernelContext* context, Inputs in, Outputs out) const override {
    FASTPIPE_ASSIGN(const auto dims, DecodedShape(options_, *in[0]));
    // The kernel reads the shape of the image, none of its pixels.
    const Tensor image = Tensor::View(DType::kUint8, dims, BufferRef(), nullptr);
    const Tensor* images[] = {&image};
    return shape_->Run(context, images, out);
  }

 private:
  const JpegOptions options_;
  const std::shared_ptr<const Kernel> shape_;
};

struct Region {
  JpegOptions options;
  std::shared_ptr<const CropKernel> crop;  // null: all of the image
  size_t crop_inputs = 0;                  // that follow the contents
  std::shared_ptr<const Kernel> resize;    // null: as large as it is
};

class DecodeRegionKernel final : public Kernel {
 public:
  explicit DecodeRegionKernel(Region region) : region_(std::move(region)) {}

  Status Run(KernelContext* context, Inputs in, Outputs out) const override {
    JpegOptions options = region_.options;
    if (region_.crop != nullptr) {
      FASTPIPE_ASSIGN(const auto dims, DecodedShape(options, *in[0]));
      FASTPIPE_ASSIGN(const Box box, region_.crop->Locate(in.first(1 + region_.crop_inputs), dims));
      options.crop = JpegCrop{box.y, box.x, box.height, box.width};
    }
    if (region_.resize == nullptr) return DecodeJpeg(in[0]->str(), options, &out[0]);
    Tensor pixels;
    Output decoded(&pixels);
    FASTPIPE_RETURN_IF_ERROR(DecodeJpeg(in[0]->str(), options, &decoded));
    std::vector<const Tensor*> inputs = {&pixels};
    inputs.insert(inputs.end(), in.begin() + 1 + region_.crop_inputs, in.end());
    return region_.resize->Run(context, inputs, out);
  }

 private:
  const Region region_;
};

bool IsResize(const ProgramView& program, int i) {
  const std::string& name = program.attrs(i).owner();
  return name == "resize" || name == "resize_like_pillow";
}

std::shared_ptr<const CropKernel> CropOf(const ProgramView& program, int i, int image) {
  auto crop = std::dynamic_pointer_cast<const CropKernel>(program.kernel(i));
  return program.inputs(i)[0] == image ? crop : nullptr;
}

// What is made of the image that instruction `decode` makes.
class RegionFinder {
 public:
  RegionFinder(const ProgramView& program, int decode, const JpegKernel& kernel)
      : program_(program), decode_(decode), image_(program.output(decode)) {
    region_.options = kernel.options();
    made_.instructions = {decode};
    made_.inputs = {program.inputs(decode)[0]};
  }

  std::vector<Replacement> Find() {
    const bool plain = region_.options.ratio == 1 && !region_.options.try_recover_truncated;
    std::vector<int> shapes;
    int reader = -1;
    for (int user : program_.users(image_)) {
      if (user < program_.size() && program_.attrs(user).owner() == "shape") {
        shapes.push_back(user);
      } else if (user == program_.size() || reader >= 0) {
        return {};
      } else {
        reader = user;
      }
    }
    if (!plain || reader < 0 || !AddReader(reader)) return {};
    std::vector<Replacement> found;
    for (int shape : shapes) {
      found.push_back(
          {{decode_, shape},
           {made_.inputs[0]},
           std::make_shared<const DecodedShapeKernel>(region_.options, program_.kernel(shape))});
    }
    made_.kernel = std::make_shared<const DecodeRegionKernel>(std::move(region_));
    found.push_back(std::move(made_));
    return found;
  }

 private:
  bool AddReader(int reader) {
    region_.crop = CropOf(program_, reader, image_);
    if (region_.crop == nullptr) return false;
    region_.crop_inputs = program_.inputs(reader).size() - 1;
    Add(reader);
    const int next = program_.OnlyUser(reader);
    if (next >= 0 && IsResize(program_, next) &&
        program_.inputs(next)[0] == program_.output(reader)) {
      region_.resize = program_.kernel(next);
      Add(next);
    }
    return true;
  }

  void Add(int instruction) {
    made_.instructions.push_back(instruction);
    const std::span<const int> inputs = program_.inputs(instruction).subspan(1);
    made_.inputs.insert(made_.inputs.end(), inputs.begin(), inputs.end());
  }

  const ProgramView& program_;
  const int decode_;
  const int image_;
  Region region_;
  Replacement made_;
};

std::vector<Replacement> DecodeRegionRule(const ProgramView& program) {
  std::vector<Replacement> found;
  for (int i = 0; i < program.size(); ++i) {
    const auto* kernel = dynamic_cast<const JpegKernel*>(program.kernel(i).get());
    if (kernel == nullptr) continue;
    for (Replacement& each : RegionFinder(program, i, *kernel).Find()) {
      found.push_back(std::move(each));
    }
  }
  return found;
}

FASTPIPE_REWRITE(DecodeRegionRule);

}  // namespace
}  // namespace fastpipe
