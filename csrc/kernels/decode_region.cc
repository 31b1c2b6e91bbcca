// decode_jpeg whose image is only cropped, or resized, or asked for its shape: the shape comes from
// the header, of the pixels only those are decoded that the crop takes, and they are resized a few
// rows at a time, so that the image never exists as a whole.

#include <algorithm>
#include <array>
#include <optional>

#include "core/rewrite.h"
#include "kernels/assemble.h"
#include "kernels/crop.h"
#include "kernels/decode_jpeg.h"
#include "kernels/image_resize.h"

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
  DecodedShapeKernel(std::shared_ptr<const JpegKernel> decode, std::shared_ptr<const Kernel> shape)
      : decode_(std::move(decode)), shape_(std::move(shape)) {}

  Status Run(KernelContext* context, Inputs in, Outputs out) const override {
    FASTPIPE_ASSIGN(const JpegOptions options, decode_->HowDecoded(in));
    if (options.ratio != 1 || options.try_recover_truncated) return GiveUp();
    FASTPIPE_ASSIGN(const auto dims, DecodedShape(options, *in[0]));
    // The kernel reads the shape of the image, none of its pixels.
    const Tensor image = Tensor::View(DType::kUint8, dims, BufferRef(), nullptr);
    const Tensor* images[] = {&image};
    return shape_->Run(context, images, out);
  }

 private:
  const std::shared_ptr<const JpegKernel> decode_;
  const std::shared_ptr<const Kernel> shape_;
};

struct Region {
  std::shared_ptr<const JpegKernel> decode;
  std::shared_ptr<const CropKernel> crop;      // null: none
  std::shared_ptr<const ResizeKernel> resize;  // null: none
  bool to_floats = false;                      // the pixels become float32 before they are resized
  // Of each kernel, those behind its first.
  size_t decode_inputs = 0;
  size_t crop_inputs = 0;
};

class DecodeRegionKernel final : public Kernel {
 public:
  explicit DecodeRegionKernel(Region region) : region_(std::move(region)) {}

  Status Run(KernelContext* context, Inputs in, Outputs out) const override {
    const Tensor& contents = *in[0];
    if (contents.rank() != 0 || ImageFormatOf(contents.str()) != ImageFormat::kJpeg) {
      return GiveUp();
    }
    FASTPIPE_ASSIGN(JpegOptions options, region_.decode->HowDecoded(Of(in, 0)));
    // The whole image may be needed to know what can be recovered of it.
    if (options.try_recover_truncated) return GiveUp();
    if (region_.crop != nullptr) {
      if (options.ratio != 1) return GiveUp();
      FASTPIPE_ASSIGN(const auto dims, DecodedShape(options, contents));
      FASTPIPE_ASSIGN(const Box box, region_.crop->Locate(Of(in, region_.decode_inputs), dims));
      options.crop = JpegCrop{box.y, box.x, box.height, box.width};
    }
    if (region_.resize == nullptr) {
      return DecodeJpeg(contents.str(), options, context->limits, &out[0]);
    }
    return Resize(contents.str(), Limited(options, contents.str(), context->limits),
                  Of(in, region_.decode_inputs + region_.crop_inputs), &out[0]);
  }

 private:
  // The inputs of a kernel whose own ones begin behind `before` others; its image is not there.
  static Inputs Of(Inputs in, size_t before) { return in.subspan(before); }

  Status Resize(std::string_view bytes, const JpegOptions& options, Inputs in, Output* out) const {
    std::optional<JpegResize> resize = region_.resize->HowResized(in);
    if (!resize || options.channels == 4) return GiveUp();
    if (region_.to_floats && !resize->gives_floats()) return GiveUp();
    resize->fast_decode = region_.decode->fast_decode();
    ResizedJpegDecoder decoder;
    JpegInfo info;
    FASTPIPE_RETURN_IF_ERROR(decoder.Start(bytes, options, *resize, &info));
    const int64_t dims[] = {info.height, info.width, info.channels};
    FASTPIPE_RETURN_IF_ERROR(ExpectPossibleDims("", dims));
    const DType dtype = resize->gives_floats() ? DType::kFloat32 : DType::kUint8;
    return decoder.ReadInto(out->Allocate(dtype, dims));
  }

  const Region region_;
};

// What is made of the image that instruction `decode` makes.
class RegionFinder {
 public:
  RegionFinder(const ProgramView& program, int decode, std::shared_ptr<const JpegKernel> kernel)
      : program_(program), decode_(decode) {
    region_.decode = std::move(kernel);
    made_.inputs = {program.inputs(decode)[0]};
    region_.decode_inputs = Add(decode);
  }

  std::vector<Replacement> Find() {
    std::vector<int> shapes;
    int reader = -1;
    for (int user : program_.users(program_.output(decode_))) {
      if (user == program_.size()) return {};
      if (program_.attrs(user).owner() == "shape") {
        shapes.push_back(user);
      } else if (reader < 0) {
        reader = user;
      } else {
        return {};
      }
    }
    if (reader < 0 || (region_.decode->crops() && !shapes.empty()) || !AddReader(reader)) return {};
    std::vector<Replacement> found;
    for (int shape : shapes) {
      found.push_back(
          {{decode_, shape},
           {made_.inputs[0]},
           std::make_shared<const DecodedShapeKernel>(region_.decode, program_.kernel(shape))});
    }
    made_.kernel = std::make_shared<const DecodeRegionKernel>(std::move(region_));
    found.push_back(std::move(made_));
    return found;
  }

 private:
  // A crop, a resize, or both, which use the image as `reader` does.
  bool AddReader(int reader) {
    if (!region_.decode->crops()) {
      region_.crop = KernelAt<CropKernel>(reader, decode_);
      if (region_.crop != nullptr) {
        region_.crop_inputs = Add(reader);
        reader = program_.OnlyUser(reader);
      }
    }
    AddResize(reader);
    return made_.instructions.size() > 1;
  }

  void AddResize(int reader) {
    const int cast = reader >= 0 && IsCastToFloats(reader) ? reader : -1;
    if (cast >= 0) reader = program_.OnlyUser(cast);
    if (reader < 0) return;
    region_.resize = KernelAt<ResizeKernel>(reader, cast >= 0 ? cast : made_.instructions.back());
    if (region_.resize == nullptr) return;
    region_.to_floats = cast >= 0;
    if (cast >= 0) Add(cast);
    Add(reader);
  }

  // The kernel of `instruction` if its image, the first input, is what `maker` makes.
  template <typename T>
  std::shared_ptr<const T> KernelAt(int instruction, int maker) const {
    const bool reads = program_.inputs(instruction)[0] == program_.output(maker);
    return reads ? std::dynamic_pointer_cast<const T>(program_.kernel(instruction)) : nullptr;
  }

  bool IsCastToFloats(int instruction) const {
    return program_.attrs(instruction).owner() == "cast" &&
           program_.spec(program_.output(instruction)).dtype == DType::kFloat32;
  }

  // How many inputs it has behind the first.
  size_t Add(int instruction) {
    made_.instructions.push_back(instruction);
    const std::span<const int> inputs = program_.inputs(instruction).subspan(1);
    made_.inputs.insert(made_.inputs.end(), inputs.begin(), inputs.end());
    return inputs.size();
  }

  const ProgramView& program_;
  const int decode_;
  Region region_;
  Replacement made_;
};

std::vector<Replacement> DecodeRegionRule(const ProgramView& program) {
  std::vector<Replacement> found;
  for (int i = 0; i < program.size(); ++i) {
    auto kernel = std::dynamic_pointer_cast<const JpegKernel>(program.kernel(i));
    if (kernel == nullptr) continue;
    for (Replacement& each : RegionFinder(program, i, std::move(kernel)).Find()) {
      found.push_back(std::move(each));
    }
  }
  return found;
}

FASTPIPE_REWRITE(DecodeRegionRule);

}  // namespace
}  // namespace fastpipe
