// Compressed samples for tests: what zlib itself makes of given bytes.
#pragma once

#include <zlib.h>

#include <memory>
#include <string>
#include <string_view>

#include "codec/zlib_stream.h"

namespace fastpipe {

inline std::string Deflated(std::string_view bytes, ZlibFormat format) {
  z_stream state{};
  const int window = format == ZlibFormat::kGzip ? MAX_WBITS + 16 : MAX_WBITS;
  deflateInit2(&state, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&state, bytes.size()) + 32, '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  state.avail_in = static_cast<uInt>(bytes.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  deflate(&state, Z_FINISH);
  out.resize(out.size() - state.avail_out);
  deflateEnd(&state);
  return out;
}

inline std::string Gzipped(std::string_view bytes) { return Deflated(bytes, ZlibFormat::kGzip); }

}  // namespace fastpipe
