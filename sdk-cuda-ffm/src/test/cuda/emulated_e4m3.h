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

// m16n8k32
inline void mma16832(float* d, const unsigned* a, const unsigned* b) {
  emulation::addProduct<32>(d, a, b, [](unsigned word, int i) { return emulation::e4m3Values.of[word >> 8 * i & 255]; });
}
inline unsigned toE4m3Pair(float low, float high) { return toE4m3(low) | toE4m3(high) << 8; }
