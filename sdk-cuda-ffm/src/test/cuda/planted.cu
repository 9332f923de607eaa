// Kernels of the emulator's own tests: some right, some with the mistakes that it has to find.
#include "../../main/cuda/dev.cuh"

KERNEL(256, test_add) (int* data, int n, int amount) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += amount;
}
EMULATED(test_add)

// sums 256 values per block; WAIT is what a careless author leaves out
#define BLOCK_SUM(name, WAIT)                                             \
  KERNEL(256, name) (int* out, const int* in) {                           \
    SHARED_ARRAY(int, part, 8);                                           \
    int v = in[blockIdx.x * 256 + threadIdx.x];                           \
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o); \
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;              \
    WAIT;                                                                 \
    int sum = 0;                                                          \
    for (int w = 0; w < 8; w++) sum += part[w];                           \
    if (threadIdx.x == 0) out[blockIdx.x] = sum;                          \
  }                                                                       \
  EMULATED(name)
BLOCK_SUM(test_sum, __syncthreads())
BLOCK_SUM(test_sum_without_barrier, )

KERNEL(64, test_divergent_barrier) (int* out) {
  SHARED_ARRAY(int, a, 64);
  a[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 40) {
    __syncthreads();
  } else {
    a[threadIdx.x] += 1;
    __syncthreads();
  }
  out[threadIdx.x] = a[63 - threadIdx.x];
}
EMULATED(test_divergent_barrier)

KERNEL(64, test_barrier_beside_warp_operation) (float* out) {
  float v = threadIdx.x;
  if ((threadIdx.x & 1) == 0) __syncthreads(); else v = warpSum(v);
  out[threadIdx.x] = v;
}
EMULATED(test_barrier_beside_warp_operation)

KERNEL(64, test_wrong_mask) (int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_xor_sync(0x0000ffffu, (int)threadIdx.x, 1);
  else out[threadIdx.x] = __shfl_xor_sync(0x0000ffffu, (int)threadIdx.x, 1);
}
EMULATED(test_wrong_mask)

// two arrays in one block of dynamic shared memory; `second` is where the author thinks the first ends
KERNEL(64, test_layout) (float* out, const float* in, int second) {
  DYNAMIC_SHARED(float, a);
  float* b = a + second;
  a[threadIdx.x] = in[threadIdx.x];
  b[threadIdx.x] = in[threadIdx.x] * 100.f;
  __syncthreads();
  out[threadIdx.x] = a[63 - threadIdx.x] + b[63 - threadIdx.x];
}
EMULATED(test_layout)

// reads one element more than was written
KERNEL(32, test_reads_unwritten) (float* out) {
  SHARED_ARRAY(float, a, 33);
  a[threadIdx.x] = 1.f;
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x + 1];
}
EMULATED(test_reads_unwritten)
