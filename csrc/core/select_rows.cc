#include "core/select_rows.h"

#include <vector>

namespace fastpipe {
namespace {

// Without a branch, which a processor could not foresee: a row that is not kept is overwritten by
// the next one. Ends with the last that is kept, so that nothing is written behind the room.
template <typename Word>
void SelectWords(const uint8_t* from, std::span<const bool> keep, uint8_t* to, int64_t count) {
  const Word* in = reinterpret_cast<const Word*>(from);
  Word* out = reinterpret_cast<Word*>(to);
  int64_t kept = 0;
  for (size_t i = 0; kept < count; ++i) {
    out[kept] = in[i];
    kept += keep[i] ? 1 : 0;
  }
}

void SelectBytes(const uint8_t* from, std::span<const bool> keep, uint8_t* to, size_t row_bytes) {
  for (const bool kept : keep) {
    if (kept && row_bytes > 0) {
      std::memcpy(to, from, row_bytes);
      to += row_bytes;
    }
    from += row_bytes;
  }
}

Tensor SelectStrings(const Tensor& column, std::span<const bool> keep, Dims dims) {
  const int64_t row = NumElements(dims.subspan(1));
  StringArrayBuilder builder(static_cast<size_t>(NumElements(dims)));
  for (size_t i = 0; i < keep.size(); ++i) {
    const int64_t first = static_cast<int64_t>(i) * row;
    for (int64_t j = first; keep[i] && j < first + row; ++j) builder.Append(column.str(j));
  }
  return builder.Build(dims);
}

}  // namespace

Tensor SelectRows(const Tensor& column, std::span<const bool> keep, int64_t count) {
  std::vector<int64_t> dims(column.dims().begin(), column.dims().end());
  dims[0] = count;
  if (column.is_string()) return SelectStrings(column, keep, dims);
  Tensor selected = Tensor::Allocate(column.dtype(), dims);
  uint8_t* const to = selected.mutable_raw();
  const size_t row_bytes = keep.empty() ? 0 : column.num_bytes() / keep.size();
  switch (row_bytes) {
    case 1:
      SelectWords<uint8_t>(column.raw(), keep, to, count);
      break;
    case 2:
      SelectWords<uint16_t>(column.raw(), keep, to, count);
      break;
    case 4:
      SelectWords<uint32_t>(column.raw(), keep, to, count);
      break;
    case 8:
      SelectWords<uint64_t>(column.raw(), keep, to, count);
      break;
    default:
      SelectBytes(column.raw(), keep, to, row_bytes);
  }
  return selected;
}

}  // namespace fastpipe
