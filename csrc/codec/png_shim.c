#include "codec/png_shim.h"

#include <stdlib.h>
#include <string.h>

#include "codec/png_callbacks.h"

struct fastpipe_png {
  png_structp png;
  png_infop info;
  struct fastpipe_png_trap trap;
  const uint8_t* next;
  size_t left;
  uint32_t width, height;
  int channels;  // of the output
  int bits;      // of the output
  bool widen;    // libpng gives 8 bits where 16 are wanted
  int passes;
};

static void Read(png_structp png, png_bytep to, size_t size) {
  struct fastpipe_png* self = png_get_io_ptr(png);
  if (self->left < size) png_error(png, "the data end too early");
  memcpy(to, self->next, size);
  self->next += size;
  self->left -= size;
}

// Text is of no use here, and zTXt and iTXt would be inflated.
static void IgnoreText(png_structp png) {
  static const png_byte kChunks[] = "tEXt\0zTXt\0iTXt\0eXIf\0sPLt";
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, kChunks, (int)(sizeof kChunks / 5));
}

static bool Create(struct fastpipe_png* self) {
  if (setjmp(self->trap.jump)) return false;
  self->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &self->trap, PngError,
                                       PngIgnoreWarning, &self->trap, PngAllocate, PngRelease);
  if (self->png == NULL) return false;
  self->info = png_create_info_struct(self->png);
  if (self->info == NULL) return false;
  png_set_read_fn(self->png, self, Read);
  // The number of pixels is limited by the caller; one long side is no reason to refuse.
  png_set_user_limits(self->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  IgnoreText(self->png);
  return true;
}

struct fastpipe_png* fastpipe_png_new(const uint8_t* data, size_t size) {
  struct fastpipe_png* self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  self->next = data;
  self->left = size;
  if (!Create(self)) {
    fastpipe_png_free(self);
    return NULL;
  }
  return self;
}

void fastpipe_png_free(struct fastpipe_png* self) {
  if (self == NULL) return;
  png_destroy_read_struct(&self->png, &self->info, NULL);
  free(self);
}

bool fastpipe_png_read_header(struct fastpipe_png* self, struct fastpipe_png_header* header) {
  if (setjmp(self->trap.jump)) return false;
  png_read_info(self->png, self->info);
  self->width = png_get_image_width(self->png, self->info);
  self->height = png_get_image_height(self->png, self->info);
  header->width = self->width;
  header->height = self->height;
  header->bit_depth = png_get_bit_depth(self->png, self->info);
  header->channels = png_get_channels(self->png, self->info);
  if (png_get_color_type(self->png, self->info) == PNG_COLOR_TYPE_PALETTE) {
    header->channels = png_get_valid(self->png, self->info, PNG_INFO_tRNS) ? 4 : 3;
  }
  return true;
}

static void ChooseAlpha(struct fastpipe_png* self, int color_type) {
  const bool has_alpha = (color_type & PNG_COLOR_MASK_ALPHA) != 0;
  const bool has_transparency = png_get_valid(self->png, self->info, PNG_INFO_tRNS) != 0;
  const bool wants_alpha = self->channels % 2 == 0;
  if (!wants_alpha) {
    if (has_alpha || has_transparency) png_set_strip_alpha(self->png);
  } else if (!has_alpha && has_transparency) {
    png_set_tRNS_to_alpha(self->png);
  } else if (!has_alpha) {
    png_set_add_alpha(self->png, 0xFFFF, PNG_FILLER_AFTER);
  }
}

static void ChooseColor(struct fastpipe_png* self, int color_type, int bit_depth) {
  const bool is_gray = (color_type & PNG_COLOR_MASK_COLOR) == 0;
  const bool wants_gray = self->channels < 3;
  if (color_type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(self->png);
  if (is_gray && bit_depth < 8) png_set_expand_gray_1_2_4_to_8(self->png);
  if (is_gray && !wants_gray) png_set_gray_to_rgb(self->png);
  // TensorFlow's weights: Rec. 601.
  if (!is_gray && wants_gray) png_set_rgb_to_gray(self->png, 1, 0.299, 0.587);
}

static bool IsLittleEndian(void) {
  const uint16_t one = 1;
  uint8_t first;
  memcpy(&first, &one, 1);
  return first == 1;
}

bool fastpipe_png_configure(struct fastpipe_png* self, int channels, int bits) {
  if (setjmp(self->trap.jump)) return false;
  const int color_type = png_get_color_type(self->png, self->info);
  const int bit_depth = png_get_bit_depth(self->png, self->info);
  self->channels = channels;
  self->bits = bits;
  self->widen = bit_depth <= 8 && bits == 16;
  ChooseAlpha(self, color_type);
  if (bit_depth == 16 && bits == 8) png_set_strip_16(self->png);
  if (bit_depth == 16 && bits == 16 && IsLittleEndian()) png_set_swap(self->png);
  ChooseColor(self, color_type, bit_depth);
  self->passes = png_set_interlace_handling(self->png);
  png_read_update_info(self->png, self->info);
  const size_t row_bytes = (size_t)self->width * (size_t)channels * (self->widen ? 1 : bits / 8u);
  if (png_get_rowbytes(self->png, self->info) != row_bytes) {
    png_error(self->png, "unsupported combination of colour type and channels");
  }
  return true;
}

// In place and from the end, since a wide value covers two narrow ones.
static void WidenRow(uint8_t* row, size_t values) {
  for (size_t i = values; i-- > 0;) {
    const uint8_t value = row[i];
    row[2 * i] = value;
    row[2 * i + 1] = value;
  }
}

bool fastpipe_png_read(struct fastpipe_png* self, uint8_t* pixels, ptrdiff_t row_stride) {
  if (setjmp(self->trap.jump)) return false;
  for (int pass = 0; pass < self->passes; ++pass) {
    for (uint32_t y = 0; y < self->height; ++y) {
      png_read_row(self->png, pixels + (ptrdiff_t)y * row_stride, NULL);
    }
  }
  png_read_end(self->png, NULL);
  for (uint32_t y = 0; self->widen && y < self->height; ++y) {
    WidenRow(pixels + (ptrdiff_t)y * row_stride, (size_t)self->width * (size_t)self->channels);
  }
  return true;
}

const char* fastpipe_png_message(const struct fastpipe_png* self) { return self->trap.message; }

bool fastpipe_png_out_of_memory(const struct fastpipe_png* self) {
  return self->trap.out_of_memory;
}
