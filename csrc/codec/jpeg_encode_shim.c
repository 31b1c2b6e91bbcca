#include "codec/jpeg_encode_shim.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// jpeglib.h needs stdio.h before it.
#include <jerror.h>
#include <jpeglib.h>

enum { kFirstCapacity = 16 * 1024 };

struct fastpipe_jpeg_writer {
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_destination_mgr destination;
  jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
  bool out_of_memory;
  uint8_t* data;
  size_t capacity;
  size_t size;
};

static struct fastpipe_jpeg_writer* Self(j_common_ptr info) { return info->client_data; }

static void OnError(j_common_ptr info) {
  struct fastpipe_jpeg_writer* self = Self(info);
  self->out_of_memory = info->err->msg_code == JERR_OUT_OF_MEMORY;
  info->err->format_message(info, self->message);
  longjmp(self->jump, 1);
}

static void OnMessage(j_common_ptr info, int level) {
  (void)info;
  (void)level;
}

static void Silent(j_common_ptr info) { (void)info; }

// Gives libjpeg the room behind what has been written.
static void Offer(struct fastpipe_jpeg_writer* self, size_t used) {
  self->destination.next_output_byte = self->data + used;
  self->destination.free_in_buffer = self->capacity - used;
}

static boolean Grow(j_compress_ptr info) {
  struct fastpipe_jpeg_writer* self = Self((j_common_ptr)info);
  const size_t used = self->capacity;
  const size_t capacity = used == 0 ? kFirstCapacity : 2 * used;
  uint8_t* data = realloc(self->data, capacity);
  if (data == NULL) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
  self->data = data;
  self->capacity = capacity;
  Offer(self, used);
  return TRUE;
}

static void Begin(j_compress_ptr info) { Grow(info); }

static void End(j_compress_ptr info) {
  struct fastpipe_jpeg_writer* self = Self((j_common_ptr)info);
  self->size = self->capacity - self->destination.free_in_buffer;
}

static bool Create(struct fastpipe_jpeg_writer* self) {
  self->info.err = jpeg_std_error(&self->errors);
  self->errors.error_exit = OnError;
  self->errors.emit_message = OnMessage;
  self->errors.output_message = Silent;
  self->info.client_data = self;
  if (setjmp(self->jump)) return false;
  jpeg_create_compress(&self->info);
  self->destination.init_destination = Begin;
  self->destination.empty_output_buffer = Grow;
  self->destination.term_destination = End;
  self->info.dest = &self->destination;
  return true;
}

struct fastpipe_jpeg_writer* fastpipe_jpeg_writer_new(void) {
  struct fastpipe_jpeg_writer* self = calloc(1, sizeof *self);
  if (self != NULL && !Create(self)) {
    fastpipe_jpeg_writer_free(self);
    return NULL;
  }
  return self;
}

void fastpipe_jpeg_writer_free(struct fastpipe_jpeg_writer* self) {
  if (self == NULL) return;
  jpeg_destroy_compress(&self->info);
  free(self->data);
  free(self);
}

static void Configure(struct jpeg_compress_struct* info,
                      const struct fastpipe_jpeg_output* output) {
  info->image_width = output->width;
  info->image_height = output->height;
  info->input_components = output->channels;
  info->in_color_space = output->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(info);
  info->optimize_coding = output->optimize_size;
  info->density_unit = output->density_unit;
  info->X_density = output->x_density;
  info->Y_density = output->y_density;
  jpeg_set_quality(info, output->quality, TRUE);
  if (output->progressive) jpeg_simple_progression(info);
  for (int i = 0; !output->chroma_downsampling && i < info->num_components; ++i) {
    info->comp_info[i].h_samp_factor = 1;
    info->comp_info[i].v_samp_factor = 1;
  }
}

bool fastpipe_jpeg_write(struct fastpipe_jpeg_writer* self,
                         const struct fastpipe_jpeg_output* output, const uint8_t* pixels) {
  struct jpeg_compress_struct* info = &self->info;
  if (setjmp(self->jump)) return false;
  Configure(info, output);
  jpeg_start_compress(info, TRUE);
  if (output->app1 != NULL) {
    jpeg_write_marker(info, JPEG_APP0 + 1, output->app1, (unsigned)output->app1_size);
  }
  const size_t row_bytes = (size_t)output->width * (size_t)output->channels;
  while (info->next_scanline < info->image_height) {
    JSAMPROW row = (JSAMPROW)(pixels + info->next_scanline * row_bytes);
    jpeg_write_scanlines(info, &row, 1);
  }
  jpeg_finish_compress(info);
  return true;
}

const uint8_t* fastpipe_jpeg_writer_data(const struct fastpipe_jpeg_writer* self, size_t* size) {
  *size = self->size;
  return self->data;
}

const char* fastpipe_jpeg_writer_message(const struct fastpipe_jpeg_writer* self) {
  return self->message;
}

bool fastpipe_jpeg_writer_out_of_memory(const struct fastpipe_jpeg_writer* self) {
  return self->out_of_memory;
}
