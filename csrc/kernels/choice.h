// ReadChoice: a string attribute that is one of a few names.
//
// Contract: a kernel keeps one constexpr table of its names and their meanings.
// Thread rule: a free function without state.
#pragma once

#include <string>

#include "core/kernel.h"

namespace fastpipe {

template <typename Meaning>
struct Choice {
  const char* name;
  Meaning meaning;
};

// The meaning of the attribute `name`, or of the first in `choices` if it is absent; otherwise
// InvalidArgument that lists them.
template <typename Meaning, size_t kCount>
Result<Meaning> ReadChoice(const Args& attrs, const char* name,
                           const Choice<Meaning> (&choices)[kCount]) {
  FASTPIPE_ASSIGN(const std::string given, attrs.StringOr(name, choices[0].name));
  std::string known;
  for (const Choice<Meaning>& choice : choices) {
    if (given == choice.name) return choice.meaning;
    known += StrCat(known.empty() ? "'" : ", '", choice.name, "'");
  }
  return attrs.Error(StrCat(name, " must be one of ", known, ", got '", given, "'"));
}

}  // namespace fastpipe
