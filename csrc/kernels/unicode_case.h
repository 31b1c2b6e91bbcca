// AppendLower, AppendUpper: UTF-8 text in another case, by the full mappings of Unicode.
//
// Contract: one character may become several; a sigma at the end of a word gets its final form; a
// malformed piece becomes U+FFFD. No locale counts. Thread rule: free functions without state.
#pragma once

#include <string>
#include <string_view>

namespace fastpipe {

void AppendLower(std::string_view text, std::string* out);
void AppendUpper(std::string_view text, std::string* out);

}  // namespace fastpipe
