// The eight-bit float of quantised checkpoints: a sign, 4 bits of exponent with bias 7, 3 of mantissa, subnormals, no
// infinities. bf16 holds each value exactly. NaN (0x7f, 0xff) does not occur: whoever brings codes to the device has looked.
#pragma once
#include "dev.cuh"

typedef uint8_t e4m3;

// Codes 0 and 1 of a word, or 2 and 3, as two bf16. Put where bf16 has exponent and mantissa they are too small by 2^120,
// subnormals too, which the product sets right.
template <int FIRST> static __device__ __forceinline__ unsigned e4m3Pair(unsigned codes) {
  const unsigned upper = pickBytes(codes, 0, FIRST == 0 ? 0x1404 : 0x3424);  // the upper byte of each half
  return mulPair((upper & 0x80008000u) | (upper >> 4 & 0x07f007f0u), 0x7b807b80u);
}
static __device__ __forceinline__ float toFloat(e4m3 code) { return toFloat((bf16)e4m3Pair<0>(code)); }
// the sixteen of one 16-byte word
static __device__ __forceinline__ void unpack16(uint4 u, float* f) {
  const unsigned w[4] = {u.x, u.y, u.z, u.w};
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const unsigned first = e4m3Pair<0>(w[i]), second = e4m3Pair<2>(w[i]);
    f[4 * i] = toFloat((bf16)first);
    f[4 * i + 1] = toFloat((bf16)(first >> 16));
    f[4 * i + 2] = toFloat((bf16)second);
    f[4 * i + 3] = toFloat((bf16)(second >> 16));
  }
}
