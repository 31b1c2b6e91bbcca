// decode_wav(contents): the samples of a WAV file as float32 [samples, channels], and the sample
// rate as an int32 scalar.
//
// Attributes: desired_channels and desired_samples; -1: as in the file. Missing channels repeat the
// last one, missing samples are zero.
//
// encode_wav(audio, sample_rate): float32 [samples, channels] as a WAV file of 16-bit PCM.

#include <algorithm>

#include "codec/wav.h"
#include "core/registry.h"
#include "kernels/encoded_image.h"

namespace fastpipe {
namespace {

// What may be asked for beyond what the file has.
constexpr int64_t kMaxValues = int64_t{1} << 28;

struct Desired {
  int64_t channels;
  int64_t samples;
};

Status RunDecodeWav(const Args& attrs, const Desired& desired, const Tensor& contents,
                    Outputs out) {
  FASTPIPE_ASSIGN(const std::string_view bytes, EncodedBytes(attrs, contents));
  FASTPIPE_ASSIGN(const WavInfo info, ReadWav(bytes));
  const int64_t frames = desired.samples >= 0 ? desired.samples : info.frames;
  const int64_t channels = desired.channels >= 0 ? desired.channels : info.channels;
  if (channels > info.channels && frames > kMaxValues / channels) {
    return attrs.Error(StrCat(frames, " samples of ", channels, " channels are too many"));
  }
  const int64_t dims[] = {frames, channels};
  float* to = out[0].Allocate<float>(dims);
  const int64_t known = std::min(frames, info.frames);
  for (int64_t i = 0; i < known; ++i) {
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t source = std::min(c, info.channels - 1);
      *to++ = WavSample(info.samples, i * info.channels + source);
    }
  }
  std::fill_n(to, (frames - known) * channels, 0.0f);
  out[1].Set(Tensor::Scalar(static_cast<int32_t>(info.sample_rate)));
  return Status::Ok();
}

Result<KernelPlan> PlanDecodeWav(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectEncoded(attrs, inputs));
  Desired desired;
  FASTPIPE_ASSIGN(desired.channels, attrs.IntOr("desired_channels", -1, {-1, INT32_MAX}));
  FASTPIPE_ASSIGN(desired.samples, attrs.IntOr("desired_samples", -1, {-1, INT32_MAX}));
  if (desired.channels > 0 && desired.samples > kMaxValues / desired.channels) {
    return attrs.Error(
        StrCat(desired.samples, " samples of ", desired.channels, " channels are too many"));
  }
  return KernelPlan{{TensorSpec::Of(DType::kFloat32, {desired.samples, desired.channels}),
                     TensorSpec::Scalar(DType::kInt32)},
                    KernelFrom([attrs, desired](KernelContext*, Inputs in, Outputs out) {
                      return RunDecodeWav(attrs, desired, *in[0], out);
                    })};
}

Status ExpectAudio(const Args& attrs, const std::string& given, int rank) {
  if (rank == 2) return Status::Ok();
  return attrs.Error(StrCat("audio must be float32 [samples, channels], got ", given));
}

Result<KernelPlan> PlanEncodeWav(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 2));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kFloat32));
  if (inputs[0].known_rank) {
    FASTPIPE_RETURN_IF_ERROR(ExpectAudio(attrs, inputs[0].ToString(), inputs[0].rank()));
  }
  if (!IsInteger(inputs[1].dtype) || inputs[1].rank() > 0) {
    return attrs.Error(StrCat("sample_rate must be a scalar integer, got ", inputs[1].ToString()));
  }
  return KernelPlan{
      {TensorSpec::Scalar(DType::kString)},
      KernelFrom([attrs](KernelContext*, Inputs in, Outputs out) -> Status {
        const Tensor &audio = *in[0], &rate = *in[1];
        FASTPIPE_RETURN_IF_ERROR(
            ExpectAudio(attrs, StrCat("shape ", ShapeString(audio.dims())), audio.rank()));
        if (rate.rank() != 0) {
          return attrs.Error(
              StrCat("sample_rate must be a scalar, got shape ", ShapeString(rate.dims())));
        }
        FASTPIPE_ASSIGN(const std::string wav,
                        WriteWav(audio.data<float>(), audio.dim(0), audio.dim(1), rate.AsInt64()));
        out[0].Set(Tensor::String(wav));
        return Status::Ok();
      })};
}

FASTPIPE_KERNEL("decode_wav", PlanDecodeWav);
FASTPIPE_KERNEL("encode_wav", PlanEncodeWav);

}  // namespace
}  // namespace fastpipe
