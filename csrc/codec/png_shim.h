// The libpng calls of png.cc, as a C interface. Private to csrc/codec.
//
// Contract: as in codec/jpeg_shim.h: setjmp and longjmp stay inside png_shim.c, in frames that own
// nothing. Functions return false on error; fastpipe_png_message explains.
// Threads: one at a time for a struct.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fastpipe_png;

struct fastpipe_png_header {
  uint32_t width, height;
  int channels;  // a palette counts as 3, or 4 with transparency
  int bit_depth;
};

// Null when memory has run out. A struct decodes one image. Release with fastpipe_png_free.
// `data` must stay alive until the last call.
struct fastpipe_png* fastpipe_png_new(const uint8_t* data, size_t size);
void fastpipe_png_free(struct fastpipe_png* png);

// Reads all up to the pixels.
bool fastpipe_png_read_header(struct fastpipe_png* png, struct fastpipe_png_header* header);
// Chooses the conversion: channels 1..4, bits 8 or 16.
bool fastpipe_png_configure(struct fastpipe_png* png, int channels, int bits);
// Decodes the image and checks what follows it.
bool fastpipe_png_read(struct fastpipe_png* png, uint8_t* pixels, ptrdiff_t row_stride);

const char* fastpipe_png_message(const struct fastpipe_png* png);
bool fastpipe_png_out_of_memory(const struct fastpipe_png* png);

#ifdef __cplusplus
}
#endif
