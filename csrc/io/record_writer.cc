#include "io/record_writer.h"

#include <cstring>

#include "io/crc32c.h"

namespace fastpipe {
namespace {

template <typename T>
void Put(T value, char* out) {
  std::memcpy(out, &value, sizeof(value));
}

}  // namespace

Status RecordWriter::Write(std::string_view record) {
  char header[12];
  Put<uint64_t>(record.size(), header);
  Put<uint32_t>(MaskedCrc32c({header, 8}), header + 8);
  char footer[4];
  Put<uint32_t>(MaskedCrc32c(record), footer);
  FASTPIPE_RETURN_IF_ERROR(stream_->Append({header, sizeof(header)}));
  FASTPIPE_RETURN_IF_ERROR(stream_->Append(record));
  return stream_->Append({footer, sizeof(footer)});
}

}  // namespace fastpipe
