// Text as bytes: ASCII classes that no locale changes, quoting for messages, and numbers.
//
// Contract: nothing here depends on the process's locale; bytes above 127 belong to no class.
// Thread rule: free functions without state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fastpipe {

inline bool IsAsciiSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// `text` without white space at both ends.
std::string_view StripAsciiSpace(std::string_view text);

// 'text', shortened when long, with what cannot be printed as \xNN.
std::string Quoted(std::string_view text);

// Reads all of `text` as one number; white space around it is allowed. Integers are decimal, with
// an optional sign. Floating-point text may also be hexadecimal (0x1.8p3), inf, infinity or nan in
// any case; what is too large gives infinity, what is too small zero. False if `text` is anything
// else; `*value` is undefined then.
bool ParseNumber(std::string_view text, int32_t* value);
bool ParseNumber(std::string_view text, int64_t* value);
bool ParseNumber(std::string_view text, uint32_t* value);
bool ParseNumber(std::string_view text, uint64_t* value);
bool ParseNumber(std::string_view text, float* value);
bool ParseNumber(std::string_view text, double* value);

}  // namespace fastpipe
