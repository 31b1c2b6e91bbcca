// The loops of codec/resample_rows over vectors of eight, for any width of the processor's own.
// Included by resample_rows_sse41.cc and resample_rows_avx2.cc only, each of which defines, in an
// anonymous namespace:
//
//   FASTPIPE_SIMD         the attribute of a function that may use the instructions. A whole file
//                         compiled for them would leak such code into inline functions that the
//                         linker shares with the rest of the program
//   Floats, Ints          eight floats, eight int32; and the operations on them used below
//
// No include guard, since no file includes it twice, and what it defines depends on who includes
// it.

constexpr int kLanes = 8;

// A multiplication and an addition, each rounded, as in the scalar loop.
FASTPIPE_SIMD inline Floats AddProduct(Floats sum, Floats a, Floats b) {
  return Add(sum, Multiply(a, b));
}

// Calls `run` with 1 to 6 as a constant if that is `taps`, which unrolls its loops, or else with 0.
#define FASTPIPE_WITH_TAPS(taps, run) \
  switch (taps) {                     \
    case 1:                           \
      return run(1);                  \
    case 2:                           \
      return run(2);                  \
    case 3:                           \
      return run(3);                  \
    case 4:                           \
      return run(4);                  \
    case 5:                           \
      return run(5);                  \
    case 6:                           \
      return run(6);                  \
    default:                          \
      return run(0);                  \
  }

// kTaps 0: any number.
template <int kTaps, int kVectors, typename Value>
FASTPIPE_SIMD inline void CombineVectors(const Value* const* rows, const float* weights, int taps,
                                         int64_t i, float* output) {
  Floats sum[kVectors];
  for (Floats& each : sum) each = Broadcast(0.0f);
  const int count = kTaps != 0 ? kTaps : taps;
#pragma GCC unroll 6
  for (int t = 0; t < count; ++t) {
    const Floats weight = Broadcast(weights[t]);
    const Value* row = rows[t] + i;
    for (int k = 0; k < kVectors; ++k) {
      sum[k] = AddProduct(sum[k], weight, Load(row + k * kLanes));
    }
  }
  for (int k = 0; k < kVectors; ++k) Store(output + i + k * kLanes, sum[k]);
}

template <int kTaps, typename Value>
FASTPIPE_SIMD void CombineOf(const Value* const* rows, const float* weights, int taps,
                             int64_t count, float* output) {
  // What the compiler cannot tell from the output would be loaded again for every vector.
  const Value* row[kTaps != 0 ? kTaps : 1];
  float weight[kTaps != 0 ? kTaps : 1];
  if constexpr (kTaps != 0) {
    for (int t = 0; t < kTaps; ++t) {
      row[t] = rows[t];
      weight[t] = weights[t];
    }
    rows = row;
    weights = weight;
  }
  int64_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    CombineVectors<kTaps, 4>(rows, weights, taps, i, output);
  }
  for (; i + kLanes <= count; i += kLanes) {
    CombineVectors<kTaps, 1>(rows, weights, taps, i, output);
  }
  // The last vector may repeat some of the one before it.
  if (i < count) CombineVectors<kTaps, 1>(rows, weights, taps, count - kLanes, output);
}

template <typename Value>
void Combine(const Value* const* rows, const float* weights, int taps, int64_t count,
             float* output) {
  if (count < kLanes) {
    for (int64_t i = 0; i < count; ++i) {
      float sum = 0.0f;
      for (int t = 0; t < taps; ++t) sum += weights[t] * static_cast<float>(rows[t][i]);
      output[i] = sum;
    }
    return;
  }
#define FASTPIPE_COMBINE(kTaps) CombineOf<kTaps>(rows, weights, taps, count, output)
  FASTPIPE_WITH_TAPS(taps, FASTPIPE_COMBINE)
#undef FASTPIPE_COMBINE
}

// Writes exactly kChannels values.
template <int kChannels>
FASTPIPE_SIMD inline void StorePixel(__m128 pixel, float* output) {
  if constexpr (kChannels == 4) {
    _mm_storeu_ps(output, pixel);
  } else {
    _mm_storel_pi(reinterpret_cast<__m64*>(output), pixel);
    output[2] = _mm_cvtss_f32(_mm_movehl_ps(pixel, pixel));
  }
}

// A pixel of each row at a time.
template <int kChannels, int kTaps>
FASTPIPE_SIMD void ResizeRowsOf(const float* const rows[2], AxisWeights<float> axis,
                                float* const outputs[2]) {
  const int taps = kTaps != 0 ? kTaps : axis.taps;
  const float* weights = axis.weights;
  const float* const first_row = rows[0];
  const float* const second_row = rows[1];
  float* first_output = outputs[0];
  float* second_output = outputs[1];
  for (int64_t x = 0; x < axis.size; ++x, weights += taps) {
    const int64_t start = int64_t{axis.starts[x]} * kChannels;
    const float* first = first_row + start;
    const float* second = second_row + start;
    Floats sum = Broadcast(0.0f);
#pragma GCC unroll 6
    for (int t = 0; t < taps; ++t) {
      sum = AddProduct(sum, Broadcast(weights[t]),
                       LoadHalves(first + t * kChannels, second + t * kChannels));
    }
    if (x + 1 < axis.size) {
      // A fourth value of three channels lands where the next pixel goes.
      _mm_storeu_ps(first_output, LowHalf(sum));
      _mm_storeu_ps(second_output, HighHalf(sum));
    } else {
      StorePixel<kChannels>(LowHalf(sum), first_output);
      StorePixel<kChannels>(HighHalf(sum), second_output);
    }
    first_output += kChannels;
    second_output += kChannels;
  }
}

template <int kChannels>
void ResizeRowsOf(const float* const rows[2], const AxisWeights<float>& axis,
                  float* const outputs[2]) {
#define FASTPIPE_RESIZE(kTaps) ResizeRowsOf<kChannels, kTaps>(rows, axis, outputs)
  FASTPIPE_WITH_TAPS(axis.taps, FASTPIPE_RESIZE)
#undef FASTPIPE_RESIZE
}

void ResizeRows(const float* const rows[2], const AxisWeights<float>& axis, int channels,
                float* const outputs[2]) {
  if (channels == 3) return ResizeRowsOf<3>(rows, axis, outputs);
  if (channels == 4) return ResizeRowsOf<4>(rows, axis, outputs);
  ScalarRowLoops().resize_rows(rows, axis, channels, outputs);
}

FASTPIPE_SIMD void Widen(const uint8_t* row, int64_t count, float* output) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) Store(output + i, Load(row + i));
  for (; i < count; ++i) output[i] = row[i];
}

template <int kChannels>
FASTPIPE_SIMD void BlendRowOf(const float* row, AxisBlend axis, float* output) {
  for (int64_t x = 0; x < axis.size; ++x, output += kChannels) {
    const __m128 lower = _mm_loadu_ps(row + int64_t{axis.lower[x]} * kChannels);
    const __m128 upper = _mm_loadu_ps(row + int64_t{axis.upper[x]} * kChannels);
    const __m128 fraction = _mm_set1_ps(axis.fractions[x]);
    const __m128 pixel = _mm_add_ps(lower, _mm_mul_ps(_mm_sub_ps(upper, lower), fraction));
    if (x + 1 < axis.size) {
      _mm_storeu_ps(output, pixel);
    } else {
      StorePixel<kChannels>(pixel, output);
    }
  }
}

void BlendRow(const float* row, const AxisBlend& axis, int channels, float* output) {
  if (channels == 3) return BlendRowOf<3>(row, axis, output);
  if (channels == 4) return BlendRowOf<4>(row, axis, output);
  ScalarRowLoops().blend_row(row, axis, channels, output);
}

FASTPIPE_SIMD void Blend(const float* above, const float* below, float fraction, int64_t count,
                         float* output) {
  const Floats factor = Broadcast(fraction);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Floats a = Load(above + i);
    Store(output + i, AddProduct(a, Subtract(Load(below + i), a), factor));
  }
  for (; i < count; ++i) output[i] = above[i] + (below[i] - above[i]) * fraction;
}

// A pixel of each row at a time, two taps at once: the low and the high halves of their weights
// are multiplied apart, which gives the same sum modulo 2^32.
template <int kChannels, int kPairs>
FASTPIPE_SIMD void PillowRowsOf(const uint8_t* const rows[2], PillowAxis axis,
                                uint8_t* const outputs[2]) {
  const Ints shuffle[2] = {Both(PillowTapPairs<kChannels>(0)), Both(PillowTapPairs<kChannels>(2))};
  const int pairs = kPairs != 0 ? kPairs : (axis.taps + 1) / 2;
  const int32_t* weights = axis.pairs;
  const uint8_t* const first_row = rows[0];
  const uint8_t* const second_row = rows[1];
  uint8_t* first_output = outputs[0];
  uint8_t* second_output = outputs[1];
  for (int64_t x = 0; x < axis.size; ++x, weights += 2 * pairs) {
    const int64_t start = int64_t{axis.starts[x]} * kChannels;
    Ints low = Broadcast(kPillowHalf), high = Broadcast(0);
    Ints bytes = high;
#pragma GCC unroll 3
    for (int pair = 0; pair < pairs; ++pair) {
      if (pair % 2 == 0) {
        const int64_t at = start + 2 * pair * kChannels;
        bytes = LoadHalves(first_row + at, second_row + at);
      }
      const Ints values = Shuffle(bytes, shuffle[pair % 2]);
      low = Add(low, MultiplyPairs(values, Broadcast(weights[2 * pair])));
      high = Add(high, MultiplyPairs(values, Broadcast(weights[2 * pair + 1])));
    }
    const uint64_t pixels =
        ToBytes(ShiftRight<kPillowBits>(Add(ShiftLeft<kPillowLowBits>(high), low)));
    const bool last = x + 1 == axis.size;
    StorePillowPixel<kChannels>(static_cast<uint32_t>(pixels), last, first_output);
    StorePillowPixel<kChannels>(static_cast<uint32_t>(pixels >> 32), last, second_output);
    first_output += kChannels;
    second_output += kChannels;
  }
}

template <int kChannels>
void PillowRowsOf(const uint8_t* const rows[2], const PillowAxis& axis, uint8_t* const outputs[2]) {
  WithPillowPairs(axis.taps, [&](auto pairs) {
    PillowRowsOf<kChannels, decltype(pairs)::value>(rows, axis, outputs);
  });
}

void PillowRows(const uint8_t* const rows[kPillowRows], const PillowAxis& axis, int channels,
                uint8_t* const outputs[kPillowRows]) {
  if (channels != 3 && channels != 4) {
    return ScalarRowLoops().pillow_rows(rows, axis, channels, outputs);
  }
  for (int i = 0; i < kPillowRows; i += 2) {
    if (i > 0 && outputs[i] == outputs[i - 1]) return;
    channels == 3 ? PillowRowsOf<3>(rows + i, axis, outputs + i)
                  : PillowRowsOf<4>(rows + i, axis, outputs + i);
  }
}

template <int kVectors>
FASTPIPE_SIMD inline void PillowCombineVectors(const uint8_t* const* rows, const int32_t* weights,
                                               int taps, int64_t i, uint8_t* output) {
  Ints sum[kVectors];
  for (Ints& each : sum) each = Broadcast(kPillowHalf);
  for (int t = 0; t < taps; ++t) {
    const Ints weight = Broadcast(weights[t]);
    for (int k = 0; k < kVectors; ++k) {
      sum[k] = Add(sum[k], Multiply(weight, LoadInts(rows[t] + i + k * kLanes)));
    }
  }
  for (int k = 0; k < kVectors; ++k) {
    const uint64_t bytes = ToBytes(ShiftRight<kPillowBits>(sum[k]));
    memcpy(output + i + k * kLanes, &bytes, sizeof bytes);
  }
}

FASTPIPE_SIMD void PillowCombine(const uint8_t* const* rows, const int32_t* weights, int taps,
                                 int64_t count, uint8_t* output) {
  if (count < kLanes) return ScalarRowLoops().pillow_combine(rows, weights, taps, count, output);
  int64_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    PillowCombineVectors<4>(rows, weights, taps, i, output);
  }
  for (; i + kLanes <= count; i += kLanes) {
    PillowCombineVectors<1>(rows, weights, taps, i, output);
  }
  if (i < count) PillowCombineVectors<1>(rows, weights, taps, count - kLanes, output);
}

constexpr RowLoops kSimdRowLoops = {Combine<uint8_t>, Combine<float>, ResizeRows, Widen,
                                    BlendRow,         Blend,          PillowRows, PillowCombine};

#undef FASTPIPE_WITH_TAPS
