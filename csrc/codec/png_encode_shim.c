#include "codec/png_encode_shim.h"

#include <stdlib.h>
#include <string.h>

#include "codec/png_callbacks.h"

enum { kFirstCapacity = 16 * 1024, kMemoryLevel = 9 };

struct fastpipe_png_writer {
  png_structp png;
  png_infop info;
  struct fastpipe_png_trap trap;
  uint8_t* data;
  size_t capacity;
  size_t size;
};

static void Write(png_structp png, png_bytep from, size_t size) {
  struct fastpipe_png_writer* self = png_get_io_ptr(png);
  if (size > self->capacity - self->size) {
    size_t capacity = self->capacity == 0 ? kFirstCapacity : self->capacity;
    while (capacity - self->size < size) capacity *= 2;
    uint8_t* data = realloc(self->data, capacity);
    if (data == NULL) {
      self->trap.out_of_memory = true;
      png_error(png, "out of memory");
    }
    self->data = data;
    self->capacity = capacity;
  }
  memcpy(self->data + self->size, from, size);
  self->size += size;
}

static void Flush(png_structp png) { (void)png; }

static bool Create(struct fastpipe_png_writer* self) {
  if (setjmp(self->trap.jump)) return false;
  self->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &self->trap, PngError,
                                        PngIgnoreWarning, &self->trap, PngAllocate, PngRelease);
  if (self->png == NULL) return false;
  self->info = png_create_info_struct(self->png);
  if (self->info == NULL) return false;
  png_set_write_fn(self->png, self, Write, Flush);
  return true;
}

struct fastpipe_png_writer* fastpipe_png_writer_new(void) {
  struct fastpipe_png_writer* self = calloc(1, sizeof *self);
  if (self != NULL && !Create(self)) {
    fastpipe_png_writer_free(self);
    return NULL;
  }
  return self;
}

void fastpipe_png_writer_free(struct fastpipe_png_writer* self) {
  if (self == NULL) return;
  png_destroy_write_struct(&self->png, &self->info);
  free(self->data);
  free(self);
}

static bool IsLittleEndian(void) {
  const uint16_t one = 1;
  uint8_t first;
  memcpy(&first, &one, 1);
  return first == 1;
}

bool fastpipe_png_write(struct fastpipe_png_writer* self, const struct fastpipe_png_output* output,
                        const uint8_t* pixels) {
  static const int kColorTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                    PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  if (setjmp(self->trap.jump)) return false;
  // The caller has checked what the image costs; one long side is no reason to refuse.
  png_set_user_limits(self->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_compression_level(self->png, output->compression);
  png_set_compression_mem_level(self->png, kMemoryLevel);
  png_set_IHDR(self->png, self->info, output->width, output->height, output->bits,
               kColorTypes[output->channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(self->png, self->info);
  if (output->bits == 16 && IsLittleEndian()) png_set_swap(self->png);
  const size_t row_bytes =
      (size_t)output->width * (size_t)output->channels * (size_t)(output->bits / 8);
  for (uint32_t y = 0; y < output->height; ++y) png_write_row(self->png, pixels + y * row_bytes);
  png_write_end(self->png, NULL);
  return true;
}

const uint8_t* fastpipe_png_writer_data(const struct fastpipe_png_writer* self, size_t* size) {
  *size = self->size;
  return self->data;
}

const char* fastpipe_png_writer_message(const struct fastpipe_png_writer* self) {
  return self->trap.message;
}

bool fastpipe_png_writer_out_of_memory(const struct fastpipe_png_writer* self) {
  return self->trap.out_of_memory;
}
