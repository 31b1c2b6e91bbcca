#include "codec/jpeg_entropy.h"

#include <string.h>

#if __has_include(<jpegint.h>)
// The one struct of libjpeg's inside that is used: jpeg_entropy_decoder, the same since libjpeg 6.
#define JPEG_INTERNALS
#include <jpegint.h>

#if JPEG_LIB_VERSION >= 70
#define DCT_scaled_size DCT_h_scaled_size
#define min_DCT_scaled_size min_DCT_h_scaled_size
#endif

enum {
  kCodeBits = 16,   // of the longest code
  kLeastBits = 32,  // for a code and the number behind it
  kCoefficients = DCTSIZE2,
};

// Of `look`: bits of the code and the number behind it in 0-5, the run in 6-9, the size of the
// number in 10-13; 0 for a long code.
static inline int TotalOf(uint32_t look) { return (int)(look & 63); }
static inline int RunOf(uint32_t look) { return (int)(look >> 6 & 15); }
static inline int SizeOf(uint32_t look) { return (int)(look >> 10 & 15); }

// Of `skips`: bits to drop in 0-4, coefficients to pass in 5-11, whether the block ends in 12; 0
// for a long code.

// Where coefficients go; those beyond the end, of damaged data, to the last place.
static const uint8_t kNaturalOrder[kCoefficients + 16] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33,
    40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36,
    29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
    47, 55, 62, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63};

// ---- bits ----

struct Bits {
  uint64_t buffer;
  int count;
  const uint8_t *next, *end;
};

static bool HasMarkerByte(uint64_t word) {
  const uint64_t inverted = ~word;  // 0xFF is a zero byte of it
  return ((inverted - 0x0101010101010101u) & ~inverted & 0x8080808080808080u) != 0;
}

// Byte by byte: without the zeros behind 0xFF, up to a marker or the end.
static void RefillSlowly(struct Bits* bits) {
  if (bits->count < 64) bits->buffer &= bits->count == 0 ? 0 : ~UINT64_C(0) << (64 - bits->count);
  while (bits->count <= 56 && bits->next < bits->end) {
    const uint8_t byte = *bits->next;
    if (byte == 0xFF) {
      if (bits->end - bits->next < 2 || bits->next[1] != 0) return;
      ++bits->next;
    }
    ++bits->next;
    bits->buffer |= (uint64_t)byte << (56 - bits->count);
    bits->count += 8;
  }
}

// False if more bits were used than there were.
static inline bool Refill(struct Bits* bits) {
  if (bits->count < 0) return false;
  uint64_t word = 0;
  if (bits->end - bits->next >= (ptrdiff_t)sizeof word) {
    memcpy(&word, bits->next, sizeof word);
    if (!HasMarkerByte(word)) {
      // The bits of a byte that does not fit are there already when it is read again.
      bits->buffer |= __builtin_bswap64(word) >> bits->count;
      bits->next += (63 - bits->count) >> 3;
      bits->count |= 56;
      return true;
    }
  }
  RefillSlowly(bits);
  return true;
}

static inline uint32_t Peek(const struct Bits* bits, int count) {
  return (uint32_t)(bits->buffer >> (64 - count));
}

static inline void Drop(struct Bits* bits, int count) {
  bits->buffer <<= count;
  bits->count -= count;
}

// The number of `size` bits that comes next; those that begin with 0 are negative.
static inline int Number(struct Bits* bits, int size) {
  if (size == 0) return 0;
  const int value = (int)Peek(bits, size);
  Drop(bits, size);
  return value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
}

// ---- tables ----

static void FillSymbol(uint16_t* table, int32_t code, int length, int symbol) {
  const int run = symbol >> 4, size = symbol & 15;
  const int free_bits = kEntropyLookBits - length;
  const uint16_t entry = (uint16_t)((length + size) | run << 6 | size << 10);
  for (int32_t i = 0; i < 1 << free_bits; ++i) table[(code << free_bits) + i] = entry;
}

// As many symbols as the index holds, up to the end of a block.
static uint16_t SkipEntry(const struct fastpipe_jpeg_codes* codes, uint32_t index) {
  int used = 0, passed = 0;
  bool ends = false;
  while (used < kEntropySkipBits && !ends) {
    const uint32_t rest = index << used & ((1 << kEntropySkipBits) - 1);
    const uint32_t entry = codes->look[rest << (kEntropyLookBits - kEntropySkipBits)];
    const int run = RunOf(entry), size = SizeOf(entry), length = TotalOf(entry) - size;
    // All of a code must be there; the number behind the last need not.
    if (entry == 0 || used + length > kEntropySkipBits || used + length + size > 31) break;
    if (passed + run + 1 > kCoefficients) break;
    ends = size == 0 && run != 15;
    passed += ends ? 0 : run + 1;
    used += length + size;
  }
  return (uint16_t)(used | passed << 5 | ends << 12);
}

static void MakeSkips(struct fastpipe_jpeg_codes* codes) {
  for (uint32_t i = 0; i < 1 << kEntropySkipBits; ++i) codes->skips[i] = SkipEntry(codes, i);
  codes->has_skips = true;
}

// False for codes that are no prefix code.
static bool MakeCodes(struct fastpipe_jpeg_codes* codes, const JHUFF_TBL* table, bool ac) {
  if (codes->valid && memcmp(codes->bits, table->bits, sizeof codes->bits) == 0 &&
      memcmp(codes->symbols, table->huffval, sizeof codes->symbols) == 0) {
    return true;
  }
  codes->valid = false;
  memcpy(codes->bits, table->bits, sizeof codes->bits);
  memcpy(codes->symbols, table->huffval, sizeof codes->symbols);
  memset(codes->look, 0, sizeof codes->look);
  int32_t code = 0, place = 0;
  for (int length = 1; length <= kCodeBits; ++length, code <<= 1) {
    codes->first[length] = code;
    codes->offset[length] = place - code;
    const int32_t count = table->bits[length];
    if (place + count > 256 || code + count > 1 << length) return false;
    for (int32_t i = 0; i < count; ++i, ++code, ++place) {
      if (!ac && codes->symbols[place] > 15) return false;
      if (length <= kEntropyLookBits) {
        FillSymbol(codes->look, code, length, codes->symbols[place]);
      }
    }
    codes->end[length] = code;
  }
  codes->has_skips = false;
  codes->valid = true;
  return true;
}

// A symbol whose code is too long for the table; -1 if there is none.
static int LongSymbol(const struct fastpipe_jpeg_codes* codes, struct Bits* bits) {
  for (int length = kEntropyLookBits + 1; length <= kCodeBits; ++length) {
    const int32_t code = (int32_t)Peek(bits, length);
    if (code >= codes->first[length] && code < codes->end[length]) {
      Drop(bits, length);
      return codes->symbols[codes->offset[length] + code];
    }
  }
  return -1;
}

// ---- blocks ----

// Of what is compiled for more than one kind of processor.
#define ALWAYS_INLINE static inline __attribute__((always_inline))

static inline int Symbol(const struct fastpipe_jpeg_codes* codes, struct Bits* bits) {
  const uint32_t entry = codes->look[Peek(bits, kEntropyLookBits)];
  if (entry == 0) return LongSymbol(codes, bits);
  Drop(bits, TotalOf(entry) - SizeOf(entry));
  return RunOf(entry) << 4 | SizeOf(entry);
}

// `size` bits from the highest on as Number gives them, without a branch.
static inline int LeadingNumber(uint64_t bits, int size) {
  const int negative = (int)~((int64_t)bits >> 63);  // all bits set if they begin with 0
  return (int)(bits >> 1 >> (63 - size)) + (negative & (1 - (1 << size)));
}

static inline bool DecodeDc(const struct fastpipe_jpeg_codes* codes, struct Bits* bits, int* dc) {
  if (bits->count < kLeastBits && !Refill(bits)) return false;
  const uint32_t entry = codes->look[Peek(bits, kEntropyLookBits)];
  if (entry != 0) {
    const int size = SizeOf(entry);
    *dc += LeadingNumber(bits->buffer << (TotalOf(entry) - size), size);
    Drop(bits, TotalOf(entry));
  } else {
    const int size = LongSymbol(codes, bits);
    if (size < 0) return false;
    *dc += Number(bits, size);
  }
  return *dc >= INT16_MIN && *dc <= INT16_MAX;
}

// The symbol that comes next; `*k` is behind its coefficient. False at the end of the block, or if
// there is none.
static inline bool DecodeOne(const struct fastpipe_jpeg_codes* codes, struct Bits* bits,
                             JCOEF* block, int* k, bool* good) {
  const int symbol = Symbol(codes, bits);
  const int run = symbol >> 4, size = symbol & 15;
  *good = symbol >= 0;
  if (!*good || (size == 0 && run != 15)) return false;
  *k += run;
  if (size > 0) block[kNaturalOrder[*k]] = (JCOEF)Number(bits, size);
  ++*k;
  return true;
}

// What the next symbol waits for is short: no branch but for the end of the block depends on what
// is not known beforehand.
static inline bool DecodeAc(const struct fastpipe_jpeg_codes* codes, struct Bits* bits,
                            JCOEF* block) {
  bool good = true;
  for (int k = 1; k < kCoefficients;) {
    if (bits->count < kLeastBits && !Refill(bits)) return false;
    const uint32_t entry = codes->look[Peek(bits, kEntropyLookBits)];
    const int size = SizeOf(entry);
    if (size == 0) {
      if (DecodeOne(codes, bits, block, &k, &good)) continue;
      break;
    }
    k += RunOf(entry);
    block[kNaturalOrder[k++]] = (JCOEF)LeadingNumber(bits->buffer << (TotalOf(entry) - size), size);
    Drop(bits, TotalOf(entry));
  }
  return good;
}

// Several symbols at a time.
static inline bool SkipAc(struct fastpipe_jpeg_codes* codes, struct Bits* bits) {
  if (!codes->has_skips) MakeSkips(codes);
  int k = 1;
  while (k < kCoefficients) {
    if (bits->count < kLeastBits && !Refill(bits)) return false;
    const uint32_t entry = codes->skips[Peek(bits, kEntropySkipBits)];
    const int passed = k + (entry >> 5 & 127);
    const bool ends = entry >> 12;
    // A block that is full has no end: what looks like it belongs to the next block.
    if (entry != 0 && (passed < kCoefficients || (passed == kCoefficients && !ends))) {
      Drop(bits, entry & 31);
      k = passed;
      if (ends) break;
      continue;
    }
    const int symbol = Symbol(codes, bits);
    if (symbol < 0) return false;
    const int run = symbol >> 4, size = symbol & 15;
    if (size == 0 && run != 15) break;
    Drop(bits, size);
    k += run + 1;
  }
  return true;
}

ALWAYS_INLINE bool DecodeBlocks(struct fastpipe_jpeg_entropy* entropy, int count,
                                JBLOCKROW* coefficients, struct Bits* bits) {
  const bool looked_at = coefficients != NULL && entropy->column >= entropy->first_column &&
                         entropy->column <= entropy->last_column;
  for (int i = 0; i < count; ++i) {
    const struct fastpipe_jpeg_block* block = &entropy->blocks[i];
    int* dc = &entropy->last_dc[block->component];
    if (!DecodeDc(block->dc, bits, dc)) return false;
    const bool wanted = looked_at && block->wanted;
    if (wanted) coefficients[i][0][0] = (JCOEF)*dc;
    const bool all = wanted && !block->only_first;
    if (!(all ? DecodeAc(block->ac, bits, coefficients[i][0]) : SkipAc(block->ac, bits))) {
      return false;
    }
  }
  return bits->count >= 0;
}

ALWAYS_INLINE boolean DecodeNext(j_decompress_ptr info, JBLOCKROW* coefficients) {
  struct fastpipe_jpeg_entropy* entropy = fastpipe_jpeg_entropy_of(info);
  struct Bits bits = {entropy->buffer, entropy->count, entropy->next, entropy->end};
  if (!DecodeBlocks(entropy, info->blocks_in_MCU, coefficients, &bits)) entropy->give_up(info);
  entropy->buffer = bits.buffer;
  entropy->count = bits.count;
  entropy->next = bits.next;
  info->src->next_input_byte = bits.next;
  info->src->bytes_in_buffer = (size_t)(bits.end - bits.next);
  if (++entropy->column == info->MCUs_per_row) entropy->column = 0;
  return TRUE;
}

static boolean DecodeMcu(j_decompress_ptr info, JBLOCKROW* coefficients) {
  return DecodeNext(info, coefficients);
}

#ifdef __x86_64__
// Shifts by a variable are shorter there: a twentieth of the time. Passing over gains nothing.
__attribute__((target("bmi,bmi2"))) static boolean DecodeMcuBmi2(j_decompress_ptr info,
                                                                 JBLOCKROW* coefficients) {
  return coefficients == NULL ? DecodeMcu(info, coefficients) : DecodeNext(info, coefficients);
}

static boolean (*DecoderOfAll(void))(j_decompress_ptr, JBLOCKROW*) {
  return __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") ? DecodeMcuBmi2
                                                                         : DecodeMcu;
}
#else
static boolean (*DecoderOfAll(void))(j_decompress_ptr, JBLOCKROW*) { return DecodeMcu; }
#endif

// ---- installing ----

static bool PlanBlocks(j_decompress_ptr info, struct fastpipe_jpeg_entropy* entropy) {
  for (int i = 0; i < info->blocks_in_MCU; ++i) {
    struct fastpipe_jpeg_block* block = &entropy->blocks[i];
    block->component = info->MCU_membership[i];
    const jpeg_component_info* component = info->cur_comp_info[block->component];
    const int dc = component->dc_tbl_no, ac = component->ac_tbl_no;
    if (dc < 0 || dc >= kEntropyTables || ac < 0 || ac >= kEntropyTables) return false;
    if (info->dc_huff_tbl_ptrs[dc] == NULL || info->ac_huff_tbl_ptrs[ac] == NULL) return false;
    if (!MakeCodes(&entropy->dc[dc], info->dc_huff_tbl_ptrs[dc], false)) return false;
    if (!MakeCodes(&entropy->ac[ac], info->ac_huff_tbl_ptrs[ac], true)) return false;
    block->dc = &entropy->dc[dc];
    block->ac = &entropy->ac[ac];
    block->wanted = component->component_needed;
    block->only_first = component->DCT_scaled_size == 1;
  }
  return true;
}

void fastpipe_jpeg_entropy_install(j_decompress_ptr info, struct fastpipe_jpeg_entropy* entropy,
                                   JDIMENSION left, JDIMENSION right) {
  if (info->progressive_mode || info->arith_code || info->restart_interval != 0 ||
      info->data_precision != 8 || jpeg_has_multiple_scans(info) || right <= left ||
      info->blocks_in_MCU > D_MAX_BLOCKS_IN_MCU || !PlanBlocks(info, entropy)) {
    return;
  }
  const int factor = info->comps_in_scan == 1 ? 1 : info->max_h_samp_factor;
  const JDIMENSION width = (JDIMENSION)(factor * info->min_DCT_scaled_size);
  entropy->first_column = left / width;
  entropy->last_column = (right - 1) / width;
  entropy->column = 0;
  memset(entropy->last_dc, 0, sizeof entropy->last_dc);
  entropy->next = info->src->next_input_byte;
  entropy->end = entropy->next + info->src->bytes_in_buffer;
  entropy->buffer = 0;
  entropy->count = 0;
  info->entropy->decode_mcu = info->min_DCT_scaled_size == 1 ? DecodeMcu : DecoderOfAll();
}

#else

void fastpipe_jpeg_entropy_install(j_decompress_ptr info, struct fastpipe_jpeg_entropy* entropy,
                                   JDIMENSION left, JDIMENSION right) {
  (void)info, (void)entropy, (void)left, (void)right;
}

#endif
