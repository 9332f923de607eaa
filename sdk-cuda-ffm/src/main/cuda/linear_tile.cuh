// A product on tensor cores. A tile is BM rows and BN columns of y; a unit of work is BK
// of its sum over K. STAGES units per block are in flight from global to shared memory (cp.async) or in use.
//
// The first `whole` blocks compute a tile each. The others share the remaining tiles: all units of them in a
// row, tile after tile, each block the next `share`. A tile that several blocks have a part of is added up by
// the last of them to come, in the order of the blocks: the result depends neither on who comes when nor on
// other rows.
//
// w is the operand with 16 rows, x the one with 8, so that 8 rows of x fill the tensor cores.
//   tickets   [gridDim.x - whole], zero before and after a launch
//   partial   [gridDim.x - whole][2][BM * BN] floats
#pragma once
#include "linear.cuh"

namespace {
template <int BM, int BN, int BK, int STAGES, int WARPS_M, int WARPS_N>
struct TileProduct {
  static constexpr int THREADS = 32 * WARPS_M * WARPS_N, CHUNKS = BK / 8, STAGE = (BM + BN) * BK, SHARED = STAGES * STAGE * 2;
  static constexpr int MT = BM / WARPS_M / 8, NT = BN / WARPS_N / 16, SUMS = NT * MT * 4;

  static constexpr int PARTS_AT_ONCE = SUMS > 16 ? 1 : 16 / SUMS;  // on their way: the smallest tiles have the most

  struct Fragments { unsigned w[NT][4], x[MT > 1 ? MT : 2][2]; };
  struct Product { void* y; const bf16 *x, *w, *bias, *residual; int M, N, K, fp32; };

  // where a chunk of eight values lies in a tile: rows of one column of chunks are in different banks
  struct Place {
    static __device__ __forceinline__ int at(int row, int chunk) {
      return row * BK + ((chunk ^ (CHUNKS == 8 ? row & 7 : row >> 1 & 3)) << 3);
    }
  };
  template <int ROWS> using Loader = TileLoader<bf16, ROWS, BK, THREADS, Place>;

  static __device__ __forceinline__ void load(Fragments& f, const bf16* stage, int k) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int row = warp % WARPS_M * MT * 8 + (lane & 7) + (MT > 1 ? (lane >> 4) * 8 : 0);  // of the only 8 twice
    const int column = warp / WARPS_M * NT * 16 + (lane & 15);
    const bf16* w = stage + Place::at(column, k * 2 + (lane >> 4));
    const bf16* x = stage + BN * BK + Place::at(row, k * 2 + (lane >> 3 & 1));
#pragma unroll
    for (int t = 0; t < NT; t++) loadMatrices4(f.w[t], w + t * 16 * BK);
#pragma unroll
    for (int i = 0; i < MT; i += 2) loadMatrices4(f.x[i], x + i * 8 * BK);
  }

  static __device__ __forceinline__ float2 biasOf(const Product& p, int column) {
    const bf16 zero = 0;
    return {toFloat(p.bias && column < p.N ? p.bias[column] : zero), toFloat(p.bias && column + 1 < p.N ? p.bias[column + 1] : zero)};
  }

  static __device__ __forceinline__ void store(const Product& p, int m0, int n0, float (*sum)[MT][4]) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, odd = g & 1;
    const int row = m0 + warp % WARPS_M * MT * 8 + (lane & 3) * 2 + odd;
    int column = n0 + warp / WARPS_M * NT * 16 + (g & ~1);
#pragma unroll 1
    for (int t = 0; t < NT; t++, column += 16) {  // sums move up instead of being unrolled: this code is long
      const float2 bias = biasOf(p, column), bias8 = biasOf(p, column + 8);
#pragma unroll
      for (int i = 0; i < MT; i++) {
        // a lane has columns g and g + 8 of two rows; after this two columns of one row, twice
        const float* s = sum[0][i];
        const float low = __shfl_xor_sync(0xffffffffu, odd ? s[0] : s[1], 4), high = __shfl_xor_sync(0xffffffffu, odd ? s[2] : s[3], 4);
        const float2 first = {(odd ? low : s[0]) + bias.x, (odd ? s[1] : low) + bias.y};
        const float2 second = {(odd ? high : s[2]) + bias8.x, (odd ? s[3] : high) + bias8.y};
        storePair(p.y, p.fp32, row + i * 8, column, p.M, p.N, first, p.residual);
        storePair(p.y, p.fp32, row + i * 8, column + 8, p.M, p.N, second, p.residual);
#pragma unroll
        for (int u = 0; u + 1 < NT; u++)
#pragma unroll
          for (int e = 0; e < 4; e++) sum[u][i][e] = sum[u + 1][i][e];
      }
    }
  }

  static __device__ __forceinline__ void clear(float (*sum)[MT][4]) {
#pragma unroll
    for (int t = 0; t < NT; t++)
#pragma unroll
      for (int i = 0; i < MT; i++)
#pragma unroll
        for (int e = 0; e < 4; e++) sum[t][i][e] = 0.f;
  }

  // Leaves the part of a tile that this block has; true for the last block to come, which has the whole sum then.
  static __device__ __forceinline__ bool join(float (*sum)[MT][4], float* partial, unsigned* tickets, unsigned* isLast, int sharer,
                                              int share, int tileBegin, int steps, int begin) {
    float4* flat = reinterpret_cast<float4*>(&sum[0][0][0]);
    float4* parts = reinterpret_cast<float4*>(partial) + threadIdx.x;
    constexpr int PART = SUMS / 4 * THREADS;
    const int slot = 2 * sharer + (begin == tileBegin);  // a block has at most one part that is not a tile's first
#pragma unroll
    for (int i = 0; i < SUMS / 4; i++) parts[(size_t)slot * PART + i * THREADS] = flat[i];
    const int first = tileBegin / share, last = (tileBegin + steps - 1) / share;
    if (!isLastBlock(&tickets[first], last - first + 1, isLast)) return false;
    clear(sum);
#pragma unroll PARTS_AT_ONCE
    for (int s = first; s <= last; s++) {
      const float4* part = parts + (size_t)(2 * s + (s == first)) * PART;
#pragma unroll
      for (int i = 0; i < SUMS / 4; i++) {
        const float4 more = loadThrough(part + i * THREADS);
        flat[i].x += more.x; flat[i].y += more.y; flat[i].z += more.z; flat[i].w += more.w;
      }
    }
    return true;
  }

  static __device__ __forceinline__ void run(bf16* shared, unsigned* isLast, const Product& p, float* partial, unsigned* tickets, int whole,
                                             int share) {
    const int steps = (p.K + BK - 1) / BK, tilesM = (p.M + BM - 1) / BM, tiles = tilesM * ((p.N + BN - 1) / BN);
    const int block = blockIdx.x, sharer = block - whole, total = tiles * steps;
    const int base = sharer < 0 ? 0 : whole * steps;  // units are counted from here on
    const int begin = sharer < 0 ? block * steps : sharer * share;
    const int end = sharer < 0 ? begin + steps : begin + share < total - base ? begin + share : total - base;

    Loader<BN> wLoader;
    Loader<BM> xLoader;
    int fetched = begin, fetchedTile = (base + begin) / steps, fetchedK = begin % steps * BK;
    auto enterTile = [&]() {
      wLoader.enter(p.w, fetchedTile / tilesM * BN, p.N, fetchedK, p.K);
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
        xLoader.fetch(shared + stage * STAGE + BN * BK, fetchedK, p.K);
        fetched++;
        fetchedK += BK;
      }
      commitCopies();  // without copies too: groups are counted by units
    };
    enterTile();
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) fetchNext(s);

    float sum[NT][MT][4];
    clear(sum);
    Fragments f[2];
    int stage = 0, tile = (base + begin) / steps, partBegin = begin;
    waitCopies<STAGES - 2>();
    __syncthreads();
    load(f[0], shared, 0);
    auto sixteen = [&](const int k) {  // of the BK
      if (k == 0) fetchNext(stage == 0 ? STAGES - 1 : stage - 1);  // all are done with that one since the last barrier
      if (k == BK / 16 - 1) {
        waitCopies<STAGES - 2>();
        __syncthreads();
        stage = stage == STAGES - 1 ? 0 : stage + 1;
      }
      load(f[(k + 1) & 1], shared + stage * STAGE, (k + 1) % (BK / 16));
#pragma unroll
      for (int t = 0; t < NT; t++)
#pragma unroll
        for (int i = 0; i < MT; i++) mma16816(sum[t][i], f[k & 1].w[t], f[k & 1].x[i]);
    };
#pragma unroll 1
    for (int unit = begin; unit < end; unit++) {
      sixteen(0);  // called one by one: the compiler left a loop over them as it was
      sixteen(1);
      if (BK == 64) {
        sixteen(2);
        sixteen(3);
      }
      const int tileEnd = (tile + 1) * steps - base;
      if (unit + 1 == tileEnd || unit + 1 == end) {
        const int tileBegin = tileEnd - steps;
        const bool all = partBegin == tileBegin && unit + 1 == tileEnd;
        if (all || join(sum, partial, tickets, isLast, sharer, share, tileBegin, steps, partBegin)) {
          store(p, tile % tilesM * BM, tile / tilesM * BN, sum);
        }
        clear(sum);
        load(f[0], shared + stage * STAGE, 0);  // again: there are no registers to keep it in meanwhile
        tile++;
        partBegin = unit + 1;
      }
    }
  }
};
}  // namespace
