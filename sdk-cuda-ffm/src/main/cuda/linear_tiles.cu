// Products of three rows and more, on tensor cores, bf16 by bf16.
#include "linear_tile.cuh"

#define TILE_PRODUCT(name, BLOCKS, ...)                                                                                                \
  KERNEL_OF((TileProduct<__VA_ARGS__>::THREADS), BLOCKS, name)                                                                         \
  (void* y, const bf16* x, const bf16* w, const bf16* bias, const bf16* residual, float* partial, unsigned* tickets, int M, int N,     \
   int K, int fp32, int whole, int share) {                                                                                            \
    DYNAMIC_SHARED(bf16, tiles);                                                                                                       \
    SHARED_ARRAY(unsigned, isLast, 1);                                                                                                 \
    TileProduct<__VA_ARGS__>::run(tiles, isLast, {y, x, w, bias, residual, M, N, K, fp32}, partial, tickets, whole, share);            \
  }                                                                                                                                    \
  EMULATED(name)
//           name            blocks  BM   BN  BK stages warps over rows, columns
TILE_PRODUCT(gemm_8x128,     2,       8, 128, 64, 4,    1, 8)
TILE_PRODUCT(gemm_16x128,    2,      16, 128, 64, 4,    1, 8)
TILE_PRODUCT(gemm_32x128,    2,      32, 128, 64, 4,    2, 4)
TILE_PRODUCT(gemm_64x128,    2,      64, 128, 64, 4,    2, 4)
TILE_PRODUCT(gemm_128x128,   1,     128, 128, 64, 3,    4, 2)
TILE_PRODUCT(gemm_128x256,   1,     128, 256, 32, 4,    2, 4)
