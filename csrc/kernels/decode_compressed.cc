// decode_compressed(bytes): each string decompressed.
//
// Attributes: compression_type, "", "GZIP", "ZLIB" or "ZSTD"; max_size, of one result, in bytes.

#include <algorithm>

#include "codec/decompress.h"
#include "core/registry.h"
#include "kernels/string_map.h"

namespace fastpipe {
namespace {

constexpr int64_t kMaxSize = int64_t{1} << 30;  // TensorFlow's

struct Compression {
  std::string name;
  CompressedFormat format;
  size_t max_size;
};

Result<Decompressed> DecompressOne(const Compression& compression, const Limits& limits,
                                   std::string_view bytes) {
  const auto most = static_cast<size_t>(limits.MostFrom(static_cast<int64_t>(bytes.size())));
  auto result = Decompress(bytes, compression.format, std::min(compression.max_size, most));
  if (result.ok()) return result;
  return Status(result.status().code(), StrCat("cannot decompress ", bytes.size(), " bytes as ",
                                               compression.name, ": ", result.status().message()));
}

std::string_view View(const Decompressed& result) {
  return {reinterpret_cast<const char*>(result.buffer->data()), result.size};
}

Status Run(const Compression& compression, const Limits& limits, const Tensor& input,
           Output* output) {
  if (input.rank() == 0) {
    FASTPIPE_ASSIGN(Decompressed result, DecompressOne(compression, limits, input.str()));
    const std::string_view text = View(result);
    output->Set(Tensor::StringSlice(std::move(result.buffer), text));
    return Status::Ok();
  }
  const int64_t count = input.num_elements();
  StringArrayBuilder builder(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    FASTPIPE_ASSIGN(const Decompressed result, DecompressOne(compression, limits, input.str(i)));
    builder.Append(View(result));
  }
  output->Set(builder.Build(input.dims()));
  return Status::Ok();
}

Result<KernelPlan> PlanDecodeCompressed(const Args& attrs, Specs inputs) {
  Compression compression;
  FASTPIPE_ASSIGN(compression.name, attrs.StringOr("compression_type", ""));
  FASTPIPE_ASSIGN(const int64_t max_size, attrs.IntOr("max_size", kMaxSize, {0, INT64_MAX}));
  compression.max_size = static_cast<size_t>(max_size);
  if (compression.name.empty()) {
    return PlanStringMap(attrs, inputs, DType::kString, [](const Tensor& input, Output* output) {
      output->Set(input);
      return Status::Ok();
    });
  }
  if (compression.name == "GZIP") {
    compression.format = CompressedFormat::kGzip;
  } else if (compression.name == "ZLIB") {
    compression.format = CompressedFormat::kZlib;
  } else if (compression.name == "ZSTD") {
    compression.format = CompressedFormat::kZstd;
  } else {
    return attrs.Error(StrCat("compression_type must be '', 'GZIP', 'ZLIB' or 'ZSTD', got '",
                              compression.name, "'"));
  }
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 1));
  FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, 0, DType::kString));
  return KernelPlan{{inputs[0]},
                    KernelFrom([compression](KernelContext* context, Inputs in, Outputs out) {
                      return Run(compression, context->limits, *in[0], &out[0]);
                    })};
}

FASTPIPE_KERNEL("decode_compressed", PlanDecodeCompressed);

}  // namespace
}  // namespace fastpipe
