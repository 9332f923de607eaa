// Products of inputs and weights that are both e4m3 codes: y[m][n] = sum of code * code, each times the scale of the input's row
// and group of columns and that of the weight. What has the same two scales is summed in fp32, that sum is multiplied by them and
// added to those before. mma.sync of codes with codes, for which compute capability 8.9 has instructions; 9.0 has none but wgmma,
// and does it with what ptxas makes of it: fp16, which holds each code exactly. Both operands as in codes_tile.cuh.
//   xScales   [ceil(K / 2^xShift)][xPitch], one for each row; xShift 31 where a row has one
#include "codes_tile.cuh"

#define CODES_BY_CODES(name, BLOCKS, ...)                                                                                          \
  KERNEL_OF((CodesTile<e4m3, __VA_ARGS__>::THREADS), BLOCKS, name)                                                                 \
  (void* y, const e4m3* x, const float* xScales, const e4m3* w, const float* scales, const bf16* bias, const bf16* residual,       \
   float* partial, unsigned* tickets, int M, int N, int K, int fp32, int whole, int share, int rowShift, int columns,              \
   int columnShift, int xShift, int xPitch) {                                                                                      \
    DYNAMIC_SHARED(unsigned char, tiles);                                                                                          \
    SHARED_ARRAY(unsigned, isLast, 1);                                                                                             \
    CodesTile<e4m3, __VA_ARGS__>::run(                                                                                             \
        tiles, isLast, {y, reinterpret_cast<const bf16*>(x), nullptr, bias, residual, M, N, K, fp32},                              \
        codesOf(w, scales, K, rowShift, columns, columnShift), {xScales, xShift, xPitch}, partial, tickets, whole, share);         \
  }                                                                                                                                \
  EMULATED(name)
//             name                       blocks  BM  stages warps over rows, columns
CODES_BY_CODES(gemm_e4m3_e4m3_8x128,      2,       8, 8,     1, 8)
CODES_BY_CODES(gemm_e4m3_e4m3_16x128,     2,      16, 8,     1, 8)
CODES_BY_CODES(gemm_e4m3_e4m3_32x128,     2,      32, 8,     2, 4)
CODES_BY_CODES(gemm_e4m3_e4m3_64x128,     2,      64, 6,     2, 4)
CODES_BY_CODES(gemm_e4m3_e4m3_128x128,    1,     128, 6,     4, 2)
