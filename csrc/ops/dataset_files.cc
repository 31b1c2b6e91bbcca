#include "ops/dataset_files.h"

namespace fastpipe {
namespace {

// AUTO is what decompresses fastest.
Result<Compression> CompressionArgument(const Args& args) {
  FASTPIPE_ASSIGN(const std::string name, args.StringOr("compression", ""));
  if (name == "NONE") return Compression::kNone;
  if (name == "AUTO") return Compression::kZstd;
  auto parsed = ParseCompression(name);
  if (parsed.ok()) return parsed;
  return args.Error(StrCat(
      "compression must be None, 'NONE', 'AUTO', 'GZIP', 'ZLIB' or 'ZSTD', got '", name, "'"));
}

}  // namespace

Result<SavedDataset> DescriptionArguments(const Args& args, const ElementSpec& spec) {
  SavedDataset description;
  FASTPIPE_ASSIGN(description.path, args.String("path"));
  FASTPIPE_ASSIGN(description.fingerprint, args.StringOr("fingerprint", ""));
  FASTPIPE_ASSIGN(description.structure, args.StringOr("structure", ""));
  FASTPIPE_ASSIGN(description.compression, CompressionArgument(args));
  description.spec = spec;
  if (description.path.empty() && !args.IsPlaceholder("path")) {
    return args.Error("the path must not be empty");
  }
  for (const TensorSpec& component : spec) {
    if (component.dtype != DType::kDataset) continue;
    return args.Error("elements that contain datasets cannot be written to files");
  }
  return description;
}

Result<std::optional<Function>> ShardFunction(const Args& args, const ElementSpec& spec) {
  if (!args.Has("shard_func")) return std::optional<Function>();
  FASTPIPE_ASSIGN(Function function, args.Func("shard_func"));
  FASTPIPE_RETURN_IF_ERROR(ExpectArgs(args, function, spec));
  const ElementSpec& outputs = function.program->output_specs();
  if (outputs.size() == 1 && outputs[0].dtype == DType::kInt64 &&
      (!outputs[0].known_rank || outputs[0].rank() == 0)) {
    return std::optional<Function>(std::move(function));
  }
  return args.Error(
      StrCat("shard_func must return a scalar int64, got ",
             outputs.size() == 1 ? outputs[0].ToString() : StrCat(outputs.size(), " tensors")));
}

Status ShardAssigner::Assign(const Element& element, int64_t* shard) {
  *shard = 0;
  if (!call_) return Status::Ok();
  FASTPIPE_RETURN_IF_ERROR(call_->Run(number_++, element, &result_));
  if (result_[0].rank() != 0) {
    return InvalidArgument(StrCat("shard_func must return a scalar int64, got shape ",
                                  ShapeString(result_[0].dims())));
  }
  *shard = result_[0].scalar<int64_t>();
  return Status::Ok();
}

}  // namespace fastpipe
