// Products of rows that are grouped by expert, with weights in MXFP4 that lie as mxfp4.cuh says, 4.25 bits each. They are made
// bf16 in registers, exactly, and multiplied in the order in which linear_groups.cu multiplies them: a row gets the bits that it
// gets from the same weights in bf16. Behind linear_tiles.cu, whose sums and stores these are.
#include "mxfp4.cuh"

namespace {
template <int BM, int BN, int STAGES, int WARPS_M, int WARPS_N>
struct Mxfp4Tile : TileProduct<BM, BN, mxfp4::COLUMNS, STAGES, WARPS_M, WARPS_N> {
  using Base = TileProduct<BM, BN, mxfp4::COLUMNS, STAGES, WARPS_M, WARPS_N>;
  static constexpr int BK = mxfp4::COLUMNS, RECORDS = BN / mxfp4::ROWS, MT = Base::MT, NT = Base::NT;
  static constexpr int W_BYTES = RECORDS * mxfp4::RECORD, STAGE = W_BYTES + BM * BK * 2;
  static_assert(RECORDS * 32 == Base::THREADS, "a warp for each record of a stage");

  static __device__ __forceinline__ bf16* inputsOf(unsigned char* stage) { return reinterpret_cast<bf16*>(stage + W_BYTES); }

  static __device__ __forceinline__ void multiply(float (*sum)[MT][4], unsigned char* stage, const uint4* codes, const unsigned* scales,
                                                  bool large) {
    const int lane = threadIdx.x & 31, row = (threadIdx.x >> 5) % WARPS_M * MT * 8 + (lane & 7) + (MT > 1 ? (lane >> 4) * 8 : 0);
    unsigned x[MT > 1 ? MT : 2][2];  // 16 terms of all rows, or 32 of the only eight
#pragma unroll
    for (int k = 0; k < BK / 16; k++) {
      if (MT > 1 || k % 2 == 0) {
        const bf16* from = inputsOf(stage) + Base::Place::at(row, k * 2 + (MT > 1 ? lane >> 3 & 1 : lane >> 3));
#pragma unroll
        for (int i = 0; i < MT; i += 2) loadMatrices4(x[i], from + i * 8 * BK);
      }
#pragma unroll
      for (int t = 0; t < NT; t++) {
        const unsigned words[4] = {codes[t].x, codes[t].y, codes[t].z, codes[t].w};
        unsigned w[4];
        mxfp4::weights(w, words[k], mxfp4::Factors(scales[t], large), k / 2, large);
#pragma unroll
        for (int i = 0; i < MT; i++) mma16816(sum[t][i], w, x[MT > 1 ? i : k % 2]);
      }
    }
  }

  static __device__ __forceinline__ void multiply(float (*sum)[MT][4], unsigned char* stage) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const unsigned char* records = stage + warp / WARPS_M * NT * mxfp4::RECORD;
    uint4 codes[NT];
    unsigned scales[NT], all = 0;
#pragma unroll
    for (int t = 0; t < NT; t++) {
      codes[t] = *reinterpret_cast<const uint4*>(records + t * mxfp4::RECORD + lane * 16);
      scales[t] = *reinterpret_cast<const unsigned*>(records + t * mxfp4::RECORD + mxfp4::CODE_BYTES + (lane >> 2) * 4);
      all |= scales[t];
    }
    if (anyLane(all & 0x80808080u)) multiply(sum, stage, codes, scales, true);  // beyond 127, where no trained weight is
    else multiply(sum, stage, codes, scales, false);
  }

  // w: the records of the expert
  static __device__ __forceinline__ void run(unsigned char* shared, const typename Base::Product& p, const unsigned char* w) {
    const int steps = (p.K + BK - 1) / BK, warp = threadIdx.x >> 5, lane = threadIdx.x & 31, first = blockIdx.x * RECORDS;
    auto recordAt = [&](int index) { return w + (size_t)(first + index) * steps * mxfp4::RECORD; };
    auto isThere = [&](int index) { return (first + index) * mxfp4::ROWS < p.N; };
    // A warp brings the codes of 16 rows, and the last one the scales of all: 32 bytes of each record.
    const unsigned char *codes = recordAt(warp) + lane * 16, *scales = recordAt(lane / 2) + mxfp4::CODE_BYTES + lane % 2 * 16;
    const bool ofCodes = isThere(warp), ofScales = isThere(lane / 2), bringsScales = warp == RECORDS - 1;
    typename Base::template Loader<BM> inputs;
    inputs.enter(p.x, 0, p.M, 0, p.K);
    int fetched = 0;
    auto fetchNext = [&](unsigned char* to) {
      if (fetched < steps) {
        copyAsync16OrZero(to + warp * mxfp4::RECORD + lane * 16, codes, ofCodes);
        codes += mxfp4::RECORD;
        if (bringsScales) {
          if (lane < 2 * RECORDS) copyAsync16OrZero(to + lane / 2 * mxfp4::RECORD + mxfp4::CODE_BYTES + lane % 2 * 16, scales, ofScales);
          scales += mxfp4::RECORD;
        }
        inputs.fetch(inputsOf(to), fetched * BK, p.K);
        fetched++;
      }
      commitCopies();  // without copies too: groups are counted by units
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) fetchNext(shared + s * STAGE);

    float sum[NT][MT][4];
    Base::clear(sum);
    unsigned char *stage = shared, *last = shared + (STAGES - 1) * STAGE, *free = last;
#pragma unroll 1
    for (int unit = 0; unit < steps; unit++) {
      waitCopies<STAGES - 2>();
      __syncthreads();
      fetchNext(free);  // all are done with that one
      multiply(sum, stage);
      free = stage;
      stage = stage == last ? shared : stage + STAGE;
    }
    Base::store(p, 0, blockIdx.x * BN, sum);
  }
};

template <class Tile>
__device__ __forceinline__ void groupMxfp4Product(unsigned char* shared, bf16* y, const bf16* x, const unsigned char* w, const bf16* bias,
                                                  const int* tiles, int N, int K) {
  if ((int)blockIdx.y >= tiles[0]) return;
  const int* tile = tiles + 4 + 4 * blockIdx.y;
  const size_t first = tile[1], records = (size_t)((N + mxfp4::ROWS - 1) / mxfp4::ROWS) * ((K + mxfp4::COLUMNS - 1) / mxfp4::COLUMNS);
  K &= -32;  // it is a multiple; the compiler knows now that rows of x are aligned
  Tile::run(shared, {y + first * N, x + first * K, nullptr, bias ? bias + (size_t)tile[0] * N : nullptr, nullptr, tile[2], N, K, 0},
            w + tile[0] * records * mxfp4::RECORD);
}
}  // namespace

#define GROUP_MXFP4_PRODUCT(name, BLOCKS, ...)                                                                                    \
  KERNEL_OF((Mxfp4Tile<__VA_ARGS__>::THREADS), BLOCKS, name)                                                                      \
  (bf16* y, const bf16* x, const unsigned char* w, const bf16* bias, const int* tiles, int N, int K) {                            \
    DYNAMIC_SHARED(unsigned char, shared);                                                                                        \
    groupMxfp4Product<Mxfp4Tile<__VA_ARGS__>>(shared, y, x, w, bias, tiles, N, K);                                                \
  }                                                                                                                               \
  EMULATED(name)
//                  name                       blocks  BM   BN stages warps over rows, columns
GROUP_MXFP4_PRODUCT(group_gemm_mxfp4_8x64,     6,       8,  64, 8,    1, 4)
GROUP_MXFP4_PRODUCT(group_gemm_mxfp4_32x128,   2,      32, 128, 8,    1, 8)
GROUP_MXFP4_PRODUCT(group_gemm_mxfp4_128x128,  1,     128, 128, 6,    2, 4)
