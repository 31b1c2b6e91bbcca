#include "codec/jpeg_shim.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// jerror.h needs jpeglib.h before it, and that stdio.h.
#include <jerror.h>
#include <jpeglib.h>

#include "codec/jpeg_entropy.h"

enum {
  kRowsPerCall = 16,  // libjpeg hands out at most this many rows at a time
  kBlock = DCTSIZE,
  // libjpeg-turbo writes rows that are aligned to vectors past the cache; those that are read next
  // start beside the alignment.
  kMisalignment = 8,
};

struct fastpipe_jpeg {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  struct jpeg_progress_mgr progress;
  jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
  bool out_of_memory;
  bool recover;       // data that end early are continued by an end marker
  bool end_inserted;  // ... which has happened
  uint32_t rows;      // decoded into the caller's memory
  uint32_t column;    // of the window, in the rows that libjpeg hands out
  bool skip;          // libjpeg leaves out rows and columns outside the window
  bool libjpeg_edges;
  struct fastpipe_jpeg_window window;
  bool direct;         // rows need neither trimming nor conversion
  JSAMPARRAY staging;  // rows on the way to the caller's memory, or to nowhere
  bool positioned;     // the next row that libjpeg hands out is the next of the window
  // Our own Huffman decoder, allocated for the first image; whether this one is beyond it.
  struct fastpipe_jpeg_entropy* entropy;
  bool gave_up;
  bool plain;  // begun again: with libjpeg's Huffman decoder, and nothing is left out
  const uint8_t* data;
  size_t size;
  struct fastpipe_jpeg_setup setup;
};

static struct fastpipe_jpeg* Self(j_common_ptr info) { return info->client_data; }

static void Fail(struct fastpipe_jpeg* jpeg, const char* message) {
  snprintf(jpeg->message, sizeof jpeg->message, "%s", message);
  longjmp(jpeg->jump, 1);
}

struct fastpipe_jpeg_entropy* fastpipe_jpeg_entropy_of(j_decompress_ptr info) {
  return Self((j_common_ptr)info)->entropy;
}

static void OnGiveUp(j_decompress_ptr info) {
  Self((j_common_ptr)info)->gave_up = true;
  Fail(Self((j_common_ptr)info), "the data are damaged");
}

static void OnError(j_common_ptr info) {
  struct fastpipe_jpeg* jpeg = Self(info);
  jpeg->out_of_memory = info->err->msg_code == JERR_OUT_OF_MEMORY;
  info->err->format_message(info, jpeg->message);
  longjmp(jpeg->jump, 1);
}

static void OnMessage(j_common_ptr info, int level) {
  if (level < 0) info->err->num_warnings++;
}

static void Silent(j_common_ptr info) { (void)info; }

static void OnProgress(j_common_ptr info) {
  const int limit = Self(info)->setup.max_scans;
  if (((j_decompress_ptr)info)->input_scan_number > limit) {
    char message[64];
    snprintf(message, sizeof message, "more scans than the limit of %d", limit);
    Fail(Self(info), message);
  }
}

static void NoSource(j_decompress_ptr info) { (void)info; }

static boolean FillInput(j_decompress_ptr info) {
  static const JOCTET kEnd[2] = {0xFF, JPEG_EOI};
  struct fastpipe_jpeg* jpeg = Self((j_common_ptr)info);
  if (!jpeg->recover || jpeg->end_inserted) Fail(jpeg, "the data end too early");
  jpeg->end_inserted = true;
  info->err->num_warnings++;
  info->src->next_input_byte = kEnd;
  info->src->bytes_in_buffer = sizeof kEnd;
  return TRUE;
}

static void SkipInput(j_decompress_ptr info, long count) {
  struct jpeg_source_mgr* source = info->src;
  if (count <= 0) return;
  if ((size_t)count > source->bytes_in_buffer) {
    source->next_input_byte += source->bytes_in_buffer;
    source->bytes_in_buffer = 0;
    FillInput(info);
    return;
  }
  source->next_input_byte += count;
  source->bytes_in_buffer -= (size_t)count;
}

// Once for each image: libjpeg keeps tables, and an image that lacks its own would take those of
// the one before.
static bool Create(struct fastpipe_jpeg* jpeg) {
  jpeg->info.err = jpeg_std_error(&jpeg->errors);
  jpeg->errors.error_exit = OnError;
  jpeg->errors.emit_message = OnMessage;
  jpeg->errors.output_message = Silent;
  jpeg->info.client_data = jpeg;
  if (setjmp(jpeg->jump)) return false;
  // Clears all of the struct but err and client_data.
  jpeg_create_decompress(&jpeg->info);
  jpeg->progress.progress_monitor = OnProgress;
  jpeg->info.progress = &jpeg->progress;
  jpeg->source.init_source = NoSource;
  jpeg->source.fill_input_buffer = FillInput;
  jpeg->source.skip_input_data = SkipInput;
  jpeg->source.resync_to_restart = jpeg_resync_to_restart;
  jpeg->source.term_source = NoSource;
  jpeg->info.src = &jpeg->source;
  return true;
}

struct fastpipe_jpeg* fastpipe_jpeg_new(void) { return calloc(1, sizeof(struct fastpipe_jpeg)); }

void fastpipe_jpeg_free(struct fastpipe_jpeg* jpeg) {
  if (jpeg == NULL) return;
  fastpipe_jpeg_reset(jpeg);
  free(jpeg->entropy);
  free(jpeg);
}

static uint64_t CeilDivide(uint64_t value, uint64_t divisor) {
  return (value + divisor - 1) / divisor;
}

bool fastpipe_jpeg_read_header(struct fastpipe_jpeg* jpeg, const uint8_t* data, size_t size,
                               struct fastpipe_jpeg_header* header) {
  struct jpeg_decompress_struct* info = &jpeg->info;
  jpeg->message[0] = '\0';
  jpeg->out_of_memory = false;
  jpeg->recover = false;
  jpeg->end_inserted = false;
  jpeg->rows = 0;
  jpeg->positioned = false;
  jpeg->gave_up = false;
  jpeg->plain = false;
  jpeg->data = data;
  jpeg->size = size;
  jpeg->staging = NULL;
  if (!Create(jpeg)) return false;
  jpeg->source.next_input_byte = data;
  jpeg->source.bytes_in_buffer = size;
  if (setjmp(jpeg->jump)) return false;
  jpeg_read_header(info, TRUE);
  header->width = info->image_width;
  header->height = info->image_height;
  header->components = info->num_components;
  switch (info->out_color_space) {
    case JCS_GRAYSCALE:
      header->channels = 1;
      break;
    case JCS_CMYK:
      header->channels = 4;
      break;
    case JCS_RGB:
      header->channels = 3;
      break;
    default:
      header->channels = info->num_components;
  }
  header->huffman = !info->arith_code;
  header->units = CeilDivide(info->image_width, (uint64_t)info->max_h_samp_factor * kBlock) *
                  CeilDivide(info->image_height, (uint64_t)info->max_v_samp_factor * kBlock);
  return true;
}

bool fastpipe_jpeg_configure(struct fastpipe_jpeg* jpeg, const struct fastpipe_jpeg_setup* setup,
                             uint32_t* width, uint32_t* height) {
  struct jpeg_decompress_struct* info = &jpeg->info;
  if (setjmp(jpeg->jump)) return false;
  if (setup->channels == 1) {
    info->out_color_space = JCS_GRAYSCALE;
  } else if (info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK) {
    info->out_color_space = JCS_CMYK;  // libjpeg stops here; CopyCmyk does the rest
  } else {
    info->out_color_space = JCS_RGB;
  }
  info->do_fancy_upsampling = setup->fancy_upscaling;
  info->scale_num = 1;
  info->scale_denom = (unsigned)setup->ratio;
  info->dct_method = setup->fast_dct ? JDCT_IFAST : JDCT_ISLOW;
  jpeg->setup = *setup;
  jpeg->recover = setup->recover;
  jpeg->libjpeg_edges = setup->libjpeg_edges;
  // libjpeg-turbo 2.1 skips to the wrong rows with merged upsampling (not fancy), and sizes crops
  // of scaled 4:1:1 images wrongly.
  jpeg->skip =
      setup->fancy_upscaling && (setup->libjpeg_edges || !jpeg->plain) &&
      (setup->ratio == 1 || (info->max_h_samp_factor <= 2 && info->max_v_samp_factor <= 2));
  jpeg_calc_output_dimensions(info);
  *width = info->output_width;
  *height = info->output_height;
  return true;
}

// Lets libjpeg leave out columns. It upsamples the edge columns of a crop without their outer
// neighbours; the margin keeps those out of the window.
static void CropColumns(struct fastpipe_jpeg* jpeg, JDIMENSION* left, JDIMENSION* right) {
  struct jpeg_decompress_struct* info = &jpeg->info;
  // Smooth upsampling looks one chroma sample far, which is two columns.
  const JDIMENSION far = info->max_h_samp_factor <= 2 ? 2 : info->max_h_samp_factor * kBlock;
  const JDIMENSION margin = jpeg->libjpeg_edges ? 0 : far;
  JDIMENSION start = jpeg->window.x > margin ? jpeg->window.x - margin : 0;
  JDIMENSION end = jpeg->window.x + jpeg->window.width + margin;
  if (end > info->output_width) end = info->output_width;
  JDIMENSION width = end - start;
  jpeg->column = jpeg->window.x;
  *left = 0;
  *right = info->output_width;
  if (!jpeg->skip || width == info->output_width) return;
  jpeg_crop_scanline(info, &start, &width);
  jpeg->column = jpeg->window.x - start;
  *left = start;
  *right = start + width;
}

static void InstallEntropy(struct fastpipe_jpeg* jpeg, JDIMENSION left, JDIMENSION right) {
  if (jpeg->setup.libjpeg_only || jpeg->recover || jpeg->plain) return;
  if (jpeg->entropy == NULL) jpeg->entropy = calloc(1, sizeof *jpeg->entropy);
  if (jpeg->entropy == NULL) return;  // libjpeg's will do
  jpeg->entropy->give_up = OnGiveUp;
  fastpipe_jpeg_entropy_install(&jpeg->info, jpeg->entropy, left, right);
}

bool fastpipe_jpeg_start(struct fastpipe_jpeg* jpeg, const struct fastpipe_jpeg_window* window) {
  struct jpeg_decompress_struct* info = &jpeg->info;
  if (setjmp(jpeg->jump)) return false;
  jpeg->window = *window;
  jpeg_start_decompress(info);
  JDIMENSION left = 0, right = 0;
  CropColumns(jpeg, &left, &right);
  InstallEntropy(jpeg, left, right);
  jpeg->direct = info->out_color_space != JCS_CMYK && info->output_width == window->width;
  if (!jpeg->direct || (!jpeg->skip && window->y + jpeg->rows > 0)) {
    const JDIMENSION samples = info->output_width * (JDIMENSION)info->output_components;
    jpeg->staging = info->mem->alloc_sarray((j_common_ptr)info, JPOOL_IMAGE,
                                            samples + kMisalignment, kRowsPerCall);
    for (int i = 0; i < kRowsPerCall; ++i) jpeg->staging[i] += kMisalignment;
  }
  return true;
}

static void SkipRows(struct fastpipe_jpeg* jpeg) {
  struct jpeg_decompress_struct* info = &jpeg->info;
  const JDIMENSION first = jpeg->window.y + jpeg->rows;
  if (jpeg->skip && first > 0) jpeg_skip_scanlines(info, first);
  while (info->output_scanline < first) {
    const JDIMENSION left = first - info->output_scanline;
    if (jpeg_read_scanlines(info, jpeg->staging, left < kRowsPerCall ? left : kRowsPerCall) == 0) {
      Fail(jpeg, "libjpeg stopped");
    }
  }
}

// Adobe stores inks inverted, so that the plain product of an ink and black is the colour.
static void CopyCmyk(const JSAMPLE* from, uint32_t width, bool inverted, uint8_t* to) {
  for (uint32_t i = 0; i < width; ++i, from += 4, to += 3) {
    const int black = inverted ? from[3] : 255 - from[3];
    for (int channel = 0; channel < 3; ++channel) {
      const int ink = inverted ? from[channel] : 255 - from[channel];
      to[channel] = (uint8_t)(black * ink / 255);
    }
  }
}

static void CopyRow(const struct fastpipe_jpeg* jpeg, const JSAMPLE* from, uint8_t* to) {
  const struct jpeg_decompress_struct* info = &jpeg->info;
  const size_t channels = (size_t)info->output_components;
  from += jpeg->column * channels;
  if (info->out_color_space == JCS_CMYK) {
    CopyCmyk(from, jpeg->window.width, info->saw_Adobe_marker, to);
  } else {
    memcpy(to, from, jpeg->window.width * channels);
  }
}

// An image whose last rows are not wanted: the data are complete if an end marker follows. Nothing
// else in entropy-coded data looks like one.
static bool HasEnd(struct fastpipe_jpeg* jpeg) {
  const uint8_t* start = jpeg->source.next_input_byte;
  if (jpeg->info.unread_marker == JPEG_EOI || jpeg_input_complete(&jpeg->info)) return true;
  for (size_t i = jpeg->source.bytes_in_buffer; i >= 2; --i) {
    if (start[i - 1] == JPEG_EOI && start[i - 2] == 0xFF) return true;
  }
  return false;
}

// Up to row `end` of the window; row `begin` of it goes to `pixels`.
static bool ReadUpTo(struct fastpipe_jpeg* jpeg, uint32_t begin, uint32_t end, uint8_t* pixels,
                     ptrdiff_t row_stride) {
  struct jpeg_decompress_struct* info = &jpeg->info;
  JSAMPROW rows[kRowsPerCall];
  if (setjmp(jpeg->jump)) return false;
  if (!jpeg->positioned) SkipRows(jpeg);
  jpeg->positioned = true;
  while (jpeg->rows < end) {
    uint8_t* next = pixels + (ptrdiff_t)(jpeg->rows - begin) * row_stride;
    const JDIMENSION left = end - jpeg->rows;
    const JDIMENSION wanted = left < kRowsPerCall ? left : kRowsPerCall;
    for (JDIMENSION i = 0; i < wanted; ++i) {
      rows[i] = jpeg->direct ? next + (ptrdiff_t)i * row_stride : jpeg->staging[i];
    }
    const JDIMENSION read = jpeg_read_scanlines(info, rows, wanted);
    if (read == 0) Fail(jpeg, "libjpeg stopped");
    for (JDIMENSION i = 0; !jpeg->direct && i < read; ++i) {
      CopyRow(jpeg, rows[i], next + (ptrdiff_t)i * row_stride);
    }
    jpeg->rows += read;
  }
  if (end < jpeg->window.height) return true;
  if (info->output_scanline == info->output_height) {
    jpeg_finish_decompress(info);
  } else if (!jpeg->recover && !HasEnd(jpeg)) {
    Fail(jpeg, "the data end too early");
  }
  return true;
}

// Whether the image has to be begun again for the rows that were just asked for. What libjpeg makes
// of damage depends on the rows and columns it leaves out.
static bool MustBeginAgain(const struct fastpipe_jpeg* jpeg, bool done) {
  if (jpeg->plain || jpeg->out_of_memory) return false;
  if (jpeg->gave_up) return true;
  const bool leaves_out = jpeg->skip && !jpeg->libjpeg_edges &&
                          (jpeg->window.y > 0 || jpeg->window.width < jpeg->info.output_width);
  return leaves_out && (!done || jpeg->errors.num_warnings > 0);
}

// Plainly, at row `rows` of the window.
static bool BeginAgain(struct fastpipe_jpeg* jpeg, uint32_t rows) {
  const struct fastpipe_jpeg_setup setup = jpeg->setup;
  const struct fastpipe_jpeg_window window = jpeg->window;
  struct fastpipe_jpeg_header header;
  uint32_t width = 0, height = 0;
  fastpipe_jpeg_reset(jpeg);
  if (!fastpipe_jpeg_read_header(jpeg, jpeg->data, jpeg->size, &header)) return false;
  jpeg->plain = true;
  jpeg->rows = rows;
  return fastpipe_jpeg_configure(jpeg, &setup, &width, &height) &&
         fastpipe_jpeg_start(jpeg, &window);
}

bool fastpipe_jpeg_read(struct fastpipe_jpeg* jpeg, uint8_t* pixels, ptrdiff_t row_stride,
                        uint32_t count) {
  const uint32_t begin = jpeg->rows, end = begin + count;
  const bool done = ReadUpTo(jpeg, begin, end, pixels, row_stride);
  if (!MustBeginAgain(jpeg, done)) return done;
  return BeginAgain(jpeg, begin) && ReadUpTo(jpeg, begin, end, pixels, row_stride);
}

void fastpipe_jpeg_reset(struct fastpipe_jpeg* jpeg) { jpeg_destroy_decompress(&jpeg->info); }

uint32_t fastpipe_jpeg_rows(const struct fastpipe_jpeg* jpeg) { return jpeg->rows; }

long fastpipe_jpeg_warnings(const struct fastpipe_jpeg* jpeg) { return jpeg->errors.num_warnings; }

const char* fastpipe_jpeg_message(const struct fastpipe_jpeg* jpeg) { return jpeg->message; }

bool fastpipe_jpeg_out_of_memory(const struct fastpipe_jpeg* jpeg) { return jpeg->out_of_memory; }
