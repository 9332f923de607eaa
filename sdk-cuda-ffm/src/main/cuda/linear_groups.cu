// Products of rows that are grouped by expert: y[place] = x[place] * w[expert]^T + bias[expert], w = [experts][N][K],
// bias = [experts][N] or null. Blocks: x over
// columns of y, y over the tiles that experts.cu lists, of which there may be fewer; a block computes a whole tile, so a
// row's sum has one order whatever the tile. Behind linear_tiles.cu, whose tiles these are.
template <class Tile>
static __device__ __forceinline__ void groupProduct(bf16* shared, unsigned* unused, bf16* y, const bf16* x, const bf16* w, const bf16* bias,
                                                    const int* tiles, int N, int K) {
  if ((int)blockIdx.y >= tiles[0]) return;
  const int* tile = tiles + 4 + 4 * blockIdx.y;
  const size_t first = tile[1];
  Tile::run(shared, unused, {y + first * N, x + first * K, w + (size_t)tile[0] * N * K, bias ? bias + (size_t)tile[0] * N : nullptr, nullptr,
                            tile[2], N, K, 0},
            nullptr, nullptr, gridDim.x, 0);
}
#define GROUP_PRODUCT(name, BLOCKS, ...)                                                                              \
  KERNEL_OF((TileProduct<__VA_ARGS__>::THREADS), BLOCKS, name)                                                        \
  (bf16* y, const bf16* x, const bf16* w, const bf16* bias, const int* tiles, int N, int K) {                         \
    DYNAMIC_SHARED(bf16, shared);                                                                                     \
    SHARED_ARRAY(unsigned, unused, 1);                                                                                \
    groupProduct<TileProduct<__VA_ARGS__>>(shared, unused, y, x, w, bias, tiles, N, K);                               \
  }                                                                                                                   \
  EMULATED(name)
//            name                 blocks  BM   BN  BK stages warps over rows, columns
GROUP_PRODUCT(group_gemm_8x128,    2,       8, 128, 64, 4,    1, 8)
GROUP_PRODUCT(group_gemm_32x128,   2,      32, 128, 64, 4,    2, 4)
GROUP_PRODUCT(group_gemm_128x128,  1,     128, 128, 64, 3,    4, 2)
