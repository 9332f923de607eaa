// What a step needs around the choice of its tokens.
#include "candidates.cuh"

// The first logit of each row that is no finite number: its token and its value; token -1 if all are.
// One block per row. For rows whose logits are changed before they are sampled; sample_survey does it for the
// others.
KERNEL(1024, first_not_finite) (int* token, float* value, const float* logits, int vocabulary) {
  SHARED_ARRAY(Candidate, shared, 32);
  const float* row = logits + (size_t)blockIdx.x * vocabulary;
  Candidate first = noCandidate();
#pragma unroll 4
  for (int i = threadIdx.x; i < vocabulary; i += blockDim.x) {
    Candidate c = {1.f, i};
    if ((floatBits(row[i]) & 0x7f800000u) == 0x7f800000u) first = better(first, c);
  }
  first = blockBest(first, shared);
  if (threadIdx.x == 0) {
    token[blockIdx.x] = isNone(first) ? -1 : first.token;
    value[blockIdx.x] = isNone(first) ? 0.f : row[first.token];
  }
}
EMULATED(first_not_finite)

// target[to[i]] = sampled[from[i]]: tokens of the step before that the host has not seen yet. Entries
// with from < 0 are padding; a row without a token (-1) goes on as token 0, since its request fails.
KERNEL(256, carry_tokens) (int* target, const int* sampled, const int* from, const int* to, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count || from[i] < 0) return;
  const int token = sampled[from[i]];
  target[to[i]] = token < 0 ? 0 : token;
}
EMULATED(carry_tokens)
