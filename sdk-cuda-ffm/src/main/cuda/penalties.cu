// Penalties: step 2 of the definition at the head of sampling.cu.
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
