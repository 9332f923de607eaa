// A mixture of experts around its products: which experts a row has, where its copies lie once they are grouped by
// expert, and the sum of what was made of them. A slot is one expert of one row, row * perRow + i, experts of a row
// ascending; a place is where a slot lies among the groups. All counts that depend on the routing stay on the device:
// a launch's shape depends on the number of rows alone.
//   chosen  [rows * perRow]  the expert of a slot; -1 in rows of padding, which no expert computes
//   places  [rows * perRow]  the place of a slot        slots [rows * perRow]  the slot at a place; -1 where there is none
//   tiles   4 + 4 * most     [0] how many there are, [1] experts that had any row, over all calls since it was set to 0; from
//                            [4] on for each tile: expert, first place, places, 0
#include "dev.cuh"

namespace {
constexpr int MOST_EXPERTS = 1024;

// Ranks as integers of the same order, never 0; what is no number is below all others.
__device__ __forceinline__ unsigned ordered(float rank) {
  const unsigned bits = floatBits(rank + 0.f);  // -0 is 0
  return rank != rank ? 1u : bits >> 31 ? ~bits : bits | 0x80000000u;
}
// The index of the largest rank, of equal ones the lowest, whose rank becomes 0. One warp; at least one rank is not 0.
__device__ __forceinline__ int takeBest(unsigned* ranks, int count) {
  unsigned long long best = 0;
  for (unsigned i = threadIdx.x; i < (unsigned)count; i += 32) {
    const unsigned long long key = (unsigned long long)ranks[i] << 32 | (0xffffffffu - i);
    if (ranks[i] != 0 && key > best) best = key;
  }
#pragma unroll
  for (int o = 16; o; o >>= 1) {
    const unsigned long long other = __shfl_xor_sync(0xffffffffu, best, o);
    if (other > best) best = other;
  }
  const int index = (int)(0xffffffffu - (unsigned)best);
  __syncwarp();
  if (threadIdx.x == 0) ranks[index] = 0;
  __syncwarp();
  return index;
}
}  // namespace

// Experts and weights of a row, of its logits [rows][experts]; one warp per row. `sigmoid`: score = 1 / (1 + exp(-logit)),
// rank = score + correction; else score = exp(logit), rank = logit, and all scores are divided by their sum. `kept` of the
// `groups` with the largest sums of two ranks are chosen from. `renormalise`: weights are divided by their sum. A row at a
// position < 0 is padding; `positions` may be null.
KERNEL(32, route_tokens)
(int* chosen, float* weights, const float* logits, const float* correction, const int* positions, int experts, int perRow, int sigmoid,
 int renormalise, int groups, int kept, float factor) {
  SHARED_ARRAY(float, scores, MOST_EXPERTS);
  SHARED_ARRAY(unsigned, ranks, MOST_EXPERTS);
  SHARED_ARRAY(unsigned, groupRanks, MOST_EXPERTS / 2);
  SHARED_ARRAY(int, best, MOST_EXPERTS);
  const int lane = threadIdx.x, row = blockIdx.x;
  if (positions && positions[row] < 0) {
    for (int slot = row * perRow + lane; slot < (row + 1) * perRow; slot += 32) {
      chosen[slot] = -1;
      weights[slot] = 0.f;
    }
    return;
  }
  logits += (size_t)row * experts;
  float largest = -INFINITY, sum = 0.f;
  if (!sigmoid) {
    for (int e = lane; e < experts; e += 32) largest = fmaxf(largest, logits[e]);
    largest = warpMax(largest);
  }
  for (int e = lane; e < experts; e += 32) {
    scores[e] = sigmoid ? 1.f / (1.f + expf(-logits[e])) : expf(logits[e] - largest);
    sum += scores[e];
  }
  sum = warpSum(sum);
  auto rank = [&](int e) { return sigmoid ? scores[e] + correction[e] : logits[e]; };
  if (groups > 1) {
    const int size = experts / groups;
    __syncwarp();
    for (int g = lane; g < groups; g += 32) {
      float first = -INFINITY, second = -INFINITY;
      for (int e = g * size; e < (g + 1) * size; e++) {
        second = fmaxf(second, fminf(first, rank(e)));
        first = fmaxf(first, rank(e));
      }
      groupRanks[g] = ordered(first + second);
    }
    __syncwarp();
    for (int i = 0; i < kept; i++) takeBest(groupRanks, groups);
    for (int e = lane; e < experts; e += 32) ranks[e] = groupRanks[e / size] == 0 ? ordered(rank(e)) : 0u;
  } else {
    for (int e = lane; e < experts; e += 32) ranks[e] = ordered(rank(e));
  }
  __syncwarp();
  float ofBest = 0.f;
  for (int i = 0; i < perRow; i++) {
    const int e = takeBest(ranks, experts);
    if (lane == 0) best[i] = e;
    ofBest += scores[e];
  }
  __syncwarp();
  const float divisor = renormalise ? (sigmoid ? ofBest + 1e-20f : ofBest) : sigmoid ? 1.f : sum;
  for (int i = lane; i < perRow; i += 32) {
    int slot = row * perRow;
    for (int other = 0; other < perRow; other++) slot += best[other] < best[i];
    chosen[slot] = best[i];
    weights[slot] = scores[best[i]] / divisor * factor;
  }
}
EMULATED(route_tokens)

// Groups the slots by expert, in their order, and cuts the groups into tiles of at most tileRows places. One block of 256
// threads per expert, which looks at all slots: none needs what another one found.
KERNEL(256, group_slots) (int* places, int* slots, int* tiles, const int* chosen, int count, int experts, int tileRows) {
  SHARED_ARRAY(int, sizes, MOST_EXPERTS);
  SHARED_ARRAY(int, before, 256);
  const int expert = blockIdx.x, thread = threadIdx.x;
  for (int e = thread; e < experts; e += 256) sizes[e] = 0;
  __syncthreads();
  for (int slot = thread; slot < count; slot += 256) {
    if (chosen[slot] >= 0) atomicAdd(&sizes[chosen[slot]], 1);
  }
  __syncthreads();
  int begin = 0, tile = 0, allTiles = 0, active = 0, placed = 0;
  for (int e = 0; e < experts; e++) {
    const int tilesOf = (sizes[e] + tileRows - 1) / tileRows;
    if (e < expert) {
      begin += sizes[e];
      tile += tilesOf;
    }
    allTiles += tilesOf;
    active += sizes[e] > 0;
    placed += sizes[e];
  }
  if (expert == 0) {
    if (thread == 0) {
      tiles[0] = allTiles;
      tiles[1] += active;
    }
    for (int place = placed + thread; place < count; place += 256) slots[place] = -1;
    for (int slot = thread; slot < count; slot += 256) {
      if (chosen[slot] < 0) places[slot] = -1;
    }
  }
  const int size = sizes[expert];
  if (size == 0) return;  // the whole block

  const int share = (count + 255) / 256, from = thread * share, to = from + share < count ? from + share : count;
  int mine = 0;
  for (int slot = from; slot < to; slot++) mine += chosen[slot] == expert;
  before[thread] = mine;
  __syncthreads();
  for (int o = 1; o < 256; o <<= 1) {
    const int more = thread >= o ? before[thread - o] : 0;
    __syncthreads();
    before[thread] += more;
    __syncthreads();
  }
  int place = begin + before[thread] - mine;
  for (int slot = from; slot < to; slot++) {
    if (chosen[slot] == expert) {
      places[slot] = place;
      slots[place++] = slot;
    }
  }
  for (int i = thread; i * tileRows < size; i += 256) {
    int* t = tiles + 4 + 4 * (tile + i);
    t[0] = expert;
    t[1] = begin + i * tileRows;
    t[2] = size - i * tileRows < tileRows ? size - i * tileRows : tileRows;
    t[3] = 0;
  }
}
EMULATED(group_slots)

// out[place] = x[the row of the slot there], rows of `dim` values; x over places, y over groups of 8 columns
KERNEL(256, gather_slots) (bf16* out, const bf16* x, const int* slots, int perRow, int dim) {
  const int i = (blockIdx.y * blockDim.x + threadIdx.x) * 8;
  if (i >= dim) return;
  const int slot = slots[blockIdx.x];
  if (slot < 0) return;
  x += (size_t)(slot / perRow) * dim + i;
  out += (size_t)blockIdx.x * dim + i;
  if ((dim & 7) == 0) {
    *reinterpret_cast<uint4*>(out) = loadConstant(x);
    return;
  }
#pragma unroll 1
  for (int e = 0; e < 8 && i + e < dim; e++) out[e] = x[e];
}
EMULATED(gather_slots)

// hidden += sum of weight * made over a row's slots, in their order, + shared, rounded once; x over groups of 8 columns, y
// over rows. `shared` may be null.
KERNEL(256, combine_slots)
(bf16* hidden, const bf16* made, const float* weights, const int* places, const bf16* shared, int perRow, int dim) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 8, row = blockIdx.y;
  if (i >= dim) return;
  const int values = dim - i < 8 ? dim - i : 8;
  const bool aligned = (dim & 7) == 0;
  const size_t at = (size_t)row * dim + i;
  auto read = [&](float* f, const bf16* p) {
    if (aligned) {
      unpack8(*reinterpret_cast<const uint4*>(p), f);
    } else {
#pragma unroll
      for (int e = 0; e < 8; e++) {
        if (e < values) f[e] = toFloat(p[e]);
      }
    }
  };
  float sum[8] = {}, v[8] = {};
  for (int slot = row * perRow; slot < (row + 1) * perRow; slot++) {
    if (places[slot] < 0) return;  // padding
    const float weight = weights[slot];
    read(v, made + (size_t)places[slot] * dim + i);
#pragma unroll
    for (int e = 0; e < 8; e++) sum[e] += weight * v[e];
  }
  if (shared) {
    read(v, shared + at);
#pragma unroll
    for (int e = 0; e < 8; e++) sum[e] += v[e];
  }
  read(v, hidden + at);
#pragma unroll
  for (int e = 0; e < 8; e++) sum[e] += v[e];
  if (aligned) {
    *reinterpret_cast<uint4*>(hidden + at) = pack8(sum);
  } else {
#pragma unroll
    for (int e = 0; e < 8; e++) {
      if (e < values) hidden[at + e] = toBf16(sum[e]);
    }
  }
}
EMULATED(combine_slots)
