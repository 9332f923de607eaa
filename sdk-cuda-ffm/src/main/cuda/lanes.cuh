// What rows of logits need beyond dev.cuh:
//   lanesWith                            for which of the 32 lanes it holds, one bit each
//   warpAddOf, warpMaxOf, warpMinOf      of unsigned, over the 32 lanes (redux.sync)
//   lowestBit, bitCount, floatOf         the place of the lowest set bit; set bits; a float of its bits
//   fastExp                              exp, within 1e-5 of itself for |x| < 18
#pragma once
#include "dev.cuh"

#ifdef __CUDACC__
static __device__ __forceinline__ unsigned lanesWith(bool b) { return __ballot_sync(0xffffffffu, b); }
static __device__ __forceinline__ unsigned warpAddOf(unsigned v) { return __reduce_add_sync(0xffffffffu, v); }
static __device__ __forceinline__ unsigned warpMaxOf(unsigned v) { return __reduce_max_sync(0xffffffffu, v); }
static __device__ __forceinline__ unsigned warpMinOf(unsigned v) { return __reduce_min_sync(0xffffffffu, v); }
static __device__ __forceinline__ int lowestBit(unsigned v) { return __ffs(v) - 1; }
static __device__ __forceinline__ int bitCount(unsigned v) { return __popc(v); }
static __device__ __forceinline__ float floatOf(unsigned bits) { return __uint_as_float(bits); }
static __device__ __forceinline__ float fastExp(float x) { return __expf(x); }
#else
#include "../../test/cuda/emulated_lanes.h"
#endif

// f(logits, token) for four tokens at once from begin on, by all of THREADS threads in the same number of turns;
// logits are NaN from `end` on. `aligned`: row is aligned to 16 bytes. begin: a multiple of 4.
template <int THREADS, class F>
static __device__ __forceinline__ void eachFour(const float* row, int begin, int end, bool aligned, F f) {
  constexpr int AT_ONCE = 2;  // loads of 16 bytes of a thread in flight
  for (int base = begin; base < end; base += THREADS * 4 * AT_ONCE) {
    float x[AT_ONCE][4];
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      const int i = base + (u * THREADS + (int)threadIdx.x) * 4;
      if (aligned && i + 4 <= end) {
        const float4 four = *reinterpret_cast<const float4*>(row + i);
        x[u][0] = four.x; x[u][1] = four.y; x[u][2] = four.z; x[u][3] = four.w;
      } else {
#pragma unroll
        for (int e = 0; e < 4; e++) x[u][e] = i + e < end ? row[i + e] : NAN;
      }
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) f(x[u], base + (u * THREADS + (int)threadIdx.x) * 4);
  }
}
// whether any lane has one of at least `least` among its four
static __device__ __forceinline__ bool anyReaches(const float* x, float least) {
  return lanesWith(fmaxf(fmaxf(x[0], x[1]), fmaxf(x[2], x[3])) >= least) != 0;
}
