// Inputs of products as e4m3 codes and the scales of these, as a checkpoint asks for: code = e4m3(x / scale), the nearest, ties
// to even, 448 at most. A scale is given, or the largest magnitude of its inputs over 448, LEAST_SCALE at least, so that zeros
// can be divided by it. A NaN is a NaN, and one of the scales of a row is no other row's. Rows of bf16, read 16 bytes at a time
// where they are aligned to that.
//   codes    [rows][K]
//   scales   [rows], or [ceil(K / group)][pitch], one for each row
#include "e4m3.cuh"

namespace {
constexpr float LARGEST_E4M3 = 448.f, LEAST_SCALE = 1.f / (448.f * 512.f);

__device__ __forceinline__ void unpack4(uint2 u, float* f) {
  f[0] = toFloat((bf16)u.x); f[1] = toFloat((bf16)(u.x >> 16));
  f[2] = toFloat((bf16)u.y); f[3] = toFloat((bf16)(u.y >> 16));
}
__device__ __forceinline__ float scaleOf(float largest) { return fmaxf(largest / LARGEST_E4M3, LEAST_SCALE); }
__device__ __forceinline__ float largestOf(const float* f, int count, float before) {
#pragma unroll
  for (int i = 0; i < count; i++) before = fmaxf(before, fabsf(f[i]));
  return before;
}
__device__ __forceinline__ unsigned fourCodes(const float* f, float scale) {
  return toE4m3Pair(f[0] / scale, f[1] / scale) | toE4m3Pair(f[2] / scale, f[3] / scale) << 16;
}
__device__ __forceinline__ e4m3 oneCode(bf16 x, float scale) { return (e4m3)toE4m3Pair(toFloat(x) / scale, 0.f); }
}  // namespace

// A block per row, whose scale is *fixed, or its own where that is null.
KERNEL(256, round_rows_e4m3)
(e4m3* codes, float* scales, const bf16* x, const float* fixed, int K) {
  SHARED_ARRAY(float, part, 32);
  x += (size_t)blockIdx.x * K;
  codes += (size_t)blockIdx.x * K;
  const bool aligned = (K & 7) == 0;
  float scale = 0.f;
  if (fixed) {
    scale = *fixed;
  } else {
    float largest = 0.f;
    if (aligned) {
#pragma unroll 2
      for (int k = threadIdx.x * 8; k < K; k += blockDim.x * 8) {
        float f[8];
        unpack8(*reinterpret_cast<const uint4*>(x + k), f);
        largest = largestOf(f, 8, largest);
      }
    } else {
      for (int k = threadIdx.x; k < K; k += blockDim.x) largest = fmaxf(largest, fabsf(toFloat(x[k])));
    }
    scale = scaleOf(blockMax(largest, part));
  }
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;
  if (aligned) {
#pragma unroll 2
    for (int k = threadIdx.x * 8; k < K; k += blockDim.x * 8) {  // from the caches where the largest was looked for
      float f[8];
      unpack8(*reinterpret_cast<const uint4*>(x + k), f);
      const uint2 made = {fourCodes(f, scale), fourCodes(f + 4, scale)};
      *reinterpret_cast<uint2*>(codes + k) = made;
    }
  } else {
    for (int k = threadIdx.x; k < K; k += blockDim.x) codes[k] = oneCode(x[k], scale);
  }
}
EMULATED(round_rows_e4m3)

// A warp per group of `group` columns of a row, a multiple of 8: x over groups, eight to a block, y over rows.
KERNEL(256, round_groups_e4m3)
(e4m3* codes, float* scales, const bf16* x, int K, int group, int pitch) {
  const int lane = threadIdx.x & 31, which = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5), across = (K + group - 1) / group;
  if (which >= across) return;  // whole warps leave
  const int begin = which * group, end = begin + group < K ? begin + group : K;
  x += (size_t)blockIdx.y * K;
  codes += (size_t)blockIdx.y * K;
  const bool aligned = (K & 3) == 0;
  float largest = 0.f;
  if (aligned) {
#pragma unroll 1
    for (int k = begin + lane * 4; k < end; k += 128) {
      float f[4];
      unpack4(*reinterpret_cast<const uint2*>(x + k), f);
      largest = largestOf(f, 4, largest);
    }
  } else {
    for (int k = begin + lane; k < end; k += 32) largest = fmaxf(largest, fabsf(toFloat(x[k])));
  }
  const float scale = scaleOf(warpMax(largest));
  if (lane == 0) scales[(size_t)which * pitch + blockIdx.y] = scale;
  if (aligned) {
#pragma unroll 1
    for (int k = begin + lane * 4; k < end; k += 128) {
      float f[4];
      unpack4(*reinterpret_cast<const uint2*>(x + k), f);
      *reinterpret_cast<unsigned*>(codes + k) = fourCodes(f, scale);
    }
  } else {
    for (int k = begin + lane; k < end; k += 32) codes[k] = oneCode(x[k], scale);
  }
}
EMULATED(round_groups_e4m3)
