// The libjpeg calls of jpeg.cc, as a C interface. Private to csrc/codec.
//
// Contract: libjpeg reports errors by longjmp. Every setjmp and every longjmp happens inside
// jpeg_shim.c, in frames that own nothing: all memory is owned by `struct fastpipe_jpeg`, by its
// libjpeg pools, or by the caller. Functions return false on error; fastpipe_jpeg_message explains.
// Threads: one thread for the life of a struct.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fastpipe_jpeg;

struct fastpipe_jpeg_header {
  uint32_t width, height;
  int channels;    // of the stored colours: 1, 3 or 4
  int components;  // of the file
  bool huffman;    // every unit costs at least one bit, unlike arithmetic coding
  uint64_t units;  // minimum coded units of a scan of all components
};

struct fastpipe_jpeg_setup {
  int channels;  // 1 or 3
  int ratio;
  bool fancy_upscaling;
  bool fast_dct;
  bool recover;
  int max_scans;       // of a progressive image
  bool libjpeg_only;   // its own Huffman decoder
  bool libjpeg_edges;  // of a window: columns as jpeg_crop_scanline gives them
};

struct fastpipe_jpeg_window {
  uint32_t x, y, width, height;
};

// Null when memory has run out. Release with fastpipe_jpeg_free.
struct fastpipe_jpeg* fastpipe_jpeg_new(void);
void fastpipe_jpeg_free(struct fastpipe_jpeg* jpeg);

// `data` must stay alive until the last call for this image.
bool fastpipe_jpeg_read_header(struct fastpipe_jpeg* jpeg, const uint8_t* data, size_t size,
                               struct fastpipe_jpeg_header* header);
// Chooses the conversion and computes the size of the complete output.
bool fastpipe_jpeg_configure(struct fastpipe_jpeg* jpeg, const struct fastpipe_jpeg_setup* setup,
                             uint32_t* width, uint32_t* height);
// Starts decompression of `window`, which lies within the output.
bool fastpipe_jpeg_start(struct fastpipe_jpeg* jpeg, const struct fastpipe_jpeg_window* window);
// Decodes the next `count` rows of the window; `pixels` is where the first of them goes. After the
// last row the data are checked to be complete. On failure fastpipe_jpeg_rows rows of the window
// are valid.
bool fastpipe_jpeg_read(struct fastpipe_jpeg* jpeg, uint8_t* pixels, ptrdiff_t row_stride,
                        uint32_t count);
// Releases what the image holds; the struct is ready for the next one.
void fastpipe_jpeg_reset(struct fastpipe_jpeg* jpeg);

uint32_t fastpipe_jpeg_rows(const struct fastpipe_jpeg* jpeg);
long fastpipe_jpeg_warnings(const struct fastpipe_jpeg* jpeg);
const char* fastpipe_jpeg_message(const struct fastpipe_jpeg* jpeg);
bool fastpipe_jpeg_out_of_memory(const struct fastpipe_jpeg* jpeg);

#ifdef __cplusplus
}
#endif
