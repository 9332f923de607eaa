// What the launches of a step leave each other about a row of logits, and the bins in which it is searched.
//
// The limit of top-k or top-p is the largest value at which `wanted` of something is reached from above: of
// tokens, or of their mass. It is searched in the order of values (orderOf), 11 bits at a time: up to 2048 bins of
// 2^shift values each add up what lies in [low, low + last], and the bin where `wanted` is reached is the next
// interval. 32 bits are a single value after three launches at most, whatever the logits are; the search ends
// earlier if that bin has one token only.
#pragma once
#include "draw.cuh"

constexpr int SAMPLE_THREADS = 512;
constexpr int BIN_BITS = 11, BINS = 1 << BIN_BITS;
constexpr int MAX_PARTS = 64;

// what the next launch has to do with a row
enum SampleStage { CHOSEN = 0, COUNTING = 1, WEIGHING = 2, DRAWING = 3 };

// what one of a row's blocks found in its part
struct SamplePart { Candidate largest, drawn; unsigned stray; };

// `ticket` and the bins are zero between launches; the rest is written before it is read.
struct SampleRow {
  unsigned ticket;
  int stage;
  float max, bound;            // the largest scaled logit; a score that a kept token has
  unsigned floor;              // the order of the least value that is kept so far
  unsigned low, last;          // the interval that is searched
  int shift;
  unsigned long long wanted;   // from its upper end down; 0: not known before its mass is
  SamplePart part[MAX_PARTS];
  unsigned count[BINS];
  unsigned long long mass[BINS];
};
static_assert(sizeof(SampleRow) == 25896, "SamplingKernels.SAMPLE_STATE_BYTES");

// Bins of a block. Shared memory adds 32 bits in one instruction, 64 only by trying again and again, so a mass
// is added in halves of 16 bits: exact for up to 65,535 tokens, and a part has at most 32,768.
struct BlockBins { unsigned *count, *low, *high; };

// Whether four lanes and more have a token for the same bin as the first lane that has any.
static __device__ __forceinline__ bool isCrowded(bool take, int bin) {
  const unsigned takers = lanesWith(take);
  const int first = __shfl_sync(0xffffffffu, bin, takers ? lowestBit(takers) : 0);
  return bitCount(lanesWith(take && bin == first)) >= 4;
}
// Adds a token per lane: its number if `counted`, its mass if MASS. Lanes that meet in one bin wait for each
// other; in `crowds` they are added up first.
template <bool MASS>
static __device__ __forceinline__ void addToBins(bool take, int bin, bool counted, unsigned long long mass, bool crowds, BlockBins bins) {
  const unsigned low = (unsigned)mass & 0xffffu, high = (unsigned)(mass >> 16);
  unsigned left = crowds ? lanesWith(take) : 0;
#pragma unroll 1
  for (int round = 0; round < 4 && left; round++) {
    const int leader = lowestBit(left), theirs = __shfl_sync(0xffffffffu, bin, leader);
    const unsigned same = lanesWith(take && bin == theirs);
    const bool mine = same >> (threadIdx.x & 31) & 1;
    unsigned lowSum = 0, highSum = 0;
    if (MASS) {
      lowSum = warpAddOf(mine ? low : 0u);
      highSum = warpAddOf(mine ? high : 0u);
    }
    if ((threadIdx.x & 31) == (unsigned)leader) {
      if (counted) atomicAdd(&bins.count[bin], (unsigned)bitCount(same));
      if (MASS) { atomicAdd(&bins.low[bin], lowSum); atomicAdd(&bins.high[bin], highSum); }
    }
    left &= ~same;
    take = take && !mine;
  }
  if (take) {
    if (counted) atomicAdd(&bins.count[bin], 1u);
    if (MASS) {
      atomicAdd(&bins.low[bin], low);
      if (high) atomicAdd(&bins.high[bin], high);
    }
  }
}

static __device__ __forceinline__ void clearBins(unsigned* bins, int count) {
  for (int i = threadIdx.x; i < count; i += SAMPLE_THREADS) bins[i] = 0;
  __syncthreads();
}
// Adds a block's bins to the row's, by atomic additions in the second-level cache.
static __device__ __forceinline__ void addToRow(SampleRow* state, BlockBins bins, bool mass) {
  __syncthreads();
  for (int i = threadIdx.x; i < BINS; i += SAMPLE_THREADS) {
    const unsigned tokens = bins.count[i];
    if (tokens) atomicAdd(&state->count[i], tokens);
    if (mass) {
      const unsigned long long sum = bins.low[i] + ((unsigned long long)bins.high[i] << 16);
      if (sum) atomicAdd(&state->mass[i], sum);
    }
  }
}

// the sum over the threads before this one, and over all of them
static __device__ __forceinline__ unsigned long long sumBefore(unsigned long long mine, unsigned long long* total,
                                                               unsigned long long* warpSums) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  unsigned long long sum = mine;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    const unsigned long long other = __shfl_sync(0xffffffffu, sum, (lane - o) & 31);
    if (lane >= o) sum += other;
  }
  __syncthreads();
  if (lane == 31) warpSums[warp] = sum;
  __syncthreads();
  unsigned long long before = 0, all = 0;
  for (int w = 0; w < SAMPLE_THREADS / 32; w++) {
    const unsigned long long s = warpSums[w];
    if (w < warp) before += s;
    all += s;
  }
  *total = all;
  return before + sum - mine;
}

// The bin of a row where `wanted` is reached from above, what lies above it, and what is in it.
struct Reached { bool found; unsigned bin, tokens; unsigned long long wanted, above, amount; };

// By all threads of the row's last block. Leaves the row's bins zero.
static __device__ __forceinline__ Reached reachedBin(SampleRow* state, bool mass, unsigned long long wanted, float topP) {
  SHARED_ARRAY(unsigned long long, warpSums, SAMPLE_THREADS / 32);
  SHARED_ARRAY(unsigned long long, found, 4);
  constexpr int EACH = BINS / SAMPLE_THREADS;
  const int first = BINS - 1 - (int)threadIdx.x * EACH;  // thread 0 has the largest values
  unsigned tokens[EACH];
  unsigned long long amount[EACH], mine = 0, total;
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    tokens[i] = loadThrough(&state->count[first - i]);
    amount[i] = mass ? loadThrough(&state->mass[first - i]) : tokens[i];
    mine += amount[i];
    state->count[first - i] = 0;
    if (mass) state->mass[first - i] = 0;
  }
  unsigned long long before = sumBefore(mine, &total, warpSums);
  if (mass && wanted == 0) wanted = leastMass(total, topP);
  if (threadIdx.x == 0) found[0] = BINS;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    if (before < wanted && before + amount[i] >= wanted) {
      found[0] = first - i; found[1] = before; found[2] = amount[i]; found[3] = tokens[i];
    }
    before += amount[i];
  }
  __syncthreads();
  Reached r;
  r.found = found[0] < BINS;
  r.bin = (unsigned)found[0]; r.tokens = (unsigned)found[3];
  r.wanted = wanted; r.above = found[1]; r.amount = found[2];
  return r;
}

// A logit with logit / temperature >= v is at least this: v * temperature less what the rounding of both can make
// of it, and less what it can near zero, where floats are 2^-149 apart. So most logits need no division.
static __device__ __forceinline__ float leastLogit(float v, float temperature) {
  const float x = v * temperature;
  if (!(fabsf(x) < INFINITY)) return -INFINITY;  // also for the NaN that an order below that of -infinity gives
  return x - fabsf(x) * 1e-6f - (temperature + 1.f) * 1e-44f;
}

// What follows once min-p and top-k are known; one thread. Below max - 22.2 nothing has mass (2^32 is exp(22.18)):
// a value v > max - 22.2 is not below that difference rounded, since rounding keeps the order.
static __device__ __forceinline__ void weighOrDraw(SampleRow* state, bool byMass) {
  state->stage = byMass ? WEIGHING : DRAWING;
  if (!byMass) return;
  const unsigned least = orderOf(state->max - 22.2f), low = state->floor > least ? state->floor : least;
  const unsigned width = orderOf(state->max) - low;
  int shift = 0;
  while (width >> shift >= BINS) shift++;
  state->low = low;
  state->last = width;
  state->shift = shift;
  state->wanted = 0;
}

// Moves a search on; one thread. It ends where all of the bin are kept: at one value, at one token, or, of
// counted ones, where the bin's last is the one wanted. Without it (fewer tokens than top-k) nothing is dropped.
static __device__ __forceinline__ void searchOn(SampleRow* state, const Setting& s, const Reached& r, unsigned low, int shift) {
  const bool counting = state->stage == COUNTING;
  if (r.found) {
    const unsigned binLow = low + (r.bin << shift);
    if (shift > 0 && r.tokens != 1 && !(counting && r.above + r.amount == r.wanted)) {
      state->low = binLow;
      state->last = (1u << shift) - 1;
      state->shift = shift > BIN_BITS ? shift - BIN_BITS : 0;
      state->wanted = r.wanted - r.above;
      return;
    }
    if (binLow > state->floor) state->floor = binLow;
  }
  weighOrDraw(state, counting && s.byMass);
}
