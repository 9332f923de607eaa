// What requests say of single tokens, and what grammars allow: steps 1 and 3 of the definition at the head of
// sampling.cu.
#include "dev.cuh"

// One block per row. The rules of row r are those in [begin[2r], begin[2r + 2]), three ints each: (token, bias as
// a float, 0) up to begin[2r + 1], no token twice; from there on (token, a, b): impossible if a == b.
KERNEL(128, apply_token_rules) (float* logits, const int* begin, const int* rules, int vocabulary) {
  float* row = logits + (size_t)blockIdx.x * vocabulary;
  const int* range = begin + 2 * blockIdx.x;
  for (int i = range[0] + threadIdx.x; i < range[1]; i += blockDim.x)
    row[rules[3 * i]] += reinterpret_cast<const float*>(rules)[3 * i + 1];
  __syncthreads();  // a token that has a bias may be impossible as well
  for (int i = range[1] + threadIdx.x; i < range[2]; i += blockDim.x)
    if (rules[3 * i + 1] == rules[3 * i + 2]) row[rules[3 * i]] = -INFINITY;
}
EMULATED(apply_token_rules)

// Row r may have the tokens whose bits are set in mask maskOf[r], of ceil(vocabulary / 32) words; all if that is
// negative. x over tokens, 1024 a warp, y over rows. Logits are not read, and those that are allowed not written.
KERNEL(256, mask_tokens) (float* logits, const unsigned* masks, const int* maskOf, int vocabulary) {
  const int which = maskOf[blockIdx.y];
  if (which < 0) return;  // the whole block
  const int words = (vocabulary + 31) / 32, lane = threadIdx.x & 31;
  const int first = (int)(blockIdx.x * blockDim.x + threadIdx.x) & ~31;  // word of the warp
  const unsigned mine = first + lane < words ? masks[(size_t)which * words + first + lane] : 0xffffffffu;
  float* row = logits + (size_t)blockIdx.y * vocabulary;
#pragma unroll
  for (int w = 0; w < 32; w++) {
    const unsigned word = __shfl_sync(0xffffffffu, mine, w);
    const int token = (first + w) * 32 + lane;
    if (!(word >> lane & 1) && token < vocabulary) row[token] = -INFINITY;
  }
}
EMULATED(mask_tokens)
