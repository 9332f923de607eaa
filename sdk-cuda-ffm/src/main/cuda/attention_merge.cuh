// What the attention kernels do with a row of queries whose keys are shared among blocks: each block leaves a record
// of its keys, and who ends last adds the records up, in the order of the keys. So the bits of a row depend on how its
// keys are cut, and on nothing else.
//   stats   [record][2]: the reference of the weights, in powers of 2, and their sum
//   sums    [record][D]: values times weights, added up
#pragma once
#include "attention.cuh"

// Rows of D values of `out`, the first `count` of ROWS of them: row to[i] of `parts` records, `next` apart, from
// record[i] on, which must be one that exists for all of ROWS. LOADS: of a row by a lane at once. sink: as sinkOf answers for
// each. One warp, which sees what all blocks wrote: see isLastBlock.
template <int D, int ROWS, int LOADS>
static __device__ __forceinline__ void mergeRecords(bf16* out, const float* stats, const float* sums, const unsigned* to, const unsigned* record,
                                                    int count, unsigned next, int parts, const float* sink) {
  constexpr int LANES = D / 4 < 32 ? D / 4 : 32, SETS = 32 / LANES, ROUNDS = (D / 4 + LANES - 1) / LANES;
  const int lane = threadIdx.x & 31, set = lane / LANES;  // SETS, where lanes are over
  float2 mine[ROWS];                                      // what is known of the first 32 parts, one per lane
  float overall[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) mine[r] = loadThrough(reinterpret_cast<const float2*>(stats) + record[r] + (lane < parts ? lane : 0) * next);
#pragma unroll
  for (int r = 0; r < ROWS; r++) overall[r] = mine[r].x;
  for (int p = 32 + lane; p < parts; p += 32)
#pragma unroll
    for (int r = 0; r < ROWS; r++) overall[r] = fmaxf(overall[r], loadThrough(stats + (size_t)(record[r] + p * next) * 2));
#pragma unroll
  for (int r = 0; r < ROWS; r++) overall[r] = warpMax(overall[r]);
#pragma unroll
  for (int round = 0; round < ROUNDS; round++) {
    const int d = (round * LANES + lane % LANES) * 4;
    float total[ROWS];
    float4 value[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      total[r] = 0.f;
      value[r] = {0.f, 0.f, 0.f, 0.f};
    }
#pragma unroll 1
    for (int first = 0; first < parts; first += 32) {
      float weight[ROWS];
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        float2 stat = mine[r];
        if (first > 0 && first + lane < parts) stat = loadThrough(reinterpret_cast<const float2*>(stats) + record[r] + (first + lane) * next);
        weight[r] = first + lane < parts ? weightOf(stat.x, overall[r]) : 0.f;
        total[r] += first + lane < parts ? weight[r] * stat.y : 0.f;
      }
      const int n = parts - first < 32 ? parts - first : 32;
#pragma unroll 1
      for (int p = 0; p < n; p += LOADS * SETS) {
        float4 v[ROWS][LOADS];
#pragma unroll
        for (int l = 0; l < LOADS; l++)  // all on their way before the first is needed
#pragma unroll
          for (int r = 0; r < ROWS; r++) {
            const int at = p + l * SETS + set;
            v[r][l] = {0.f, 0.f, 0.f, 0.f};
            if (at < n && set < SETS) v[r][l] = loadThrough(reinterpret_cast<const float4*>(sums + (size_t)(record[r] + (first + at) * next) * D + d));
          }
#pragma unroll
        for (int l = 0; l < LOADS; l++)
#pragma unroll
          for (int r = 0; r < ROWS; r++) {
            const float w = __shfl_sync(0xffffffffu, weight[r], p + l * SETS + set);
            value[r].x += w * v[r][l].x; value[r].y += w * v[r][l].y; value[r].z += w * v[r][l].z; value[r].w += w * v[r][l].w;
          }
      }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      total[r] = warpSum(total[r]);
      if (SETS > 1) {
#pragma unroll
        for (int o = LANES; o < 32; o <<= 1) {
          value[r].x += __shfl_xor_sync(0xffffffffu, value[r].x, o);
          value[r].y += __shfl_xor_sync(0xffffffffu, value[r].y, o);
          value[r].z += __shfl_xor_sync(0xffffffffu, value[r].z, o);
          value[r].w += __shfl_xor_sync(0xffffffffu, value[r].w, o);
        }
      }
      const float inverse = inverseOf(total[r], overall[r], sink[r]);
      if (set == 0 && r < count)
        *reinterpret_cast<uint2*>(out + (size_t)to[r] * D + d) =
            uint2{pack2(value[r].x * inverse, value[r].y * inverse), pack2(value[r].z * inverse, value[r].w * inverse)};
    }
  }
}
