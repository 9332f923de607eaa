// Attention of chunks of a prompt on tensor cores, after FlashAttention-2 (Dao 2023): a block keeps 64
// queries of one head in registers, walks over tiles of 64 keys in shared memory, and keeps a running
// maximum and sum per query. Keys and values come from the pages of the cache, so the chunk itself must
// have been written there before.
#include "attention.cuh"

constexpr int QUERIES = 64, KEYS = 64;

// tiles: [tile][3] = first row of the batch, number of rows (1..64), row of the block table; rows of a
// tile are consecutive tokens of one sequence. x = tile, y = query head, 128 threads.
template <int D>
static __device__ __forceinline__ void prefill(bf16* keyTile, bf16* valueTile, bf16* out, const bf16* qkv, const bf16* keyCache,
                                               const bf16* valueCache, const int* tiles, const int* position, const int* blockTable,
                                               int maxBlocks, int heads, int kvHeads, int blockSize, float scale) {
  constexpr int DP = D < 16 ? 16 : D, PITCH_D = DP + 8;  // one mma takes 16 dimensions: pad with zeros
  const int firstRow = tiles[blockIdx.x * 3], rows = tiles[blockIdx.x * 3 + 1];
  const int* table = blockTable + (size_t)tiles[blockIdx.x * 3 + 2] * maxBlocks;
  const int head = blockIdx.y, kvHead = head / (heads / kvHeads), firstPosition = position[firstRow];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, rowOfLane = warp * 16 + (lane >> 2), column = (lane & 3) * 2;

  // queries through shared memory into fragments
  for (int i = threadIdx.x; i < QUERIES * (DP / 8); i += 128) {
    const int r = i / (DP / 8), d = i % (DP / 8) * 8;
    uint4 v = {0, 0, 0, 0};
    if (r < rows && d < D) v = *reinterpret_cast<const uint4*>(qkv + ((size_t)(firstRow + r) * (heads + 2 * kvHeads) + head) * D + d);
    *reinterpret_cast<uint4*>(&keyTile[r * PITCH_D + d]) = v;
  }
  __syncthreads();
  unsigned q[DP / 16][4];
#pragma unroll
  for (int k = 0; k < DP / 16; k++) loadMatrices4(q[k], &keyTile[(warp * 16 + (lane & 15)) * PITCH_D + k * 16 + (lane >> 4) * 8]);

  float acc[DP / 8][4], max[2] = {-INFINITY, -INFINITY}, sum[2] = {0.f, 0.f};
#pragma unroll
  for (int j = 0; j < DP / 8; j++)
#pragma unroll
    for (int e = 0; e < 4; e++) acc[j][e] = 0.f;

  const int keys = firstPosition + rows;  // the last row sees them all
  for (int key0 = 0; key0 < keys; key0 += KEYS) {
    __syncthreads();  // everybody is done with the tile before, or with the queries
    for (int i = threadIdx.x; i < KEYS * (DP / 8); i += 128) {
      const int r = i / (DP / 8), d = i % (DP / 8) * 8;
      uint4 k = {0, 0, 0, 0}, v = k;
      if (key0 + r < keys && d < D) {
        const size_t at = cacheRow(table, key0 + r, kvHead, kvHeads, D, blockSize) + d;
        k = *reinterpret_cast<const uint4*>(keyCache + at);
        v = *reinterpret_cast<const uint4*>(valueCache + at);
      }
      *reinterpret_cast<uint4*>(&keyTile[r * PITCH_D + d]) = k;
      *reinterpret_cast<uint4*>(&valueTile[r * PITCH_D + d]) = v;
    }
    __syncthreads();

    float score[KEYS / 8][4];
#pragma unroll
    for (int j = 0; j < KEYS / 8; j++)
#pragma unroll
      for (int e = 0; e < 4; e++) score[j][e] = 0.f;
#pragma unroll
    for (int k = 0; k < DP / 16; k++)
#pragma unroll
      for (int j = 0; j < KEYS / 8; j += 2) {
        unsigned b[4];
        loadMatrices4(b, &keyTile[(j * 8 + (lane & 7) + (lane >> 4) * 8) * PITCH_D + k * 16 + (lane >> 3 & 1) * 8]);
        mma16816(score[j], q[k], b);
        mma16816(score[j + 1], q[k], b + 2);
      }

    // causal mask, then the running maximum of the lane's two rows; four lanes share a row
    float newMax[2] = {max[0], max[1]};
#pragma unroll
    for (int j = 0; j < KEYS / 8; j++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int key = key0 + j * 8 + column + (e & 1), row = rowOfLane + (e >> 1) * 8;
        score[j][e] = row < rows && key <= firstPosition + row ? score[j][e] * scale * LOG2_E : -INFINITY;
        newMax[e >> 1] = fmaxf(newMax[e >> 1], score[j][e]);
      }
#pragma unroll
    for (int h = 0; h < 2; h++) {
      newMax[h] = fmaxf(newMax[h], __shfl_xor_sync(0xffffffffu, newMax[h], 1));
      newMax[h] = fmaxf(newMax[h], __shfl_xor_sync(0xffffffffu, newMax[h], 2));
      const float rescale = weightOf(max[h], newMax[h]);
      max[h] = newMax[h];
      sum[h] *= rescale;
#pragma unroll
      for (int j = 0; j < DP / 8; j++) { acc[j][h * 2] *= rescale; acc[j][h * 2 + 1] *= rescale; }
    }
#pragma unroll
    for (int j = 0; j < KEYS / 8; j++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
        score[j][e] = weightOf(score[j][e], max[e >> 1]);
        sum[e >> 1] += score[j][e];
      }

    // the layout of a sum is that of a left operand: weights go on without shared memory
#pragma unroll
    for (int k = 0; k < KEYS / 16; k++) {
      unsigned p[4] = {pack2(score[2 * k][0], score[2 * k][1]), pack2(score[2 * k][2], score[2 * k][3]),
                       pack2(score[2 * k + 1][0], score[2 * k + 1][1]), pack2(score[2 * k + 1][2], score[2 * k + 1][3])};
#pragma unroll
      for (int j = 0; j < DP / 8; j += 2) {
        unsigned b[4];
        loadMatrices4Transposed(b, &valueTile[(k * 16 + (lane & 15)) * PITCH_D + j * 8 + (lane >> 4) * 8]);
        mma16816(acc[j], p, b);
        mma16816(acc[j + 1], p, b + 2);
      }
    }
  }

#pragma unroll
  for (int h = 0; h < 2; h++) {
    sum[h] += __shfl_xor_sync(0xffffffffu, sum[h], 1);
    sum[h] += __shfl_xor_sync(0xffffffffu, sum[h], 2);
    const int row = rowOfLane + h * 8;
    if (row < rows) {
      bf16* to = out + ((size_t)(firstRow + row) * heads + head) * D;
      const float inverse = sum[h] > 0.f ? 1.f / sum[h] : 0.f;
#pragma unroll
      for (int j = 0; j < D / 8; j++) {
        *reinterpret_cast<unsigned*>(to + j * 8 + column) = pack2(acc[j][h * 2] * inverse, acc[j][h * 2 + 1] * inverse);
      }
    }
  }
}
#define ATTENTION_PREFILL(D)                                                                                                        \
  KERNEL(128, attention_prefill_d##D)                                                                                              \
  (bf16* out, const bf16* qkv, const bf16* keyCache, const bf16* valueCache, const int* tiles, const int* position,                \
   const int* blockTable, int maxBlocks, int heads, int kvHeads, int blockSize, float scale) {                                     \
    SHARED_ARRAY(bf16, keyTile, KEYS * ((D < 16 ? 16 : D) + 8));                                                                   \
    SHARED_ARRAY(bf16, valueTile, KEYS * ((D < 16 ? 16 : D) + 8));                                                                 \
    prefill<D>(keyTile, valueTile, out, qkv, keyCache, valueCache, tiles, position, blockTable, maxBlocks, heads, kvHeads,         \
               blockSize, scale);                                                                                                  \
  }                                                                                                                                \
  EMULATED(attention_prefill_d##D)
ATTENTION_PREFILL(8)
ATTENTION_PREFILL(16)
ATTENTION_PREFILL(32)
ATTENTION_PREFILL(64)
ATTENTION_PREFILL(128)
