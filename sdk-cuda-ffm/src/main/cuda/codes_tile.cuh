// A tile of a product with weights that are e4m3 codes and scales; inputs are bf16, or codes with scales of their own.
#pragma once
#include "e4m3.cuh"
#include "linear_tile.cuh"
#include <type_traits>

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

// The scales of inputs that are codes, each that of 2^shift columns of a row, 31 where it is all of them; those of all rows for
// the same columns follow each other, `pitch` from one group of columns to the next.
struct InputScales {
  const float* at;
  int shift, pitch;
  __device__ __forceinline__ float of(int row, int rows, unsigned column) const {
    return row < rows ? at[(size_t)(column >> shift) * pitch + row] : 0.f;
  }
};

// A tile as TileProduct has it, of codes; columnShift >= 6, and so is the shift of inputs. X: bf16 or e4m3. A lane has 8 terms in
// a row of 32 of both operands. One mma takes four of them in bf16, all of them as codes: in which order terms are numbered is
// nobody's business as long as both agree.
template <class X, int BM, int STAGES, int WARPS_M, int WARPS_N>
struct CodesTile : TileProduct<BM, 128, 64, STAGES, WARPS_M, WARPS_N> {
  using Base = TileProduct<BM, 128, 64, STAGES, WARPS_M, WARPS_N>;
  static constexpr int BN = 128, BK = 64, W_BYTES = BN * BK, STAGE = W_BYTES + BM * BK * (int)sizeof(X), MT = Base::MT, NT = Base::NT;

  // where a chunk of 16 bytes lies: what lanes read at once is in different banks
  struct CodePlace {
    static __device__ __forceinline__ int at(int row, int chunk) { return row * BK + ((chunk ^ (row & 2)) << 4); }
  };
  struct InputPlace {
    static __device__ __forceinline__ int at(int row, int chunk) { return row * BK + ((chunk ^ (row & 1) << 2) << 3); }
  };

  static constexpr bool CODES = sizeof(X) == 1;
  typedef typename std::conditional<CODES, CodePlace, InputPlace>::type XPlace;

  static __device__ __forceinline__ X* inputsOf(unsigned char* stage) { return reinterpret_cast<X*>(stage + W_BYTES); }

  // part += half of a stage's terms
  static __device__ __forceinline__ void multiply(float (*part)[MT][4], unsigned char* stage, int half) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, q = lane & 3;
    const unsigned char* w = stage + CodePlace::at(warp / WARPS_M * NT * 16 + g, half * 2 + (q >> 1)) + (q & 1) * 8;
    if constexpr (CODES) {
      const unsigned char* x = inputsOf(stage) + CodePlace::at(warp % WARPS_M * MT * 8 + g, half * 2 + (q >> 1)) + (q & 1) * 8;
      multiplyCodes(part, w, x);
    } else {
      multiplyWide(part, w, inputsOf(stage) + InputPlace::at(warp % WARPS_M * MT * 8 + g, half * 4 + q));
    }
  }
  static __device__ __forceinline__ void multiplyCodes(float (*part)[MT][4], const unsigned char* w, const unsigned char* x) {
    uint2 inputs[MT];
#pragma unroll
    for (int i = 0; i < MT; i++) inputs[i] = *reinterpret_cast<const uint2*>(x + i * 8 * BK);
#pragma unroll
    for (int t = 0; t < NT; t++) {
      const uint2 upper = *reinterpret_cast<const uint2*>(w + t * 16 * BK), lower = *reinterpret_cast<const uint2*>(w + (t * 16 + 8) * BK);
      const unsigned codes[4] = {upper.x, lower.x, upper.y, lower.y};
#pragma unroll
      for (int i = 0; i < MT; i++) {
        const unsigned terms[2] = {inputs[i].x, inputs[i].y};
        mma16832(part[t][i], codes, terms);
      }
    }
  }
  static __device__ __forceinline__ void multiplyWide(float (*part)[MT][4], const unsigned char* w, const bf16* x) {
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

  // what the codes of one scale made goes to the sums; k: a column that has this scale
  static __device__ __forceinline__ void addScaled(float (*sum)[MT][4], float (*part)[MT][4], const Codes& c, const InputScales& inputs,
                                                   int m0, int n0, int M, int N, unsigned k) {
    const int row = n0 + (threadIdx.x >> 5) / WARPS_M * NT * 16 + (threadIdx.x & 31) / 4;
    const int group = (int)(k >> c.columnShift);
    const int column = m0 + (threadIdx.x >> 5) % WARPS_M * MT * 8 + (threadIdx.x & 3) * 2;
    float ofInputs[MT][2];
#pragma unroll
    for (int i = 0; i < MT; i++)
#pragma unroll
      for (int odd = 0; odd < 2; odd++) ofInputs[i][odd] = CODES ? inputs.of(column + i * 8 + odd, M, k) : 1.f;
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
        for (int e = 0; e < 4; e++) sum[t][i][e] += part[t][i][e] * (scale[e / 2] * ofInputs[i][e & 1]);
    }
    Base::clear(part);
  }

  static __device__ __forceinline__ void run(unsigned char* shared, unsigned* isLast, const typename Base::Product& p, const Codes& c,
                                             const InputScales& inputs, float* partial, unsigned* tickets, int whole, int share) {
    const int steps = (p.K + BK - 1) / BK, tilesM = (p.M + BM - 1) / BM, tiles = tilesM * ((p.N + BN - 1) / BN);
    const int block = blockIdx.x, sharer = block - whole, total = tiles * steps;
    const int base = sharer < 0 ? 0 : whole * steps;  // units are counted from here on
    const int begin = sharer < 0 ? block * steps : sharer * share;
    const int end = sharer < 0 ? begin + steps : begin + share < total - base ? begin + share : total - base;
    const int least = CODES && inputs.shift < c.columnShift ? inputs.shift : c.columnShift;
    const unsigned inGroup = (1u << least) - 1;

    TileLoader<e4m3, BN, BK, Base::THREADS, CodePlace> wLoader;
    TileLoader<X, BM, BK, Base::THREADS, XPlace> xLoader;
    int fetched = begin, fetchedTile = (base + begin) / steps, fetchedK = begin % steps * BK;
    auto enterTile = [&]() {
      wLoader.enter(c.w, fetchedTile / tilesM * BN, p.N, fetchedK, p.K);
      xLoader.enter(reinterpret_cast<const X*>(p.x), fetchedTile % tilesM * BM, p.M, fetchedK, p.K);
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
#pragma unroll((CODES ? MT * NT >= 8 : MT * NT == 8) ? 1 : 2)
      for (int half = 0; half < 2; half++) multiply(part, shared + stage * STAGE, half);
      stage = stage == STAGES - 1 ? 0 : stage + 1;
      const int tileEnd = (tile + 1) * steps - base, tileBegin = tileEnd - steps;
      const bool ends = unit + 1 == tileEnd || unit + 1 == end;
      const unsigned k = (unsigned)(unit - tileBegin) * BK;
      if (ends || ((k + BK) & inGroup) == 0) addScaled(sum, part, c, inputs, tile % tilesM * BM, tile / tilesM * BN, p.M, p.N, k);
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
