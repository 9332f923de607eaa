// Products with weights that are e4m3 codes, one byte each, and scales: w[n][k] = code[n][k] * scale. A code is made a bf16 in
// registers, which is exact. What the codes of one scale make is summed in fp32, that sum is multiplied by the scale and added
// to those before: no weight is rounded. Otherwise as linear_vector.cu and linear_tiles.cu, behind which this comes.
//   scales       [ceil(N / 2^rowShift)][ceil(K / columns)]; a scale is that of 2^rowShift rows and `columns` columns
//   columnShift  columns = 2^columnShift; 31 where columns = K; below 0 if columns is neither
#include "e4m3.cuh"

namespace {
struct Codes {
  const e4m3* w;
  const float* scales;
  int rowShift, columnShift, columns, across;
  // those of a row of w
  __device__ __forceinline__ const float* scalesOf(int row) const { return scales + (size_t)(row >> rowShift) * across; }
};
__device__ __forceinline__ Codes codesOf(const e4m3* w, const float* scales, int K, int rowShift, int columns, int columnShift) {
  return {w, scales, rowShift, columnShift, columns, (K + columns - 1) / columns};
}

// One warp per column of y, any scales.
template <int ROWS>
__device__ __forceinline__ void codesVectorProduct(void* y, const bf16* x, const Codes& c, const bf16* bias, const bf16* residual, int M,
                                                   int N, int K, int fp32) {
  const int lane = threadIdx.x & 31, n = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5), m0 = blockIdx.y * ROWS;
  if (n >= N) return;  // whole warps leave
  float sum[ROWS];
#pragma unroll
  for (int m = 0; m < ROWS; m++) sum[m] = 0.f;
  const e4m3* wRow = c.w + (size_t)n * K;
  const float* scales = c.scalesOf(n);
  if ((K & 15) == 0 && c.columnShift >= 4) {
#pragma unroll 2
    for (int k = lane * 16; k < K; k += 512) {
      float wf[16];
      unpack16(*reinterpret_cast<const uint4*>(wRow + k), wf);
      const float scale = scales[k >> c.columnShift];
#pragma unroll
      for (int m = 0; m < ROWS; m++) {
        if (m0 + m >= M) break;
        const bf16* xRow = x + (size_t)(m0 + m) * K + k;
        float part = 0.f;
#pragma unroll
        for (int half = 0; half < 16; half += 8) {
          float xf[8];
          unpack8(*reinterpret_cast<const uint4*>(xRow + half), xf);
#pragma unroll
          for (int i = 0; i < 8; i++) part += wf[half + i] * xf[i];
        }
        sum[m] += part * scale;
      }
    }
  } else {  // rows are not aligned to 16 bytes, or a chunk of them has several scales
#pragma unroll 1
    for (int k = lane; k < K; k += 32) {
      const float weight = toFloat(wRow[k]) * scales[k / c.columns];
#pragma unroll
      for (int m = 0; m < ROWS; m++) {
        if (m0 + m < M) sum[m] += weight * toFloat(x[(size_t)(m0 + m) * K + k]);
      }
    }
  }
#pragma unroll
  for (int m = 0; m < ROWS; m++) {
    const float total = warpSum(sum[m]);
    if (lane == 0 && m0 + m < M) storeSum(y, fp32, (size_t)(m0 + m) * N + n, n, total, bias, residual);
  }
}

// A tile as TileProduct has it, of codes; columnShift >= 6. A lane has 8 terms in a row of 32 of both operands, and four of
// them are what one mma takes from it: in which order terms are numbered is nobody's business as long as both agree.
template <int BM, int STAGES, int WARPS_M, int WARPS_N>
struct CodesTile : TileProduct<BM, 128, 64, STAGES, WARPS_M, WARPS_N> {
  using Base = TileProduct<BM, 128, 64, STAGES, WARPS_M, WARPS_N>;
  static constexpr int BN = 128, BK = 64, W_BYTES = BN * BK, STAGE = W_BYTES + BM * BK * 2, MT = Base::MT, NT = Base::NT;

  // where a chunk of 16 bytes lies: what lanes read at once is in different banks
  struct CodePlace {
    static __device__ __forceinline__ int at(int row, int chunk) { return row * BK + ((chunk ^ (row & 2)) << 4); }
  };
  struct InputPlace {
    static __device__ __forceinline__ int at(int row, int chunk) { return row * BK + ((chunk ^ (row & 1) << 2) << 3); }
  };

  static __device__ __forceinline__ bf16* inputsOf(unsigned char* stage) { return reinterpret_cast<bf16*>(stage + W_BYTES); }

  // part += half of a stage's terms
  static __device__ __forceinline__ void multiply(float (*part)[MT][4], unsigned char* stage, int half) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, q = lane & 3;
    const unsigned char* w = stage + CodePlace::at(warp / WARPS_M * NT * 16 + g, half * 2 + (q >> 1)) + (q & 1) * 8;
    const bf16* x = inputsOf(stage) + InputPlace::at(warp % WARPS_M * MT * 8 + g, half * 4 + q);
    uint4 inputs[MT];
#pragma unroll
    for (int i = 0; i < MT; i++) inputs[i] = *reinterpret_cast<const uint4*>(x + i * 8 * BK);
#pragma unroll
    for (int t = 0; t < NT; t++) {
      const uint2 upper = *reinterpret_cast<const uint2*>(w + t * 16 * BK), lower = *reinterpret_cast<const uint2*>(w + (t * 16 + 8) * BK);
      const unsigned first[4] = {e4m3Pair<0>(upper.x), e4m3Pair<0>(lower.x), e4m3Pair<2>(upper.x), e4m3Pair<2>(lower.x)};
#pragma unroll
      for (int i = 0; i < MT; i++) {
        const unsigned terms[2] = {inputs[i].x, inputs[i].y};
        mma16816(part[t][i], first, terms);
      }
      const unsigned second[4] = {e4m3Pair<0>(upper.y), e4m3Pair<0>(lower.y), e4m3Pair<2>(upper.y), e4m3Pair<2>(lower.y)};
#pragma unroll
      for (int i = 0; i < MT; i++) {
        const unsigned terms[2] = {inputs[i].z, inputs[i].w};
        mma16816(part[t][i], second, terms);
      }
    }
  }

  // what the codes of one scale made goes to the sums
  static __device__ __forceinline__ void addScaled(float (*sum)[MT][4], float (*part)[MT][4], const Codes& c, int n0, int N, int group) {
    const int row = n0 + (threadIdx.x >> 5) / WARPS_M * NT * 16 + (threadIdx.x & 31) / 4;
#pragma unroll
    for (int t = 0; t < NT; t++) {
      float scale[2];
#pragma unroll
      for (int half = 0; half < 2; half++) {
        const int n = row + t * 16 + half * 8;
        scale[half] = n < N ? c.scalesOf(n)[group] : 0.f;
      }
#pragma unroll
      for (int i = 0; i < MT; i++)
#pragma unroll
        for (int e = 0; e < 4; e++) sum[t][i][e] += part[t][i][e] * scale[e / 2];
    }
    Base::clear(part);
  }

  static __device__ __forceinline__ void run(unsigned char* shared, unsigned* isLast, const typename Base::Product& p, const Codes& c,
                                             float* partial, unsigned* tickets, int whole, int share) {
    const int steps = (p.K + BK - 1) / BK, tilesM = (p.M + BM - 1) / BM, tiles = tilesM * ((p.N + BN - 1) / BN);
    const int block = blockIdx.x, sharer = block - whole, total = tiles * steps;
    const int base = sharer < 0 ? 0 : whole * steps;  // units are counted from here on
    const int begin = sharer < 0 ? block * steps : sharer * share;
    const int end = sharer < 0 ? begin + steps : begin + share < total - base ? begin + share : total - base;
    const unsigned inGroup = (1u << c.columnShift) - 1;

    TileLoader<e4m3, BN, BK, Base::THREADS, CodePlace> wLoader;
    TileLoader<bf16, BM, BK, Base::THREADS, InputPlace> xLoader;
    int fetched = begin, fetchedTile = (base + begin) / steps, fetchedK = begin % steps * BK;
    auto enterTile = [&]() {
      wLoader.enter(c.w, fetchedTile / tilesM * BN, p.N, fetchedK, p.K);
      xLoader.enter(p.x, fetchedTile % tilesM * BM, p.M, fetchedK, p.K);
    };
    auto fetchNext = [&](int stage) {
      if (fetched < end) {
        if (fetchedK >= p.K) {
          fetchedK = 0;
          fetchedTile++;
          enterTile();
        }
        wLoader.fetch(shared + stage * STAGE, fetchedK, p.K);
        xLoader.fetch(inputsOf(shared + stage * STAGE), fetchedK, p.K);
        fetched++;
        fetchedK += BK;
      }
      commitCopies();  // without copies too: groups are counted by units
    };
    enterTile();
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) fetchNext(s);

    float sum[NT][MT][4], part[NT][MT][4];
    Base::clear(sum);
    Base::clear(part);
    int stage = 0, tile = (base + begin) / steps, partBegin = begin;
#pragma unroll 1
    for (int unit = begin; unit < end; unit++) {
      waitCopies<STAGES - 2>();
      __syncthreads();
      fetchNext(stage == 0 ? STAGES - 1 : stage - 1);  // all are done with that one
#pragma unroll(MT * NT == 8 ? 1 : 2)
      for (int half = 0; half < 2; half++) multiply(part, shared + stage * STAGE, half);
      stage = stage == STAGES - 1 ? 0 : stage + 1;
      const int tileEnd = (tile + 1) * steps - base, tileBegin = tileEnd - steps;
      const bool ends = unit + 1 == tileEnd || unit + 1 == end;
      const unsigned k = (unsigned)(unit - tileBegin) * BK;
      if (ends || ((k + BK) & inGroup) == 0) addScaled(sum, part, c, tile / tilesM * BN, p.N, (int)(k >> c.columnShift));
      if (ends) {
        const bool all = partBegin == tileBegin && unit + 1 == tileEnd;
        if (all || Base::join(sum, partial, tickets, isLast, sharer, share, tileBegin, steps, partBegin)) {
          Base::store(p, tile % tilesM * BM, tile / tilesM * BN, sum);
        }
        Base::clear(sum);
        tile++;
        partBegin = unit + 1;
      }
    }
  }
};
}  // namespace

#define CODES_VECTOR_PRODUCT(ROWS)                                                                                                     \
  KERNEL(256, gemv_e4m3_##ROWS)                                                                                                        \
  (void* y, const bf16* x, const e4m3* w, const float* scales, const bf16* bias, const bf16* residual, int M, int N, int K, int fp32, \
   int rowShift, int columns, int columnShift) {                                                                                      \
    codesVectorProduct<ROWS>(y, x, codesOf(w, scales, K, rowShift, columns, columnShift), bias, residual, M, N, K, fp32);             \
  }                                                                                                                                   \
  EMULATED(gemv_e4m3_##ROWS)
CODES_VECTOR_PRODUCT(1)
CODES_VECTOR_PRODUCT(2)

#define CODES_PRODUCT(name, BLOCKS, ...)                                                                                             \
  KERNEL_OF((CodesTile<__VA_ARGS__>::THREADS), BLOCKS, name)                                                                         \
  (void* y, const bf16* x, const e4m3* w, const float* scales, const bf16* bias, const bf16* residual, float* partial,               \
   unsigned* tickets, int M, int N, int K, int fp32, int whole, int share, int rowShift, int columns, int columnShift) {             \
    DYNAMIC_SHARED(unsigned char, tiles);                                                                                            \
    SHARED_ARRAY(unsigned, isLast, 1);                                                                                               \
    CodesTile<__VA_ARGS__>::run(tiles, isLast, {y, x, nullptr, bias, residual, M, N, K, fp32},                                       \
                                codesOf(w, scales, K, rowShift, columns, columnShift), partial, tickets, whole, share);              \
  }                                                                                                                                  \
  EMULATED(name)
//            name                  blocks  BM  stages warps over rows, columns
CODES_PRODUCT(gemm_e4m3_8x128,      2,       8, 8,     1, 8)
CODES_PRODUCT(gemm_e4m3_16x128,     2,      16, 8,     1, 8)
CODES_PRODUCT(gemm_e4m3_32x128,     2,      32, 6,     2, 4)
CODES_PRODUCT(gemm_e4m3_64x128,     2,      64, 6,     2, 4)
CODES_PRODUCT(gemm_e4m3_128x128,    1,     128, 4,     4, 2)

// Products of rows that are grouped by expert, as in linear_groups.cu; N is a multiple of 2^rowShift, so that the scales of an
// expert begin with a row of them.
template <class Tile>
static __device__ __forceinline__ void groupCodesProduct(unsigned char* shared, unsigned* unused, bf16* y, const bf16* x, const Codes& all,
                                                         const bf16* bias, const int* tiles, int N, int K) {
  if ((int)blockIdx.y >= tiles[0]) return;
  const int* tile = tiles + 4 + 4 * blockIdx.y;
  const size_t first = tile[1];
  Codes codes = all;
  codes.w += (size_t)tile[0] * N * K;
  codes.scales = all.scalesOf(tile[0] * N);
  Tile::run(shared, unused, {y + first * N, x + first * K, nullptr, bias ? bias + (size_t)tile[0] * N : nullptr, nullptr, tile[2], N, K, 0},
            codes, nullptr, nullptr, gridDim.x, 0);
}
#define GROUP_CODES_PRODUCT(name, BLOCKS, ...)                                                                                  \
  KERNEL_OF((CodesTile<__VA_ARGS__>::THREADS), BLOCKS, name)                                                                    \
  (bf16* y, const bf16* x, const e4m3* w, const float* scales, const bf16* bias, const int* tiles, int N, int K, int rowShift,  \
   int columns, int columnShift) {                                                                                              \
    DYNAMIC_SHARED(unsigned char, shared);                                                                                      \
    SHARED_ARRAY(unsigned, unused, 1);                                                                                          \
    groupCodesProduct<CodesTile<__VA_ARGS__>>(shared, unused, y, x, codesOf(w, scales, K, rowShift, columns, columnShift), bias,  \
                                              tiles, N, K);                                                                     \
  }                                                                                                                             \
  EMULATED(name)
//                  name                      blocks  BM   stages warps over rows, columns
GROUP_CODES_PRODUCT(group_gemm_e4m3_8x128,    2,       8, 8,     1, 8)
GROUP_CODES_PRODUCT(group_gemm_e4m3_32x128,   2,      32, 6,     2, 4)
GROUP_CODES_PRODUCT(group_gemm_e4m3_128x128,  1,     128, 4,     4, 2)
