// Attention as plainly as a device can do it: the oracle of the other two, on any mix of rows.
#include "attention.cuh"

// One block of 128 threads per (row, query head). Each warp takes 32 keys at a time (lane = key, then
// lane = dimension) with a running maximum; warps are merged in shared memory.
// Dynamic shared memory: headDim + 4 * (headDim + 2) floats. headDim is a multiple of 8, up to 256.
KERNEL(128, attention_reference)
(bf16* out, const bf16* qkv, const bf16* keyCache, const bf16* valueCache, const int* sequence, const int* position, const int* blockTable,
 const float* sinks, int maxBlocks, int blockStride, int heads, int kvHeads, int headDim, int blockSize,
 int window, float scale) {
  DYNAMIC_SHARED(float, shared);
  const int t = blockIdx.x, head = blockIdx.y, kvHead = head / (heads / kvHeads);
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const bf16* q = qkv + ((size_t)t * (heads + 2 * kvHeads) + head) * headDim;
  for (int i = threadIdx.x; i < headDim; i += 128) shared[i] = toFloat(q[i]) * scale * LOG2_E;
  __syncthreads();
  const int keys = position[t] + 1, lowest = keys - window > 0 ? keys - window : 0;
  const int* table = blockTable + (size_t)sequence[t] * maxBlocks;
  float max = -INFINITY, sum = 0.f, acc[8];
#pragma unroll
  for (int i = 0; i < 8; i++) acc[i] = 0.f;
  for (int first = lowest + warp * 32; first < keys; first += 128) {
    const int key = first + lane;
    float score = -INFINITY;
    if (key < keys) {
      const uint4* k = reinterpret_cast<const uint4*>(keyCache + cacheRow(table, key, kvHead, blockStride, headDim, blockSize));
      score = 0.f;
      for (int d = 0; d < headDim / 8; d++) {
        float f[8];
        unpack8(k[d], f);
#pragma unroll
        for (int i = 0; i < 8; i++) score += f[i] * shared[d * 8 + i];
      }
    }
    const float newMax = fmaxf(max, warpMax(score)), p = weightOf(score, newMax), rescale = weightOf(max, newMax);
    sum = sum * rescale + warpSum(p);
    max = newMax;
#pragma unroll
    for (int i = 0; i < 8; i++) acc[i] *= rescale;
    const int count = keys - first < 32 ? keys - first : 32;
    for (int j = 0; j < count; j++) {
      const float pj = __shfl_sync(0xffffffffu, p, j);
      const bf16* v = valueCache + cacheRow(table, first + j, kvHead, blockStride, headDim, blockSize);
#pragma unroll
      for (int i = 0; i < 8; i++) if (i * 32 + lane < headDim) acc[i] += pj * toFloat(v[i * 32 + lane]);
    }
  }
  float* mine = shared + headDim + warp * (headDim + 2);
#pragma unroll
  for (int i = 0; i < 8; i++) if (i * 32 + lane < headDim) mine[i * 32 + lane] = acc[i];
  if (lane == 0) { mine[headDim] = max; mine[headDim + 1] = sum; }
  __syncthreads();
  float overall = -INFINITY;
  for (int w = 0; w < 4; w++) overall = fmaxf(overall, shared[headDim + w * (headDim + 2) + headDim]);
  for (int d = threadIdx.x; d < headDim; d += 128) {
    float value = 0.f, total = 0.f;
    for (int w = 0; w < 4; w++) {
      const float* theirs = shared + headDim + w * (headDim + 2);
      const float weight = weightOf(theirs[headDim], overall);
      value += theirs[d] * weight;
      total += theirs[headDim + 1] * weight;
    }
    out[((size_t)t * heads + head) * headDim + d] = toBf16(value * inverseOf(total, overall, sinkOf(sinks, head)));
  }
}
EMULATED(attention_reference)
