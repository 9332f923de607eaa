// A token with a score, and the best of many: the largest score, the lowest token of equals.
#pragma once
#include "lanes.cuh"

struct Candidate { float score; int token; };
static __device__ __forceinline__ Candidate noCandidate() { Candidate c = {-INFINITY, 0x7fffffff}; return c; }
static __device__ __forceinline__ bool isNone(Candidate c) { return c.token == 0x7fffffff; }
static __device__ __forceinline__ Candidate better(Candidate a, Candidate b) {
  return b.score > a.score || (b.score == a.score && b.token < a.token) ? b : a;
}
static __device__ __forceinline__ Candidate warpBest(Candidate c) {
#pragma unroll
  for (int o = 16; o; o >>= 1) {
    const Candidate other = {__shfl_xor_sync(0xffffffffu, c.score, o), __shfl_xor_sync(0xffffffffu, c.token, o)};
    c = better(c, other);
  }
  return c;
}
// the best of the block, the same for all threads; `shared` has a place for each warp and is reused at once
static __device__ __forceinline__ Candidate blockBest(Candidate c, Candidate* shared) {
  const int lane = threadIdx.x & 31, warps = blockDim.x >> 5;
  c = warpBest(c);
  __syncthreads();
  if (lane == 0) shared[threadIdx.x >> 5] = c;
  __syncthreads();
  return warpBest(lane < warps ? shared[lane] : noCandidate());
}
