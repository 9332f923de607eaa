// What the products share: y[M, N] = x[M, K] * w[N, K]^T + bias[N] + residual[M, N], fp32 sums; y is bf16, or
// fp32 for logits. bias and residual may be null; residual may be y itself. All addresses are multiples of 16;
// rows of x and w are read 16 bytes at a time where these are aligned to 16 bytes, else one value at a time.
#pragma once
#include "dev.cuh"

// ROWS rows of a matrix [limit, K], and BK columns at a time, into a tile: zeros where there are none. Place::at says at which
// value of a tile a chunk of 16 bytes of a row begins. Each thread copies the same chunk of every PASS-th row, PASS * BK values
// on in the tile.
template <class T, int ROWS, int BK, int THREADS, class Place>
struct TileLoader {
  static constexpr int CHUNK = 16 / sizeof(T), CHUNKS = BK / CHUNK, PASS = THREADS / CHUNKS;
  const T* from;
  int left;  // rows from this thread's first one on

  __device__ __forceinline__ void enter(const T* matrix, int row0, int limit, int k, int K) {
    const int row = row0 + threadIdx.x / CHUNKS;
    from = matrix + (size_t)row * K + k + threadIdx.x % CHUNKS * CHUNK;
    left = limit - row;
  }
  __device__ __forceinline__ void fetch(T* tile, int k0, int K) {
    if (ROWS < PASS && threadIdx.x >= ROWS * CHUNKS) return;
    T* to = tile + Place::at(threadIdx.x / CHUNKS, threadIdx.x % CHUNKS);
    const int k = k0 + threadIdx.x % CHUNKS * CHUNK;
    const int rows = k < K ? left : 0;
    if ((K & (CHUNK - 1)) == 0) {
#pragma unroll
      for (int row = 0; row < ROWS; row += PASS) copyAsync16OrZero(to + row * BK, from + (unsigned)row * K, row < rows);
    } else {  // rows are not aligned to 16 bytes
#pragma unroll 1
      for (int row = 0; row < ROWS; row += PASS)
#pragma unroll 1
        for (int e = 0; e < CHUNK; e++) to[row * BK + e] = row < rows && k + e < K ? from[(unsigned)row * K + e] : 0;
    }
    from += BK;
  }
};

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
