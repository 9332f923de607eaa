// Of the raw logits: the log-softmax of the chosen token and its rank, the number of tokens that are at least as
// likely; and the likeliest tokens, at most MAX_TOP, the lowest of equals first.
//
// Grid (parts, rows) as in sampling.cu, but `slice` must not depend on the number of rows: sums are of floats.
// Each thread has up to 16 logits of a piece in registers. The best of the block is taken, then the best of those
// that come after it, and so on: the order is a total one (no two tokens are equal in it), so "comes after the
// last one taken" is all that has to be remembered. The row's last block does the same with what the parts took.
#include "candidates.cuh"

constexpr int LOG_THREADS = 256, PIECE_EACH = 16, PIECE = LOG_THREADS * PIECE_EACH;
constexpr int MAX_TOP = 20, LOG_PARTS = 64;

struct LogPart { float max, sum; int atLeast; Candidate top[MAX_TOP]; };
struct LogRow { unsigned ticket; LogPart part[LOG_PARTS]; };  // the ticket is zero between launches
static_assert(sizeof(LogRow) == 11012, "SamplingKernels.LOGPROB_STATE_BYTES");

// What the host gets; the lists are as long as was asked for.
struct LogAnswer { float logProbability; int rank; int token[MAX_TOP]; float value[MAX_TOP]; };
static_assert(sizeof(LogAnswer) == 168, "SamplingKernels.LOGPROB_ANSWER_BYTES");

static __device__ __forceinline__ bool comesAfter(Candidate c, Candidate last) {
  return c.score < last.score || (c.score == last.score && c.token > last.token);
}
// The first `count` of what the threads have and of taken[0 .. count), in order, to `taken`. Each warp offers its
// best one; only the warp whose offer was taken has to look for another.
static __device__ __forceinline__ void takeBest(const Candidate* mine, int count, Candidate* taken, Candidate* offers) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  __syncthreads();
  const Candidate kept = (int)threadIdx.x < count ? taken[threadIdx.x] : noCandidate();
  Candidate last = {INFINITY, -1}, offer = last;
  for (int n = 0; n < count; n++) {
    if (offer.token == last.token) {  // the same for all lanes
      offer = comesAfter(kept, last) ? kept : noCandidate();
#pragma unroll
      for (int j = 0; j < PIECE_EACH; j++) if (comesAfter(mine[j], last)) offer = better(offer, mine[j]);
      offer = warpBest(offer);
    }
    if (lane == 0) offers[warp] = offer;
    __syncthreads();
    last = warpBest(lane < LOG_THREADS / 32 ? offers[lane] : noCandidate());
    __syncthreads();  // all have read the offers
    if (threadIdx.x == 0) taken[n] = last;
  }
}

// wanted: [row] = how many of the likeliest; negative: nothing at all is wanted. token -1 answers NaN and 0.
KERNEL(256, log_probabilities)
(LogRow* rows, LogAnswer* answers, const float* logits, const int* token, const int* wanted, int vocabulary, int slice) {
  SHARED_ARRAY(float, folded, 32);
  SHARED_ARRAY(Candidate, best, 32);
  SHARED_ARRAY(Candidate, taken, MAX_TOP);
  SHARED_ARRAY(unsigned, shared, 1);
  const int count = wanted[blockIdx.y];
  if (count < 0) return;  // the whole block
  LogRow* state = rows + blockIdx.y;
  LogAnswer* answer = answers + blockIdx.y;
  const float* row = logits + (size_t)blockIdx.y * vocabulary;
  const int chosen = token[blockIdx.y];
  const float mine = chosen < 0 ? NAN : row[chosen];
  const int begin = blockIdx.x * slice, end = begin + slice < vocabulary ? begin + slice : vocabulary;
  float max = -INFINITY, sum = 0.f, atLeast = 0.f;
  if (threadIdx.x < MAX_TOP) taken[threadIdx.x] = noCandidate();
  for (int base = begin; base < end; base += PIECE) {
    Candidate piece[PIECE_EACH];
    float top = max;
#pragma unroll
    for (int j = 0; j < PIECE_EACH; j++) {
      const int i = base + j * LOG_THREADS + (int)threadIdx.x;
      piece[j] = noCandidate();
      if (i < end) { piece[j].score = row[i]; piece[j].token = i; }
      top = fmaxf(top, piece[j].score);
    }
    if (top > -INFINITY) {
      sum = max == -INFINITY ? 0.f : sum * expf(max - top);
      max = top;
#pragma unroll
      for (int j = 0; j < PIECE_EACH; j++) {
        sum += expf(piece[j].score - max);
        atLeast += piece[j].score >= mine && !isNone(piece[j]);  // exact: fewer than 2^24 tokens
      }
    }
    takeBest(piece, count, taken, best);
  }
  const float blockTop = blockMax(max, folded);
  sum = blockSum(max == -INFINITY ? 0.f : sum * expf(max - blockTop), folded);
  atLeast = blockSum(atLeast, folded);
  LogPart* part = &state->part[blockIdx.x];
  if (threadIdx.x == 0) { part->max = blockTop; part->sum = sum; part->atLeast = (int)atLeast; }
  __syncthreads();
  if ((int)threadIdx.x < count) part->top[threadIdx.x] = taken[threadIdx.x];
  if (!isLastBlock(&state->ticket, gridDim.x, shared)) return;

  max = -INFINITY;
  sum = atLeast = 0.f;
  if (threadIdx.x < gridDim.x) {
    const LogPart* p = &state->part[threadIdx.x];
    max = loadThrough(&p->max); sum = loadThrough(&p->sum); atLeast = (float)loadThrough(&p->atLeast);
  }
  const float top = blockMax(max, folded);
  sum = blockSum(max == -INFINITY ? 0.f : sum * expf(max - top), folded);
  atLeast = blockSum(atLeast, folded);
  const float logSum = logf(sum);
  if (threadIdx.x == 0) {
    answer->logProbability = mine - top - logSum;
    answer->rank = chosen < 0 ? 0 : (int)atLeast;
  }
  Candidate offered[PIECE_EACH];
  static_assert(LOG_PARTS * MAX_TOP <= PIECE, "what the parts have taken must fit one piece");
#pragma unroll
  for (int j = 0; j < PIECE_EACH; j++) {
    const int at = j * LOG_THREADS + (int)threadIdx.x, from = count ? at / count : LOG_PARTS;
    offered[j] = noCandidate();
    if (from < (int)gridDim.x) {
      const Candidate* c = &state->part[from].top[at - from * count];
      offered[j].score = loadThrough(&c->score); offered[j].token = loadThrough(&c->token);
    }
  }
  if (threadIdx.x < MAX_TOP) taken[threadIdx.x] = noCandidate();
  takeBest(offered, count, taken, best);
  __syncthreads();
  if ((int)threadIdx.x < count) {
    answer->token[threadIdx.x] = taken[threadIdx.x].token;
    answer->value[threadIdx.x] = taken[threadIdx.x].score - top - logSum;
  }
}
EMULATED(log_probabilities)
