// A matrix of e4m3 codes as bf16, each weight rounded once: out[n][k] = code[n][k] * scale. x over groups of 4,096 columns, y
// over rows, of which a block takes every gridDim.y-th. Scales as in linear_e4m3.cu.
#include "e4m3.cuh"

KERNEL(256, widen_e4m3)
(bf16* out, const e4m3* w, const float* scales, int N, int K, int rowShift, int columns, int columnShift) {
  const int k = (blockIdx.x * 256 + threadIdx.x) * 16, across = (K + columns - 1) / columns;
  if (k >= K) return;
#pragma unroll 1
  for (int n = blockIdx.y; n < N; n += gridDim.y) {
    const e4m3* from = w + (size_t)n * K + k;
    bf16* to = out + (size_t)n * K + k;
    const float* scalesOfRow = scales + (size_t)(n >> rowShift) * across;
    if ((K & 15) == 0 && columnShift >= 4) {
      float f[16];
      unpack16(loadStream(from), f);
      const float scale = scalesOfRow[k >> columnShift];
#pragma unroll
      for (int i = 0; i < 16; i++) f[i] *= scale;
      reinterpret_cast<uint4*>(to)[0] = pack8(f);
      reinterpret_cast<uint4*>(to)[1] = pack8(f + 8);
    } else {
#pragma unroll 1
      for (int i = 0; i < 16 && k + i < K; i++) to[i] = toBf16(toFloat(from[i]) * scalesOfRow[(k + i) / columns]);
    }
  }
}
EMULATED(widen_e4m3)
