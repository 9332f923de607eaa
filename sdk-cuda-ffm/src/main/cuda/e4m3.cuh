// The eight-bit float of quantised checkpoints: a sign, 4 bits of exponent with bias 7, 3 of mantissa, subnormals, no
// infinities. bf16 holds each value exactly. NaN is 0x7f and 0xff: it does not occur in weights, whoever brings them to the
// device has looked, and is kept in keys, values and inputs.
#pragma once
#include "dev.cuh"

typedef uint8_t e4m3;

// Codes 0 and 1 of a word, or 2 and 3, as two bf16. Put where bf16 has exponent and mantissa they are too small by 2^120,
// subnormals too, which the product sets right.
// Another factor, the same in both halves, gives products, rounded once.
constexpr unsigned E4M3_AS_IT_IS = 0x7b807b80u;
template <int FIRST> static __device__ __forceinline__ unsigned e4m3Pair(unsigned codes, unsigned factor = E4M3_AS_IT_IS) {
  const unsigned upper = pickBytes(codes, 0, FIRST == 0 ? 0x1404 : 0x3424);  // the upper byte of each half
  return mulPair((upper & 0x80008000u) | (upper >> 4 & 0x07f007f0u), factor);
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
// Eight codes as bf16 times a factor as above; NaN stays NaN.
static __device__ __forceinline__ uint4 e4m3Eight(uint2 codes, unsigned factor) {
  unsigned r[4] = {e4m3Pair<0>(codes.x, factor), e4m3Pair<2>(codes.x, factor), e4m3Pair<0>(codes.y, factor), e4m3Pair<2>(codes.y, factor)};
  const unsigned all = 0x7f7f7f7fu, one = 0x01010101u;  // a byte of seven ones is the only one that one more carries over
  if ((((codes.x & all) + one) | ((codes.y & all) + one)) & ~all) {
#pragma unroll
    for (int i = 0; i < 8; i++) {
      const unsigned code = (i < 4 ? codes.x : codes.y) >> 8 * (i & 3) & 0x7f;
      if (code == 0x7f) r[i / 2] |= 0x7fffu << 16 * (i & 1);
    }
  }
  return {r[0], r[1], r[2], r[3]};
}
// The nearest value, ties to even; what is beyond 448 becomes that.
static __device__ __forceinline__ unsigned toE4m3(float f) {
  const unsigned sign = floatBits(f) >> 24 & 0x80;
  if (f != f) return sign | 0x7f;
  const float size = fminf(fabsf(f), 448.f);
  if (size < 0x1p-6f) return sign | (unsigned)((size + 0x1p14f - 0x1p14f) * 512.f);  // the sum's last bit is worth 2^-9
  const unsigned bits = floatBits(size);
  return sign | (((bits + 0x7ffffu + (bits >> 20 & 1)) >> 20) - (120u << 3));
}

// What needs compute capability 8.9, in kernels of kernels_e4m3.cu alone:
//   mma16832     d (16x8, f32) += a (16x32, codes, by rows) * b (32x8, codes, by columns); one warp
//   toE4m3Pair   two codes, as toE4m3 makes them, but for the sign of NaN; the first one is the lower byte
#ifdef __CUDACC__
static __device__ __forceinline__ void mma16832(float* d, const unsigned* a, const unsigned* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
static __device__ __forceinline__ unsigned toE4m3Pair(float low, float high) {
  unsigned short r;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(high), "f"(low));
  return r;
}
#else
#include "../../test/cuda/emulated_e4m3.h"
#endif
