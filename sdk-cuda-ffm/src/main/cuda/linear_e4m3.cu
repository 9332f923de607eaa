// Products with weights that are e4m3 codes, one byte each, and scales: w[n][k] = code[n][k] * scale. A code is made a bf16 in
// registers, which is exact. What the codes of one scale make is summed in fp32, that sum is multiplied by the scale and added
// to those before: no weight is rounded. Otherwise as linear_vector.cu and linear_tiles.cu, behind which this comes.
//   scales       [ceil(N / 2^rowShift)][ceil(K / columns)]; a scale is that of 2^rowShift rows and `columns` columns
//   columnShift  columns = 2^columnShift; 31 where columns = K; below 0 if columns is neither
#include "codes_tile.cuh"

namespace {
// One warp per column of y, any scales.
template <int ROWS>
__device__ __forceinline__ void codesVectorProduct(void* y, const bf16* x, const Codes& c, const bf16* bias, const bf16* residual, int M,
                                                   int N, int K, int fp32) {
  const int lane = threadIdx.x & 31, n = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5), m0 = blockIdx.y * ROWS;
  if (n >= N) return;  // whole warps leave
  float sum[ROWS];
#pragma unroll
  for (int m = 0; m < ROWS; m++) sum[m] = 0.f;
  const e4m3* wRow = c.w + (size_t)n * K;
  const float* scales = c.scalesOf(n);
  if ((K & 15) == 0 && c.columnShift >= 4) {
#pragma unroll 2
    for (int k = lane * 16; k < K; k += 512) {
      float wf[16];
      unpack16(*reinterpret_cast<const uint4*>(wRow + k), wf);
      const float scale = scales[k >> c.columnShift];
#pragma unroll
      for (int m = 0; m < ROWS; m++) {
        if (m0 + m >= M) break;
        const bf16* xRow = x + (size_t)(m0 + m) * K + k;
        float part = 0.f;
#pragma unroll
        for (int half = 0; half < 16; half += 8) {
          float xf[8];
          unpack8(*reinterpret_cast<const uint4*>(xRow + half), xf);
#pragma unroll
          for (int i = 0; i < 8; i++) part += wf[half + i] * xf[i];
        }
        sum[m] += part * scale;
      }
    }
  } else {  // rows are not aligned to 16 bytes, or a chunk of them has several scales
#pragma unroll 1
    for (int k = lane; k < K; k += 32) {
      const float weight = toFloat(wRow[k]) * scales[k / c.columns];
#pragma unroll
      for (int m = 0; m < ROWS; m++) {
        if (m0 + m < M) sum[m] += weight * toFloat(x[(size_t)(m0 + m) * K + k]);
      }
    }
  }
#pragma unroll
  for (int m = 0; m < ROWS; m++) {
    const float total = warpSum(sum[m]);
    if (lane == 0 && m0 + m < M) storeSum(y, fp32, (size_t)(m0 + m) * N + n, n, total, bias, residual);
  }
}
}  // namespace

#define CODES_VECTOR_PRODUCT(ROWS)                                                                                                     \
  KERNEL(256, gemv_e4m3_##ROWS)                                                                                                        \
  (void* y, const bf16* x, const e4m3* w, const float* scales, const bf16* bias, const bf16* residual, int M, int N, int K, int fp32, \
   int rowShift, int columns, int columnShift) {                                                                                      \
    codesVectorProduct<ROWS>(y, x, codesOf(w, scales, K, rowShift, columns, columnShift), bias, residual, M, N, K, fp32);             \
  }                                                                                                                                   \
  EMULATED(gemv_e4m3_##ROWS)
CODES_VECTOR_PRODUCT(1)
CODES_VECTOR_PRODUCT(2)

#define CODES_PRODUCT(name, BLOCKS, ...)                                                                                             \
  KERNEL_OF((CodesTile<bf16, __VA_ARGS__>::THREADS), BLOCKS, name)                                                                         \
  (void* y, const bf16* x, const e4m3* w, const float* scales, const bf16* bias, const bf16* residual, float* partial,               \
   unsigned* tickets, int M, int N, int K, int fp32, int whole, int share, int rowShift, int columns, int columnShift) {             \
    DYNAMIC_SHARED(unsigned char, tiles);                                                                                            \
    SHARED_ARRAY(unsigned, isLast, 1);                                                                                               \
    CodesTile<bf16, __VA_ARGS__>::run(tiles, isLast, {y, x, nullptr, bias, residual, M, N, K, fp32},                                       \
                                codesOf(w, scales, K, rowShift, columns, columnShift), {}, partial, tickets, whole, share);              \
  }                                                                                                                                  \
  EMULATED(name)
//            name                  blocks  BM  stages warps over rows, columns
CODES_PRODUCT(gemm_e4m3_8x128,      2,       8, 8,     1, 8)
CODES_PRODUCT(gemm_e4m3_16x128,     2,      16, 8,     1, 8)
CODES_PRODUCT(gemm_e4m3_32x128,     2,      32, 6,     2, 4)
CODES_PRODUCT(gemm_e4m3_64x128,     2,      64, 6,     2, 4)
CODES_PRODUCT(gemm_e4m3_128x128,    1,     128, 4,     4, 2)

// Products of rows that are grouped by expert, as in linear_groups.cu; N is a multiple of 2^rowShift, so that the scales of an
// expert begin with a row of them.
template <class Tile>
static __device__ __forceinline__ void groupCodesProduct(unsigned char* shared, unsigned* unused, bf16* y, const bf16* x, const Codes& all,
                                                         const bf16* bias, const int* tiles, int N, int K) {
  if ((int)blockIdx.y >= tiles[0]) return;
  const int* tile = tiles + 4 + 4 * blockIdx.y;
  const size_t first = tile[1];
  Codes codes = all;
  codes.w += (size_t)tile[0] * N * K;
  codes.scales = all.scalesOf(tile[0] * N);
  Tile::run(shared, unused, {y + first * N, x + first * K, nullptr, bias ? bias + (size_t)tile[0] * N : nullptr, nullptr, tile[2], N, K, 0},
            codes, {}, nullptr, nullptr, gridDim.x, 0);
}
#define GROUP_CODES_PRODUCT(name, BLOCKS, ...)                                                                                  \
  KERNEL_OF((CodesTile<bf16, __VA_ARGS__>::THREADS), BLOCKS, name)                                                                    \
  (bf16* y, const bf16* x, const e4m3* w, const float* scales, const bf16* bias, const int* tiles, int N, int K, int rowShift,  \
   int columns, int columnShift) {                                                                                              \
    DYNAMIC_SHARED(unsigned char, shared);                                                                                      \
    SHARED_ARRAY(unsigned, unused, 1);                                                                                          \
    groupCodesProduct<CodesTile<bf16, __VA_ARGS__>>(shared, unused, y, x, codesOf(w, scales, K, rowShift, columns, columnShift), bias,  \
                                              tiles, N, K);                                                                     \
  }                                                                                                                             \
  EMULATED(name)
//                  name                      blocks  BM   stages warps over rows, columns
GROUP_CODES_PRODUCT(group_gemm_e4m3_8x128,    2,       8, 8,     1, 8)
GROUP_CODES_PRODUCT(group_gemm_e4m3_32x128,   2,      32, 6,     2, 4)
GROUP_CODES_PRODUCT(group_gemm_e4m3_128x128,  1,     128, 4,     4, 2)
