// From logits to tokens. Per row of `vocabulary` fp32 logits, in this order:
//   1. penalties: a token of prompt or output, logit > 0 ? / repetition : * repetition;
//      then - frequency * (times in the output) - presence * (in the output)
//   2. temperature 0: the largest logit. Else logits / temperature, p = softmax, then keep
//      min-p: p >= minP * (largest p);  top-k: not less than the k-th largest, ties kept;
//      top-p, over what is kept: the mass of strictly more likely tokens is < topP
//   3. the kept token with the largest logit / temperature - ln(-ln(u)): a draw from the softmax of what
//      is kept (Gumbel-max). u = ((word >> 8) + 0.5) / 2^24, word = the first of Philox4x32-10 with
//      key = seed and counter = (token, position, 0, 0)
// Ties go to the lowest token. Infinite largest logits are taken as they are, without a draw. A row without any comparable logit (all NaN) answers -1.
#include "dev.cuh"

constexpr int IN_PROMPT = 1 << 30;  // beside the number of times in the output

// counts must be zero before. history: tokens of all rows; begin[row]..begin[row + 1] are those of a row,
// the first promptLength[row] of them its prompt. One block per row.
KERNEL(256, count_history) (int* counts, const int* history, const int* begin, const int* promptLength, int vocabulary) {
  int* row = counts + (size_t)blockIdx.x * vocabulary;
  const int first = begin[blockIdx.x], prompt = promptLength[blockIdx.x], length = begin[blockIdx.x + 1] - first;
  for (int i = threadIdx.x; i < length; i += blockDim.x) {
    if (i < prompt) atomicOr(&row[history[first + i]], IN_PROMPT); else atomicAdd(&row[history[first + i]], 1);
  }
}
EMULATED(count_history)

// penalties: [row][3] = repetition, presence, frequency. x over tokens, y over rows.
KERNEL(256, apply_penalties) (float* out, const float* logits, const int* counts, const float* penalties, int vocabulary) {
  const int token = blockIdx.x * blockDim.x + threadIdx.x;
  if (token >= vocabulary) return;
  const size_t at = (size_t)blockIdx.y * vocabulary + token;
  const float* p = penalties + blockIdx.y * 3;
  const int seen = counts[at], times = seen & (IN_PROMPT - 1);
  float v = logits[at];
  if (seen) v = v > 0.f ? v / p[0] : v * p[0];
  if (times) v = v - p[2] * times - p[1];
  out[at] = v;
}
EMULATED(apply_penalties)

// the bits of a float in an order that unsigned comparison follows; NaN comes last
static __device__ __forceinline__ unsigned orderOf(float v) {
  const unsigned bits = floatBits(v);
  if (v != v) return 0;
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
// 2^32 * exp(scaled - max) as an integer: sums do not depend on the order of adding
static __device__ __forceinline__ unsigned long long massOf(float scaled, float max) {
  return (unsigned long long)(expf(scaled - max) * 4294967296.f);
}
static __device__ unsigned philox(unsigned key0, unsigned key1, unsigned token, unsigned position) {
  unsigned c0 = token, c1 = position, c2 = 0, c3 = 0;
#pragma unroll
  for (int round = 0; round < 10; round++) {
    const unsigned high0 = mulHigh(0xD2511F53u, c0), low0 = 0xD2511F53u * c0;
    const unsigned high1 = mulHigh(0xCD9E8D57u, c2), low1 = 0xCD9E8D57u * c2;
    c0 = high1 ^ c1 ^ key0;
    c1 = low1;
    c2 = high0 ^ c3 ^ key1;
    c3 = low0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return c0;
}
// -ln(-ln(u)): u near 1 has no float, 1 - u has
static __device__ __forceinline__ float gumbel(unsigned word) {
  const unsigned bits = word >> 8;
  const float exponential = bits < (1u << 23) ? -logf(((float)bits + 0.5f) * 5.9604644775390625e-8f)
                                              : -log1pf(-((float)(0xffffffu - bits) + 0.5f) * 5.9604644775390625e-8f);
  return -logf(exponential);
}

struct Candidate { float score; int token; };
static __device__ __forceinline__ Candidate better(Candidate a, Candidate b) {
  return b.score > a.score || (b.score == a.score && b.token < a.token) ? b : a;
}
static __device__ Candidate blockBest(Candidate c, float* scores, int* tokens) {
  const int lane = threadIdx.x & 31, warps = blockDim.x >> 5;
#pragma unroll
  for (int o = 16; o; o >>= 1) {
    Candidate other = {__shfl_xor_sync(0xffffffffu, c.score, o), __shfl_xor_sync(0xffffffffu, c.token, o)};
    c = better(c, other);
  }
  __syncthreads();
  if (lane == 0) { scores[threadIdx.x >> 5] = c.score; tokens[threadIdx.x >> 5] = c.token; }
  __syncthreads();
  Candidate best = {scores[0], tokens[0]};
  for (int w = 1; w < warps; w++) { Candidate other = {scores[w], tokens[w]}; best = better(best, other); }
  return best;
}

// The order of the value at which `wanted` of something (tokens, or their mass) is reached from above,
// among values of at least `floor`: four rounds of 8 bits, largest first. Below all of them if there
// is not as much. All threads get the same.
template <bool MASS>
static __device__ unsigned selectFromAbove(const float* row, int vocabulary, float temperature, float max, unsigned floor,
                                           unsigned long long wanted, unsigned long long* bins, unsigned* shared) {
  unsigned prefix = 0, known = 0;
  unsigned long long above = 0;
  for (int shift = 24; shift >= 0; shift -= 8) {
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
    __syncthreads();
#pragma unroll 4
    for (int i = threadIdx.x; i < vocabulary; i += blockDim.x) {
      const float v = row[i] / temperature;
      const unsigned order = orderOf(v);
      if (order < floor || (order & known) != prefix) continue;
      const unsigned long long amount = MASS ? massOf(v, max) : 1;
      if (amount) atomicAdd(&bins[order >> shift & 255], amount);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned long long sum = above;
      int bin = 255;
      while (bin > 0 && sum + bins[bin] < wanted) sum += bins[bin--];
      shared[0] = bin;
      shared[1] = (unsigned)sum;
      shared[2] = (unsigned)(sum >> 32);
    }
    __syncthreads();
    prefix |= shared[0] << shift;
    known |= 255u << shift;
    above = shared[1] | (unsigned long long)shared[2] << 32;
  }
  return prefix;
}

// One block of up to 1024 threads per row. real: [row][3] = temperature, topP, minP; whole: [row][4] =
// topK (0 = off), position, seed low, seed high.
KERNEL(1024, sample_tokens) (int* token, const float* logits, const float* real, const int* whole, int vocabulary) {
  SHARED_ARRAY(float, scores, 32);
  SHARED_ARRAY(int, tokens, 32);
  SHARED_ARRAY(unsigned long long, bins, 256);
  SHARED_ARRAY(unsigned, shared, 4);
  const float* row = logits + (size_t)blockIdx.x * vocabulary;
  const float temperature = real[blockIdx.x * 3], topP = real[blockIdx.x * 3 + 1], minP = real[blockIdx.x * 3 + 2];
  const int topK = whole[blockIdx.x * 4], position = whole[blockIdx.x * 4 + 1];
  const unsigned seedLow = whole[blockIdx.x * 4 + 2], seedHigh = whole[blockIdx.x * 4 + 3];

  const Candidate none = {-INFINITY, 0x7fffffff};
  Candidate best = none;
#pragma unroll 4
  for (int i = threadIdx.x; i < vocabulary; i += blockDim.x) { Candidate c = {row[i], i}; best = better(best, c); }
  best = blockBest(best, scores, tokens);
  if (temperature == 0.f || best.score == -INFINITY || best.score == INFINITY) {  // the same for all threads
    if (threadIdx.x == 0) token[blockIdx.x] = best.token == none.token ? -1 : best.token;
    return;
  }
  const float max = best.score / temperature;
  unsigned floor = minP > 0.f ? orderOf(max + logf(minP)) : 1u;
  if (topK > 0 && topK < vocabulary) {
    const unsigned kth = selectFromAbove<false>(row, vocabulary, temperature, max, floor, topK, bins, shared);
    floor = kth > floor ? kth : floor;
  }
  if (topP < 1.f) {
    // the mass of what is kept so far
    __syncthreads();
    if (threadIdx.x == 0) bins[0] = 0;
    __syncthreads();
    unsigned long long mine = 0;
#pragma unroll 4
    for (int i = threadIdx.x; i < vocabulary; i += blockDim.x) {
      const float v = row[i] / temperature;
      if (orderOf(v) >= floor) mine += massOf(v, max);
    }
    atomicAdd(&bins[0], mine);
    __syncthreads();
    const double wanted = (double)bins[0] * topP;
    const unsigned long long atLeast = wanted < 1. ? 1 : (unsigned long long)ceil(wanted);
    const unsigned edge = selectFromAbove<true>(row, vocabulary, temperature, max, floor, atLeast, bins, shared);
    floor = edge > floor ? edge : floor;
  }
  Candidate drawn = none;
#pragma unroll 4
  for (int i = threadIdx.x; i < vocabulary; i += blockDim.x) {
    const float v = row[i] / temperature;
    if (orderOf(v) < floor) continue;
    Candidate c = {v + gumbel(philox(seedLow, seedHigh, i, position)), i};
    drawn = better(drawn, c);
  }
  drawn = blockBest(drawn, scores, tokens);
  if (threadIdx.x == 0) token[blockIdx.x] = drawn.token == none.token ? -1 : drawn.token;
}
EMULATED(sample_tokens)

// Of the raw logits: the log-softmax of the chosen token, and its rank, 1 + the number of larger ones.
// One block per row. A row with token -1 answers NaN and 0.
KERNEL(1024, log_probabilities) (float* logProbability, int* rank, const float* logits, const int* token, int vocabulary) {
  SHARED_ARRAY(float, part, 32);
  const float* row = logits + (size_t)blockIdx.x * vocabulary;
  const int chosen = token[blockIdx.x];
  if (chosen < 0) {
    if (threadIdx.x == 0) { logProbability[blockIdx.x] = NAN; rank[blockIdx.x] = 0; }
    return;
  }
  const float mine = row[chosen];
  float max = -INFINITY, larger = 0.f, sum = 0.f;
#pragma unroll 4
  for (int i = threadIdx.x; i < vocabulary; i += blockDim.x) {
    max = fmaxf(max, row[i]);
    larger += row[i] > mine;  // exact: fewer than 2^24 tokens
  }
  max = blockMax(max, part);
  larger = blockSum(larger, part);
#pragma unroll 4
  for (int i = threadIdx.x; i < vocabulary; i += blockDim.x) sum += expf(row[i] - max);
  sum = blockSum(sum, part);
  if (threadIdx.x == 0) {
    logProbability[blockIdx.x] = mine - max - logf(sum);
    rank[blockIdx.x] = 1 + (int)larger;
  }
}
EMULATED(log_probabilities)
