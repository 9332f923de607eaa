// What the products share: y[M, N] = x[M, K] * w[N, K]^T + bias[N] + residual[M, N], fp32 sums; y is bf16, or
// fp32 for logits. bias and residual may be null; residual may be y itself. All addresses are multiples of 16;
// rows of x and w are read 16 bytes at a time where K is a multiple of 8, else one value at a time.
#pragma once
#include "dev.cuh"

static __device__ __forceinline__ void storeSum(void* y, int fp32, size_t at, int column, float sum, const bf16* bias, const bf16* residual) {
  if (bias) sum += toFloat(bias[column]);
  if (residual) sum += toFloat(residual[at]);
  if (fp32) reinterpret_cast<float*>(y)[at] = sum; else reinterpret_cast<bf16*>(y)[at] = toBf16(sum);
}
// Columns `column`, which is even, and the next one: one access where rows have an even number of columns. The
// bias is in the sum already.
static __device__ __forceinline__ void storePair(void* y, int fp32, int row, int column, int M, int N, float2 sum, const bf16* residual) {
  if (row >= M || column >= N) return;
  const size_t at = (size_t)row * N + column;
  if (N & 1) {
    storeSum(y, fp32, at, column, sum.x, nullptr, residual);
    if (column + 1 < N) storeSum(y, fp32, at + 1, column + 1, sum.y, nullptr, residual);
    return;
  }
  if (residual) {
    const unsigned r = *reinterpret_cast<const unsigned*>(residual + at);
    sum.x += toFloat((bf16)r);
    sum.y += toFloat((bf16)(r >> 16));
  }
  if (fp32) *reinterpret_cast<float2*>(reinterpret_cast<float*>(y) + at) = sum;
  else *reinterpret_cast<unsigned*>(reinterpret_cast<bf16*>(y) + at) = pack2(sum.x, sum.y);
}
