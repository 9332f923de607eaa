// Products of one and two rows: one warp per column of y, bound by the bytes of w. Blocks of 256 threads: x
// over columns, y over groups of ROWS rows.
#include "linear.cuh"

template <int ROWS>
static __device__ __forceinline__ void vectorProduct(void* y, const bf16* x, const bf16* w, const bf16* bias, const bf16* residual,
                                                     int M, int N, int K, int fp32) {
  const int lane = threadIdx.x & 31, n = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5), m0 = blockIdx.y * ROWS;
  if (n >= N) return;  // whole warps leave
  float sum[ROWS];
#pragma unroll
  for (int m = 0; m < ROWS; m++) sum[m] = 0.f;
  const bf16* wRow = w + (size_t)n * K;
  if ((K & 7) == 0) {
#pragma unroll 2
    for (int k = lane * 8; k < K; k += 256) {
      float wf[8];
      unpack8(*reinterpret_cast<const uint4*>(wRow + k), wf);
#pragma unroll
      for (int m = 0; m < ROWS; m++) {
        if (m0 + m >= M) break;
        float xf[8];
        unpack8(*reinterpret_cast<const uint4*>(x + (size_t)(m0 + m) * K + k), xf);
#pragma unroll
        for (int i = 0; i < 8; i++) sum[m] += wf[i] * xf[i];
      }
    }
  } else {  // rows are not aligned to 16 bytes
#pragma unroll 1
    for (int k = lane; k < K; k += 32) {
#pragma unroll
      for (int m = 0; m < ROWS; m++) {
        if (m0 + m < M) sum[m] += toFloat(wRow[k]) * toFloat(x[(size_t)(m0 + m) * K + k]);
      }
    }
  }
#pragma unroll
  for (int m = 0; m < ROWS; m++) {
    const float total = warpSum(sum[m]);
    if (lane == 0 && m0 + m < M) storeSum(y, fp32, (size_t)(m0 + m) * N + n, n, total, bias, residual);
  }
}
#define VECTOR_PRODUCT(ROWS)                                                                                                        \
  KERNEL(256, gemv_##ROWS)                                                                                                         \
  (void* y, const bf16* x, const bf16* w, const bf16* bias, const bf16* residual, int M, int N, int K, int fp32) {                 \
    vectorProduct<ROWS>(y, x, w, bias, residual, M, N, K, fp32);                                                                   \
  }                                                                                                                                \
  EMULATED(gemv_##ROWS)
VECTOR_PRODUCT(1)
VECTOR_PRODUCT(2)
