#include "io/line_reader.h"

#include <algorithm>

namespace fastpipe {

Status LineReader::Next(std::string_view* line) {
  size_t searched = 0;
  for (;;) {
    const std::string_view window = stream_->window();
    const size_t length = window.find('\n', searched);
    searched = window.size();
    if (std::min(length, searched) > max_line_bytes_) {
      return AtPlace(*stream_, "line", lines_ + 1,
                     ResourceExhausted(StrCat("the line is longer than the limit of ",
                                              max_line_bytes_, " bytes")));
    }
    if (length != std::string_view::npos) {
      const bool carriage_return = length > 0 && window[length - 1] == '\r';
      *line = window.substr(0, length - (carriage_return ? 1 : 0));
      stream_->Consume(length + 1);
      ++lines_;
      return Status::Ok();
    }
    Status status = stream_->Fill(searched + 1);
    if (!status.ok()) return AtPlace(*stream_, "line", lines_ + 1, status);
    if (stream_->window().size() > searched) continue;
    if (searched == 0) return Status::EndOfSequence();
    *line = stream_->window();
    stream_->Consume(searched);
    ++lines_;
    return Status::Ok();
  }
}

Status LineReader::Skip(int64_t count, int64_t* skipped) {
  std::string_view line;
  for (int64_t i = 0; i < count; ++i) {
    FASTPIPE_RETURN_IF_ERROR(Next(&line));
    ++*skipped;
  }
  return Status::Ok();
}

}  // namespace fastpipe
