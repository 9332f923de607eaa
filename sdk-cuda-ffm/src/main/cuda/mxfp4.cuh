// MXFP4 (OCP Microscaling Formats 1.0): four-bit floats, e2m1, of which 32 adjacent columns of a row share a power of two, e8m0:
// weight = e2m1 * 2^(scale - 127). bf16 holds each such number exactly, the smallest, 2^-128, as a subnormal, up to scales of 252;
// those above are not brought to the device.
//
// How a matrix [N][K] lies there: for each 16 rows and 64 columns, columns first, a record of 544 bytes; a matrix of another size
// is filled up with zeros. First 32 words of 16 bytes, one for each lane of a warp: what the lane has of w in four mma, 16 columns
// each, a word of 4 bytes for each mma. With g = lane / 4 and q = lane % 4 that word holds four pairs of adjacent columns, where
// mma.m16n8k16 has them: pair 0 of row g, column 2q; 1 of row g + 8, column 2q; 2 of row g, column 2q + 8; 3 of row g + 8, column
// 2q + 8. The even column is in the lower half of the word, the odd one in the upper half, 16 bits with a sign and three bits of
// each of the four:
//
//   bit   15  14 13  12  11  10   9   8 7 6  5 4 3  2 1 0
//   pair  0s  3 (2)  1s  3s  3lo  2s  0      1      2         s: sign, (2): the upper two of the three bits, lo: the lowest
//
// A shift by 0, 3 or 6 puts a pair where bf16 has a sign, the last two bits of the exponent and the first of the mantissa. Behind
// the words are the scales, 4 bytes for each g: row g's of the first and the second 32 columns, row g + 8's.
#pragma once
#include "dev.cuh"

namespace mxfp4 {
constexpr int ROWS = 16, COLUMNS = 64, CODE_BYTES = 512, RECORD = 544;

// A pair as two bf16, too small by 2^126; subnormals too, which a product sets right.
template <int PAIR> static __device__ __forceinline__ unsigned small(unsigned word) {
  constexpr unsigned ALL = 0x81c081c0u;
  if (PAIR == 0) return word & ALL;
  if (PAIR == 1) return word << 3 & ALL;
  if (PAIR == 2) return word << 6 & ALL;
  return (word >> 6 & 0x01800180u) | (word >> 4 & 0x00400040u) | (word << 4 & 0x80008000u);
}
// 2^(scale - 1), which makes weights of small numbers, as two bf16; scale: 0 to 127
static __device__ __forceinline__ unsigned factorOf(unsigned scale) { return scale * 0x00800080u + 0x3f003f00u; }
// 2^(scale - 127); 127 to 254, infinity for 255
static __device__ __forceinline__ unsigned moreOf(unsigned scale) { return scale * 0x00800080u; }

// The powers of two that a lane's small numbers are multiplied by: of row g and g + 8, twice 32 columns. Those of scales beyond
// 127 are no bf16; `large`: such numbers are multiplied by two of them.
struct Factors {
  unsigned first[4], more[4];
  __device__ __forceinline__ Factors(unsigned scales, bool large) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const unsigned scale = scales >> 8 * i & 0xff;
      first[i] = factorOf(large && scale > 127 ? 127 : scale);
      more[i] = moreOf(scale > 127 ? scale : 127);
    }
  }
};
// The four pairs of a word as operand of an mma; `half`: which 32 of the 64 columns it is in.
static __device__ __forceinline__ void weights(unsigned* w, unsigned word, const Factors& f, int half, bool large) {
  w[0] = mulPair(small<0>(word), f.first[half]);
  w[1] = mulPair(small<1>(word), f.first[2 + half]);
  w[2] = mulPair(small<2>(word), f.first[half]);
  w[3] = mulPair(small<3>(word), f.first[2 + half]);
  if (large) {
#pragma unroll
    for (int i = 0; i < 4; i++) w[i] = mulPair(w[i], f.more[i % 2 * 2 + half]);
  }
}
}  // namespace mxfp4
