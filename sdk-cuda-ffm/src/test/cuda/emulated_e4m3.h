// The part of e4m3.cuh that needs compute capability 8.9, for g++.
#pragma once

namespace emulation {
/** The value of a code, by the definition and not as the kernels find it; NaN is one. */
struct E4m3Values {
  float of[256];
  E4m3Values() {
    for (int code = 0; code < 256; code++) {
      const int exponent = code >> 3 & 15, mantissa = code & 7;
      const float size = exponent == 0 ? ldexpf((float)mantissa, -9) : ldexpf(1.f + mantissa / 8.f, exponent - 7);
      of[code] = (code & 127) == 127 ? NAN : code < 128 ? size : -size;
    }
  }
};
inline const E4m3Values e4m3Values;
}  // namespace emulation

// m16n8k32 with the fragment layout of the PTX manual, gathered through the warp
inline void mma16832(float* d, const unsigned* a, const unsigned* b) {
  struct Fragments { unsigned a[4], b[2]; } mine = {{a[0], a[1], a[2], a[3]}, {b[0], b[1]}};
  uint64_t (*slots)[4] = emulation::exchange(0xffffffffu, mine);
  const int row = emulation::current->lane >> 2, column = (emulation::current->lane & 3) * 2;
  const float* value = emulation::e4m3Values.of;
  for (int half = 0; half < 2; half++) for (int four = 0; four < 4; four++) {  // k = half * 16 + four * 4 + [0, 4)
    const Fragments* fa = (const Fragments*)slots[row * 4 + four];
    const unsigned upper = fa->a[half * 2], lower = fa->a[half * 2 + 1];
    for (int e = 0; e < 2; e++) {
      const unsigned terms = ((const Fragments*)slots[(column + e) * 4 + four])->b[half];
      for (int i = 0; i < 32; i += 8) {
        d[e] += value[upper >> i & 255] * value[terms >> i & 255];
        d[e + 2] += value[lower >> i & 255] * value[terms >> i & 255];
      }
    }
  }
}
inline unsigned toE4m3Pair(float low, float high) { return toE4m3(low) | toE4m3(high) << 8; }
