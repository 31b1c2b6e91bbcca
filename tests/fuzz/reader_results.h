// What a reader of files gives, as texts that can be compared.
//
// Contract: `NextText` puts what the next call of Next gives into `*text`: a line or record as it
// is, a CSV record as "[field][field]". Thread rule: plain functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/csv_reader.h"

namespace fastpipe::fuzz {

// Texts, and for each error what ErrorText makes of it.
using Results = std::vector<std::string>;

inline std::string ErrorText(const Status& status) { return StrCat("!", CodeName(status.code())); }

template <typename Reader>
Status NextText(Reader* reader, std::string* text) {
  std::string_view record;
  FASTPIPE_RETURN_IF_ERROR(reader->Next(&record));
  *text = record;
  return Status::Ok();
}

inline Status NextText(CsvReader* reader, std::string* text) {
  std::vector<CsvField> fields;
  FASTPIPE_RETURN_IF_ERROR(reader->Next(&fields));
  std::string scratch;
  text->clear();
  for (const CsvField& field : fields) *text += StrCat("[", field.Text(&scratch), "]");
  return Status::Ok();
}

}  // namespace fastpipe::fuzz
