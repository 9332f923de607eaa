// What LoRA adapters add to the outputs of a product, each row its own adapter's: y += up * (scale * down * x), a kernel
// for either matrix, as Punica's (Chen et al. 2023, bgmv) and vLLM's. Rows without one are neither read nor written. A
// row's sums have one order, whatever the other rows of its tile are and however many rows a tile has.
//
// Products that share x (queries, keys and values; gate and up) are one: their columns of `low` follow each other, `rank`
// for each. Ranks are filled up with zeros to a multiple of 8.
#include "dev.cuh"

// columns of low that a block of LORA_THREADS makes: its threads share the terms
constexpr int LORA_COLUMNS = 4;
constexpr int LORA_THREADS = 128;

// rows of the tile that begins with `first`
template <int ROWS> static __device__ __forceinline__ int rowsOfTile(int first, int rows) {
  if (ROWS == 1) return 1;
  return rows - first < ROWS ? rows - first : ROWS;
}

// The adapter of all `count` rows; MIXED if they have several.
constexpr int MIXED = -2;
static __device__ __forceinline__ int adapterOfAll(const int* adapters, int count) {
  int all = adapters[0];
  for (int r = 1; r < count; r++) {
    if (adapters[r] != all) all = MIXED;
  }
  return all;
}

// What a thread adds up of `count` rows, up to ROWS, and LORA_COLUMNS columns: terms of its own, eight at a time, in their
// order. ALIGNED: so are the rows, to 16 bytes; their ends are multiples of 8 then. Places behind `count` repeat row 0.
template <int ROWS, bool ALIGNED>
static __device__ __forceinline__ void addTerms(float sum[ROWS][LORA_COLUMNS], const bf16* x, const bf16* down, int count, int inputs, int pitch) {
  for (int i = threadIdx.x * 8; i < inputs; i += LORA_THREADS * 8) {
    float weight[LORA_COLUMNS][8];
#pragma unroll
    for (int c = 0; c < LORA_COLUMNS; c++) unpack8(loadConstant(down + (size_t)c * pitch + i), weight[c]);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const bf16* row = x + (size_t)(r < count ? r : 0) * inputs + i;
      float value[8];
      if (ALIGNED) {
        unpack8(loadConstant(row), value);
      } else {
#pragma unroll
        for (int e = 0; e < 8; e++) value[e] = i + e < inputs ? toFloat(row[e]) : 0.f;
      }
#pragma unroll
      for (int c = 0; c < LORA_COLUMNS; c++) {
#pragma unroll
        for (int e = 0; e < 8; e++) sum[r][c] += weight[c][e] * value[e];
      }
    }
  }
}

// low[r][0 .. LORA_COLUMNS) of `count` rows of one adapter, up to ROWS; `down` begins with the first of these columns, and
// its rows have `pitch` values, of which those behind `inputs` are zero
template <int ROWS>
static __device__ __forceinline__ void shrinkRows(float* part, float* low, const bf16* x, const bf16* down, float scale, int count, int inputs,
                                                  int pitch, int columns) {
  float sum[ROWS][LORA_COLUMNS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
#pragma unroll
    for (int c = 0; c < LORA_COLUMNS; c++) sum[r][c] = 0.f;
  }
  if ((inputs & 7) == 0 && ((size_t)x & 15) == 0) {
    addTerms<ROWS, true>(sum, x, down, count, inputs, pitch);
  } else {
    addTerms<ROWS, false>(sum, x, down, count, inputs, pitch);
  }
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
#pragma unroll
    for (int c = 0; c < LORA_COLUMNS; c++) {
      const float total = warpSum(sum[r][c]);
      if (lane == 0) part[(warp * ROWS + r) * LORA_COLUMNS + c] = total;
    }
  }
  __syncthreads();
  const int t = threadIdx.x, of = ROWS * LORA_COLUMNS;
  if (t < count * LORA_COLUMNS) {
    low[(size_t)(t / LORA_COLUMNS) * columns + t % LORA_COLUMNS] = scale * (part[t] + part[of + t] + part[2 * of + t] + part[3 * of + t]);
  }
  __syncthreads();  // `part` is used again
}

template <int ROWS>
static __device__ __forceinline__ void shrink(float* part, float* low, const bf16* x, const bf16* down, const float* scales, const int* adapters,
                                              int rows, int inputs, int columns) {
  const int first = blockIdx.x * ROWS, count = rowsOfTile<ROWS>(first, rows), column = blockIdx.y * LORA_COLUMNS;
  const int pitch = (inputs + 7) & ~7;
  x += (size_t)first * inputs;
  low += (size_t)first * columns + column;
  const int all = adapterOfAll(adapters + first, count);
  if (all >= 0) {
    shrinkRows<ROWS>(part, low, x, down + ((size_t)all * columns + column) * pitch, scales[all], count, inputs, pitch, columns);
  }
  for (int r = 0; ROWS > 1 && all == MIXED && r < count; r++) {
    const int one = adapters[first + r];
    if (one < 0) continue;
    shrinkRows<1>(part, low + (size_t)r * columns, x + (size_t)r * inputs, down + ((size_t)one * columns + column) * pitch, scales[one], 1,
                  inputs, pitch, columns);
  }
}

// low = scale * down * x: float[rows][columns] of bf16[rows][inputs], down[adapters][columns][inputs] with rows filled up
// to a multiple of 8; x over groups of ROWS rows, y over groups of LORA_COLUMNS columns
#define LORA_SHRINK(ROWS)                                                                                                                    \
  KERNEL(LORA_THREADS, lora_shrink_##ROWS)                                                                                                  \
  (float* low, const bf16* x, const bf16* down, const float* scales, const int* adapters, int rows, int inputs, int columns) {              \
    SHARED_ARRAY(float, part, LORA_THREADS / 32 * ROWS * LORA_COLUMNS);                                                                     \
    shrink<ROWS>(part, low, x, down, scales, adapters, rows, inputs, columns);                                                              \
  }                                                                                                                                         \
  EMULATED(lora_shrink_##ROWS)
LORA_SHRINK(1)
LORA_SHRINK(8)

// one output of `count` rows of one adapter, up to ROWS: what `low` begins with, of all of its rank
template <int ROWS>
static __device__ __forceinline__ void expandRows(bf16* y, const float* low, const bf16* up, int count, int outputs, int rank, int columns) {
  float sum[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) sum[r] = 0.f;
  for (int j = 0; j < rank; j += 8) {
    float weight[8];
    unpack8(loadConstant(up + (size_t)j * outputs), weight);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const float* row = low + (size_t)(r < count ? r : 0) * columns + j;
      const float4 a = *reinterpret_cast<const float4*>(row);
      const float4 b = *reinterpret_cast<const float4*>(row + 4);
      sum[r] += weight[0] * a.x; sum[r] += weight[1] * a.y; sum[r] += weight[2] * a.z; sum[r] += weight[3] * a.w;
      sum[r] += weight[4] * b.x; sum[r] += weight[5] * b.y; sum[r] += weight[6] * b.z; sum[r] += weight[7] * b.w;
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    if (r < count) y[(size_t)r * outputs] = toBf16(toFloat(y[(size_t)r * outputs]) + sum[r]);
  }
}

template <int ROWS>
static __device__ __forceinline__ void expand(bf16* y, const float* low, const bf16* up, const int* adapters, int rows, int outputs, int rank,
                                              int columns, int second, int third) {
  const int n = blockIdx.x * LORA_THREADS + threadIdx.x;
  if (n >= outputs) return;
  const int first = blockIdx.y * ROWS, count = rowsOfTile<ROWS>(first, rows);
  const size_t size = (size_t)outputs * rank;  // of an adapter
  y += (size_t)first * outputs + n;
  low += (size_t)first * columns + (n < second ? 0 : n < third ? rank : 2 * rank);
  up += (size_t)n * 8;
  const int all = adapterOfAll(adapters + first, count);
  if (all >= 0) expandRows<ROWS>(y, low, up + all * size, count, outputs, rank, columns);
  for (int r = 0; ROWS > 1 && all == MIXED && r < count; r++) {
    const int one = adapters[first + r];
    if (one >= 0) expandRows<1>(y + (size_t)r * outputs, low + (size_t)r * columns, up + one * size, 1, outputs, rank, columns);
  }
}

// y += up * low: bf16[rows][outputs] of float[rows][columns], up[adapters][rank / 8][outputs][8], rounded once. Outputs
// from `second` on read the second `rank` columns of low, those from `third` on the third; x over outputs, y over groups of
// ROWS rows
#define LORA_EXPAND(ROWS)                                                                                                                    \
  KERNEL(LORA_THREADS, lora_expand_##ROWS)                                                                                                  \
  (bf16* y, const float* low, const bf16* up, const int* adapters, int rows, int outputs, int rank, int columns, int second, int third) {   \
    expand<ROWS>(y, low, up, adapters, rows, outputs, rank, columns, second, third);                                                        \
  }                                                                                                                                         \
  EMULATED(lora_expand_##ROWS)
LORA_EXPAND(1)
LORA_EXPAND(8)
