// The arithmetic of a draw; what it is for is at the head of sampling.cu.
#pragma once
#include "candidates.cuh"

// The bits of a float in an order that unsigned comparison follows; 0 and -0 are one value; NaN comes last.
static __device__ __forceinline__ unsigned orderOf(float v) {
  const unsigned bits = floatBits(v + 0.f);
  if (v != v) return 0;
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
static __device__ __forceinline__ float valueOfOrder(unsigned order) {
  return floatOf(order & 0x80000000u ? order ^ 0x80000000u : ~order);
}
// 2^32 * exp(scaled - max) as an integer: sums do not depend on the order of adding
static __device__ __forceinline__ unsigned long long massOf(float scaled, float max) {
  return (unsigned long long)(expf(scaled - max) * 4294967296.f);
}
static __device__ __forceinline__ unsigned long long leastMass(unsigned long long total, float topP) {
  const double wanted = (double)total * topP;
  return wanted < 1. ? 1 : (unsigned long long)ceil(wanted);
}

static __device__ __forceinline__ unsigned philox(unsigned key0, unsigned key1, unsigned token, unsigned position) {
  unsigned c0 = token, c1 = position, c2 = 0, c3 = 0;
#pragma unroll
  for (int round = 0; round < 10; round++) {
    const unsigned high0 = mulHigh(0xD2511F53u, c0), low0 = 0xD2511F53u * c0;
    const unsigned high1 = mulHigh(0xCD9E8D57u, c2), low1 = 0xCD9E8D57u * c2;
    c0 = high1 ^ c1 ^ key0;
    c1 = low1;
    c2 = high0 ^ c3 ^ key1;
    c3 = low0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return c0;
}
// -ln(-ln(u)): u near 1 has no float, 1 - u has
static __device__ __forceinline__ float gumbel(unsigned word) {
  const unsigned bits = word >> 8;
  const float exponential = bits < (1u << 23) ? -logf(((float)bits + 0.5f) * 5.9604644775390625e-8f)
                                              : -log1pf(-((float)(0xffffffu - bits) + 0.5f) * 5.9604644775390625e-8f);
  return -logf(exponential);
}

// Temperature, filters and generator of a row. real: [row][3]; whole: [row][4]; see sampling.cu
struct Setting {
  float temperature, topP, minP;
  int topK, position;
  unsigned seedLow, seedHigh;
  bool greedy, byCount, byMass, plain;
};
static __device__ __forceinline__ Setting settingOf(const float* real, const int* whole, int r, int vocabulary) {
  Setting s;
  s.temperature = real[r * 3]; s.topP = real[r * 3 + 1]; s.minP = real[r * 3 + 2];
  s.topK = whole[r * 4]; s.position = whole[r * 4 + 1];
  s.seedLow = whole[r * 4 + 2]; s.seedHigh = whole[r * 4 + 3];
  s.greedy = s.temperature == 0.f;
  s.byCount = !s.greedy && s.topK > 0 && s.topK < vocabulary;
  s.byMass = !s.greedy && s.topP < 1.f;
  s.plain = !s.greedy && !s.byCount && !s.byMass && !(s.minP > 0.f);
  return s;
}

// The score v + noise of a token, if it can reach `bound`, a score that some kept token has; false if not.
//
// Most tokens cannot, and so cost neither logarithm. A noise of g = bound - v and more needs -ln(u) <= exp(-g),
// and 1 - u <= -ln(u): a token with 1 - u > exp(v - bound) is out. The two per cent are for rounding: of the
// score, at most 2^-8 since |bound| < 65536 (usableBound), of exp and of the noise, below 1e-5.
static __device__ __forceinline__ bool scoreOf(float* score, float v, int token, float bound, const Setting& s) {
  if (v + 17.5f < bound) return false;  // the largest noise is 17.33
  const unsigned word = philox(s.seedLow, s.seedHigh, token, s.position);
  const float rest = (float)(0xffffffu - (word >> 8)) + 0.5f;  // (1 - u) * 2^24
  if (rest * (0.98f * 5.9604644775390625e-8f) > fastExp(v - bound)) return false;
  *score = v + gumbel(word);
  return true;
}
static __device__ __forceinline__ float usableBound(float bound) { return fabsf(bound) < 65536.f ? bound : -INFINITY; }
// the largest of the bound and the scores of the warp's lanes
static __device__ __forceinline__ float warpBound(float bound, float score) {
  return usableBound(fmaxf(bound, valueOfOrder(warpMaxOf(orderOf(score)))));
}
