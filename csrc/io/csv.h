// Fields of one CSV record, RFC 4180.
//
// Contract: fields are parts of the record, nothing is copied. A quoted field runs to the quote
// that is followed by a delimiter or the end, and may hold delimiters, line ends and doubled
// quotes. An unquoted field holds no quote and no line end. Line ends before a field are passed
// over. Thread rule: free functions without state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace fastpipe {

struct CsvFormat {
  char delimiter = ',';
  bool quotes = true;  // false: a quote is a character like any other
};

class CsvField {
 public:
  CsvField(std::string_view raw, bool doubled_quotes)
      : raw_(raw), doubled_quotes_(doubled_quotes) {}
  // The text without enclosing quotes: a part of the record, or `*scratch` if quotes in it were
  // doubled.
  std::string_view Text(std::string* scratch) const;

 private:
  std::string_view raw_;
  bool doubled_quotes_;
};

// Replaces `*fields` by the first `limit` fields of `record`. An empty record has none.
// InvalidArgument says which field is malformed and how.
Status SplitCsvRecord(std::string_view record, const CsvFormat& format, size_t limit,
                      std::vector<CsvField>* fields);

}  // namespace fastpipe
