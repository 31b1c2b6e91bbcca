// The libjpeg calls of jpeg_encode.cc, as a C interface. Private to csrc/codec.
//
// Contract: as in codec/jpeg_shim.h: setjmp and longjmp stay inside jpeg_encode_shim.c, in frames
// that own nothing. Functions return false on error; fastpipe_jpeg_writer_message explains.
// Threads: one thread for the life of a struct.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fastpipe_jpeg_writer;

struct fastpipe_jpeg_output {
  uint32_t width, height;
  int channels;  // 1 or 3
  int quality;   // 0 to 100
  bool progressive;
  bool optimize_size;
  bool chroma_downsampling;
  uint8_t density_unit;  // 1: inch, 2: centimetre
  uint16_t x_density, y_density;
  const uint8_t* app1;  // the content of an APP1 segment, if not null
  size_t app1_size;
};

// Null when memory has run out. A struct encodes one image. Release with fastpipe_jpeg_writer_free.
struct fastpipe_jpeg_writer* fastpipe_jpeg_writer_new(void);
void fastpipe_jpeg_writer_free(struct fastpipe_jpeg_writer* writer);

// Encodes height * width * channels values, rows without gaps.
bool fastpipe_jpeg_write(struct fastpipe_jpeg_writer* writer,
                         const struct fastpipe_jpeg_output* output, const uint8_t* pixels);

// What was encoded; lives as long as `writer`.
const uint8_t* fastpipe_jpeg_writer_data(const struct fastpipe_jpeg_writer* writer, size_t* size);
const char* fastpipe_jpeg_writer_message(const struct fastpipe_jpeg_writer* writer);
bool fastpipe_jpeg_writer_out_of_memory(const struct fastpipe_jpeg_writer* writer);

#ifdef __cplusplus
}
#endif
