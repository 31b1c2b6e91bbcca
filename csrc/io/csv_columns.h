// CsvColumns: the dtypes of the columns of CSV text, and how a field becomes a value.
//
// Contract: the text of a field is empty, or stands for nothing, or is a value of the column's
// dtype. Errors name the field and quote it. Thread rule: constant once read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/args.h"
#include "io/csv.h"

namespace fastpipe {

struct CsvColumn {
  DType dtype = DType::kInvalid;
  bool (*parse)(std::string_view text, uint8_t* out) = nullptr;  // null for strings
  Tensor fallback;                                               // one value, or none: required
  size_t field = 0;                                              // where it stands in a record

  // Writes a number to `*number`, or a text to `*text`, which is `field` or the fallback's.
  Status Read(std::string_view field, const std::string& na_value, uint8_t* number,
              std::string_view* text) const;
};

struct CsvLayout {
  std::vector<CsvColumn> columns;
  CsvFormat format;
  std::string na_value;
  std::vector<size_t> excluded;  // fields that no column reads, ascending
  bool selected = false;         // some columns only: the fields after the last do not count
  size_t fields = 0;             // how many there must be besides; if selected, at least

  // Attributes: record_defaults (one tensor a column: its dtype is the column's; empty if the field
  // is required, else one value that stands for an empty field), field_delim, use_quote_delim,
  // na_value (text that counts as empty), select_cols (None: all; else which, ascending),
  // exclude_cols (which are left out, ascending).
  static Result<CsvLayout> Read(const Args& attrs);
  // InvalidArgument unless a record has the right number of fields.
  Status ExpectFields(size_t count) const;
};

}  // namespace fastpipe
