// The libpng calls of png_encode.cc, as a C interface. Private to csrc/codec.
//
// Contract: as in codec/jpeg_shim.h: setjmp and longjmp stay inside png_encode_shim.c, in frames
// that own nothing. Functions return false on error; fastpipe_png_writer_message explains.
// Threads: one at a time for a struct.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fastpipe_png_writer;

struct fastpipe_png_output {
  uint32_t width, height;
  int channels;     // 1 grey, 2 grey + alpha, 3 RGB, 4 RGB + alpha
  int bits;         // 8, or 16 in the machine's byte order
  int compression;  // 0 to 9; -1: zlib's default
};

// Null when memory has run out. A struct encodes one image. Release with fastpipe_png_writer_free.
struct fastpipe_png_writer* fastpipe_png_writer_new(void);
void fastpipe_png_writer_free(struct fastpipe_png_writer* writer);

// Encodes an image whose rows have no gaps.
bool fastpipe_png_write(struct fastpipe_png_writer* writer,
                        const struct fastpipe_png_output* output, const uint8_t* pixels);

// What was encoded; lives as long as `writer`.
const uint8_t* fastpipe_png_writer_data(const struct fastpipe_png_writer* writer, size_t* size);
const char* fastpipe_png_writer_message(const struct fastpipe_png_writer* writer);
bool fastpipe_png_writer_out_of_memory(const struct fastpipe_png_writer* writer);

#ifdef __cplusplus
}
#endif
