// regex_full_match(text), regex_replace(text): RE2 on each string.
//
// The pattern is compiled once, when the kernel is planned: a bad one fails there.

#include <dlfcn.h>
#include <re2/re2.h>

#include <cstring>

#include "core/registry.h"
#include "io/text.h"
#include "kernels/string_map.h"

namespace fastpipe {
namespace {

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

// The file that `address` was loaded from.
std::string_view FileOf(const void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

// TensorFlow, when imported first, puts its own RE2, another version, in the place of ours for the
// whole process. Calling that one would crash.
Status CheckOwnRe2(const Args& attrs) {
  // Any symbol whose name is the same in all versions would do.
  const auto method = &RE2::ProgramSize;
  const void* address = nullptr;
  std::memcpy(&address, &method, sizeof(address));
  const std::string_view file = FileOf(address);
  const bool linked_in = file == FileOf(reinterpret_cast<const void*>(&CheckOwnRe2));
  if (linked_in || file.find("libre2") != std::string_view::npos) return Status::Ok();
  return FailedPrecondition(StrCat(attrs.owner(),
                                   ": regular expressions need the RE2 that fastpipe "
                                   "was built with, got the one in ",
                                   file, ": import fastpipe before tensorflow"));
}

Result<std::shared_ptr<const RE2>> Compile(const Args& attrs) {
  FASTPIPE_RETURN_IF_ERROR(CheckOwnRe2(attrs));
  FASTPIPE_ASSIGN(const std::string pattern, attrs.String("pattern"));
  RE2::Options options;
  options.set_log_errors(false);
  auto compiled = std::make_shared<const RE2>(pattern, options);
  if (compiled->ok()) return compiled;
  return attrs.Error(StrCat("pattern must be a regular expression in RE2 syntax, got ",
                            Quoted(pattern), ": ", compiled->error()));
}

Result<KernelPlan> PlanFullMatch(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(auto pattern, Compile(attrs));
  return PlanStringMap(attrs, inputs, DType::kBool, [pattern](const Tensor& input, Output* output) {
    bool* matches = output->Allocate<bool>(input.dims());
    const int64_t count = input.num_elements();
    for (int64_t i = 0; i < count; ++i) {
      matches[i] = RE2::FullMatch(Piece(input.str(i)), *pattern);
    }
    return Status::Ok();
  });
}

Result<KernelPlan> PlanReplace(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(auto pattern, Compile(attrs));
  FASTPIPE_ASSIGN(const std::string rewrite, attrs.String("rewrite"));
  FASTPIPE_ASSIGN(const bool global, attrs.BoolOr("replace_global", true));
  std::string error;
  if (!pattern->CheckRewriteString(Piece(rewrite), &error)) {
    return attrs.Error(StrCat("rewrite must fit pattern ", Quoted(pattern->pattern()), ", got ",
                              Quoted(rewrite), ": ", error));
  }
  return PlanStringMap(attrs, inputs, DType::kString,
                       [pattern, rewrite, global](const Tensor& input, Output* output) {
                         return RewriteStrings(
                             input, output, [&](std::string_view text, std::string* out) {
                               out->assign(text);
                               if (global) {
                                 RE2::GlobalReplace(out, *pattern, Piece(rewrite));
                               } else {
                                 RE2::Replace(out, *pattern, Piece(rewrite));
                               }
                               return Status::Ok();
                             });
                       });
}

FASTPIPE_KERNEL("regex_full_match", PlanFullMatch);
FASTPIPE_KERNEL("regex_replace", PlanReplace);

}  // namespace
}  // namespace fastpipe
