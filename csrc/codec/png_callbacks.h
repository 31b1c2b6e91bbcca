/* What libpng calls back for errors and memory, of the decoder and of the encoder.
 *
 * Contract: pass a fastpipe_png_trap to libpng as its error and its memory pointer. An error puts
 * its text into `message` and jumps to `jump`, which each call into libpng sets first. Thread rule:
 * a trap belongs to one thread at a time. */
#pragma once

#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct fastpipe_png_trap {
  jmp_buf jump;
  char message[128];
  bool out_of_memory;
};

static inline void PngError(png_structp png, png_const_charp message) {
  struct fastpipe_png_trap* trap = png_get_error_ptr(png);
  snprintf(trap->message, sizeof trap->message, "%s", message);
  longjmp(trap->jump, 1);
}

static inline void PngIgnoreWarning(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static inline png_voidp PngAllocate(png_structp png, png_alloc_size_t size) {
  struct fastpipe_png_trap* trap = png_get_mem_ptr(png);
  void* memory = malloc(size);
  if (memory == NULL) trap->out_of_memory = true;
  return memory;
}

static inline void PngRelease(png_structp png, png_voidp memory) {
  (void)png;
  free(memory);
}
