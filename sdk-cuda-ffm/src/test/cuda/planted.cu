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

// each thread copies four integers from each half of `in`, as two groups, and adds what it finds; FIRST is
// what it does between the groups' beginning and its use of the first one
#define ASYNC_SUM(name, COMMIT, FIRST, LAST)                                         \
  KERNEL(64, name) (int* out, const int* in) {                                       \
    SHARED_ARRAY(int, a, 512);                                                       \
    const int at = threadIdx.x * 4;                                                  \
    copyAsync16(a + at, in + at);                                                    \
    commitCopies();                                                                  \
    copyAsync16OrZero(a + 256 + at, in + 256 + at, threadIdx.x < 32);                \
    COMMIT;                                                                          \
    FIRST;                                                                           \
    int sum = 0;                                                                     \
    for (int i = 0; i < 4; i++) sum += a[at + i];                                    \
    LAST;                                                                            \
    for (int i = 0; i < 4; i++) sum += a[256 + at + i];                              \
    out[threadIdx.x] = sum;                                                          \
  }                                                                                  \
  EMULATED(name)
ASYNC_SUM(test_async_copies, commitCopies(), waitCopies<1>(), waitCopies<0>())
ASYNC_SUM(test_async_copies_read_early, commitCopies(), , waitCopies<0>())
ASYNC_SUM(test_async_copies_wait_for_the_wrong_group, commitCopies(), waitCopies<2>(), waitCopies<0>())
ASYNC_SUM(test_async_copies_never_waited_for, commitCopies(), waitCopies<1>(), )
ASYNC_SUM(test_async_copies_not_committed, , waitCopies<0>(), waitCopies<0>())

// thread 0 reads what its neighbour copied: its own wait says nothing about that
#define ASYNC_NEIGHBOUR(name, WAIT)                                                  \
  KERNEL(64, name) (int* out, const int* in) {                                       \
    SHARED_ARRAY(int, a, 256);                                                       \
    copyAsync16(a + threadIdx.x * 4, in + threadIdx.x * 4);                          \
    commitCopies();                                                                  \
    waitCopies<0>();                                                                 \
    WAIT;                                                                            \
    out[threadIdx.x] = a[(threadIdx.x * 4 + 4) & 255];                               \
  }                                                                                  \
  EMULATED(name)
ASYNC_NEIGHBOUR(test_async_copies_of_a_neighbour, __syncthreads())
ASYNC_NEIGHBOUR(test_async_copies_of_a_neighbour_without_barrier, )
