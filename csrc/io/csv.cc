#include "io/csv.h"

#include "io/text.h"

namespace fastpipe {
namespace {

bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }

Status Malformed(size_t index, const char* problem, std::string_view rest) {
  return InvalidArgument(StrCat("field ", index, " ", problem, ", got ", Quoted(rest)));
}

class Splitter {
 public:
  Splitter(std::string_view record, const CsvFormat& format, std::vector<CsvField>* fields)
      : record_(record), format_(format), fields_(fields) {}

  Status Split(size_t limit) {
    while (fields_->size() < limit) {
      while (at_ < record_.size() && IsLineEnd(record_[at_])) ++at_;
      if (at_ >= record_.size()) break;
      const bool quoted = format_.quotes && record_[at_] == '"';
      FASTPIPE_RETURN_IF_ERROR(quoted ? Quoted() : Unquoted());
    }
    const bool ends_open = !record_.empty() && record_.back() == format_.delimiter;
    if (ends_open && fields_->size() < limit) fields_->emplace_back(record_.substr(0, 0), false);
    return Status::Ok();
  }

 private:
  // Both read the field at at_ and move past the delimiter after it.
  Status Unquoted() {
    const size_t begin = at_;
    for (; at_ < record_.size() && record_[at_] != format_.delimiter; ++at_) {
      if (IsLineEnd(record_[at_]) || (format_.quotes && record_[at_] == '"')) {
        return Malformed(fields_->size(), "must be quoted to hold a quote or line end",
                         record_.substr(begin));
      }
    }
    fields_->emplace_back(record_.substr(begin, at_ - begin), false);
    ++at_;
    return Status::Ok();
  }

  Status Quoted() {
    const size_t begin = at_ + 1;
    bool doubled_quotes = false;
    for (at_ = begin; at_ < record_.size(); ++at_) {
      if (record_[at_] != '"') continue;
      const bool last = at_ + 1 == record_.size();
      if (last || record_[at_ + 1] == format_.delimiter) {
        fields_->emplace_back(record_.substr(begin, at_ - begin), doubled_quotes);
        at_ += 2;
        return Status::Ok();
      }
      if (record_[at_ + 1] != '"') {
        return Malformed(fields_->size(), "must double the quotes inside quotes",
                         record_.substr(begin - 1));
      }
      doubled_quotes = true;
      ++at_;
    }
    return Malformed(fields_->size(), "must end with a quote as it began with one",
                     record_.substr(begin - 1));
  }

  const std::string_view record_;
  const CsvFormat& format_;
  std::vector<CsvField>* const fields_;
  size_t at_ = 0;
};

}  // namespace

std::string_view CsvField::Text(std::string* scratch) const {
  if (!doubled_quotes_) return raw_;
  scratch->clear();
  for (size_t i = 0; i < raw_.size(); ++i) {
    scratch->push_back(raw_[i]);
    if (raw_[i] == '"') ++i;
  }
  return *scratch;
}

Status SplitCsvRecord(std::string_view record, const CsvFormat& format, size_t limit,
                      std::vector<CsvField>* fields) {
  fields->clear();
  return Splitter(record, format, fields).Split(limit);
}

}  // namespace fastpipe
