// Huffman decoding for libjpeg, in the place of its own: two thirds of the time of a JPEG.
//
// Contract: install() puts a decoder between libjpeg and the entropy-coded data of an image, if it
// is of the common kind (baseline, one scan, no restart markers, 8 bits); libjpeg then makes pixels
// of the coefficients as always. They are those that libjpeg's decoder gives. Where nobody looks at
// the coefficients (rows that are skipped, columns beside a crop, all but the first of a block that
// is scaled to one pixel) they are passed over several at a time. Whatever is out of the ordinary
// ends the image: `give_up` is called, which does not return, and the image has to be decoded again
// without this. Private to csrc/codec.
// Threads: one thread for the life of a struct. It owns nothing.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
// jpeglib.h needs stdio.h before it.
#include <jpeglib.h>

enum {
  kEntropyLookBits = 12,
  kEntropySkipBits = 10,
  kEntropyTables = 2,  // of each class, as baseline images have them
};

// A Huffman table, by the next bits of the data.
struct fastpipe_jpeg_codes {
  bool valid;
  uint8_t bits[17];      // the JHUFF_TBL it was made of
  uint8_t symbols[256];  // in the order of their codes
  int32_t first[18];     // of the codes of each length: the first code, and
  int32_t end[18];       // the one after the last,
  int32_t offset[18];    // and what gives the place of a code among the symbols
  uint16_t look[1 << kEntropyLookBits];
  bool has_skips;  // whether `skips` is there: it is made when it is needed
  uint16_t skips[1 << kEntropySkipBits];
};

struct fastpipe_jpeg_block {
  const struct fastpipe_jpeg_codes* dc;
  struct fastpipe_jpeg_codes* ac;
  int component;
  bool wanted;  // somebody looks at its coefficients
  bool only_first;
};

struct fastpipe_jpeg_entropy {
  struct fastpipe_jpeg_codes dc[kEntropyTables], ac[kEntropyTables];
  struct fastpipe_jpeg_block blocks[D_MAX_BLOCKS_IN_MCU];
  int last_dc[MAX_COMPS_IN_SCAN];
  JDIMENSION column, first_column, last_column;  // of MCUs; of those that are looked at
  const uint8_t *next, *end;
  uint64_t buffer;  // the bits to come, from the highest on
  int count;        // how many are there
  void (*give_up)(j_decompress_ptr);
};

// Between jpeg_start_decompress and the first row. Pixels of columns [left, right) of the output
// are looked at. `entropy` must live as long as the decompression, and keeps its tables for the
// next image. `entropy_of` finds it again.
void fastpipe_jpeg_entropy_install(j_decompress_ptr info, struct fastpipe_jpeg_entropy* entropy,
                                   JDIMENSION left, JDIMENSION right);
// To be written by the includer of this header: the struct that was installed.
struct fastpipe_jpeg_entropy* fastpipe_jpeg_entropy_of(j_decompress_ptr info);
