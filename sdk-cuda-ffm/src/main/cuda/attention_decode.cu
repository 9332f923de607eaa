// Attention of rows that have one query each, bound by the bytes of the cache.
//
// A block takes one row, one KV head, a group of GROUP of its query heads, and one of gridDim.z equal
// parts of the keys: a key or value is read once for the whole group. headDim / 8 lanes share a key (16
// bytes each), so a warp handles 256 / headDim keys at once, each lane group with a running maximum of
// its own. Lane groups, warps, and then parts are merged. Lengths are read on the device, so that a
// recorded launch serves any of them.
#include "attention.cuh"

constexpr int DECODE_WARPS = 4;

// `partial`: [rows][heads][parts][headDim + 2] floats, the values before division, the maximum, the sum;
// unused if there is one part. `rows` gives the row of qkv and out for each blockIdx.y.
template <int D, int GROUP>
static __device__ __forceinline__ void decode(float* shared, bf16* out, float* partial, const bf16* qkv, const bf16* keyCache,
                                              const bf16* valueCache, const int* rows, const int* sequence, const int* position,
                                              const int* blockTable, int maxBlocks, int heads, int kvHeads, int blockSize, float scale) {
  constexpr int LANES = D / 8, SETS = 32 / LANES, MERGED = DECODE_WARPS * SETS, RECORD = D + 2;
  const int t = rows[blockIdx.y], perKvHead = heads / kvHeads, groups = (perKvHead + GROUP - 1) / GROUP;
  const int kvHead = blockIdx.x / groups, firstHead = kvHead * perKvHead + blockIdx.x % groups * GROUP;
  const int endHead = (kvHead + 1) * perKvHead, parts = gridDim.z;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, set = warp * SETS + lane / LANES, d0 = lane % LANES * 8;
  const int keys = position[t] + 1, part = (keys + parts - 1) / parts;
  const int begin = blockIdx.z * part, end = keys < begin + part ? keys : begin + part;
  const int* table = blockTable + (size_t)sequence[t] * maxBlocks;

  float q[GROUP][8], acc[GROUP][8], max[GROUP], sum[GROUP];
#pragma unroll
  for (int g = 0; g < GROUP; g++) {
    const int head = firstHead + g < endHead ? firstHead + g : firstHead;
    unpack8(*reinterpret_cast<const uint4*>(qkv + ((size_t)t * (heads + 2 * kvHeads) + head) * D + d0), q[g]);
    max[g] = -INFINITY;
    sum[g] = 0.f;
#pragma unroll
    for (int i = 0; i < 8; i++) { q[g][i] *= scale * LOG2_E; acc[g][i] = 0.f; }
  }
  for (int first = begin; first < end; first += MERGED) {  // the same number of turns for all lanes
    const int key = first + set;
    const bool valid = key < end;
    float kf[8], vf[8];
    const size_t at = valid ? cacheRow(table, key, kvHead, kvHeads, D, blockSize) + d0 : 0;
    if (valid) {
      unpack8(*reinterpret_cast<const uint4*>(keyCache + at), kf);
      unpack8(*reinterpret_cast<const uint4*>(valueCache + at), vf);
    } else {
#pragma unroll
      for (int i = 0; i < 8; i++) kf[i] = vf[i] = 0.f;
    }
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
      float score = 0.f;
#pragma unroll
      for (int i = 0; i < 8; i++) score += q[g][i] * kf[i];
#pragma unroll
      for (int o = LANES / 2; o; o >>= 1) score += __shfl_xor_sync(0xffffffffu, score, o);
      if (!valid) score = -INFINITY;
      const float newMax = fmaxf(max[g], score), p = weightOf(score, newMax), rescale = weightOf(max[g], newMax);
      max[g] = newMax;
      sum[g] = sum[g] * rescale + p;
#pragma unroll
      for (int i = 0; i < 8; i++) acc[g][i] = acc[g][i] * rescale + p * vf[i];
    }
  }
  for (int g = 0; g < GROUP && firstHead + g < endHead; g++) {  // one head at a time through shared memory
    float* mine = shared + set * RECORD;
#pragma unroll
    for (int k = 0; k < GROUP; k++) {  // k == g, with indices known at compile time
      if (k != g) continue;
#pragma unroll
      for (int i = 0; i < 8; i++) mine[d0 + i] = acc[k][i];
      if (d0 == 0) { mine[D] = max[k]; mine[D + 1] = sum[k]; }
    }
    __syncthreads();
    float overall = -INFINITY;
    for (int s = 0; s < MERGED; s++) overall = fmaxf(overall, shared[s * RECORD + D]);
    const size_t target = (size_t)t * heads + firstHead + g;
    for (int d = threadIdx.x; d < D; d += DECODE_WARPS * 32) {
      float value = 0.f, total = 0.f;
      for (int s = 0; s < MERGED; s++) {
        const float weight = weightOf(shared[s * RECORD + D], overall);
        value += shared[s * RECORD + d] * weight;
        total += shared[s * RECORD + D + 1] * weight;
      }
      if (parts == 1) {
        out[target * D + d] = toBf16(total > 0.f ? value / total : 0.f);
      } else {
        float* record = partial + (((size_t)blockIdx.y * heads + firstHead + g) * parts + blockIdx.z) * RECORD;
        record[d] = value;
        if (d == 0) { record[D] = overall; record[D + 1] = total; }
      }
    }
    __syncthreads();
  }
}
#define ATTENTION_DECODE(D, GROUP)                                                                                                   \
  KERNEL(128, attention_decode_d##D##_g##GROUP)                                                                                     \
  (bf16* out, float* partial, const bf16* qkv, const bf16* keyCache, const bf16* valueCache, const int* rows, const int* sequence,  \
   const int* position, const int* blockTable, int maxBlocks, int heads, int kvHeads, int blockSize, float scale) {                 \
    SHARED_ARRAY(float, shared, DECODE_WARPS * (32 / (D / 8)) * (D + 2));                                                           \
    decode<D, GROUP>(shared, out, partial, qkv, keyCache, valueCache, rows, sequence, position, blockTable, maxBlocks, heads,       \
                     kvHeads, blockSize, scale);                                                                                    \
  }                                                                                                                                 \
  EMULATED(attention_decode_d##D##_g##GROUP)
ATTENTION_DECODE(8, 1)
ATTENTION_DECODE(8, 4)
ATTENTION_DECODE(16, 1)
ATTENTION_DECODE(16, 4)
ATTENTION_DECODE(32, 1)
ATTENTION_DECODE(32, 4)
ATTENTION_DECODE(64, 1)
ATTENTION_DECODE(64, 4)
ATTENTION_DECODE(128, 1)
ATTENTION_DECODE(128, 4)

// Merges the parts of a (row, head): x = row, y = head, 128 threads.
KERNEL(128, attention_merge) (bf16* out, const float* partial, const int* rows, int heads, int headDim, int parts) {
  const float* records = partial + ((size_t)blockIdx.x * heads + blockIdx.y) * parts * (headDim + 2);
  float overall = -INFINITY;
  for (int p = 0; p < parts; p++) overall = fmaxf(overall, records[p * (headDim + 2) + headDim]);
  for (int d = threadIdx.x; d < headDim; d += 128) {
    float value = 0.f, total = 0.f;
    for (int p = 0; p < parts; p++) {
      const float* record = records + p * (headDim + 2);
      const float weight = weightOf(record[headDim], overall);
      value += record[d] * weight;
      total += record[headDim + 1] * weight;
    }
    out[((size_t)rows[blockIdx.x] * heads + blockIdx.y) * headDim + d] = toBf16(total > 0.f ? value / total : 0.f);
  }
}
EMULATED(attention_merge)
