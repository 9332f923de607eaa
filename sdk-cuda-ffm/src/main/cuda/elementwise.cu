// Moves and maps over rows: gather, SwiGLU, rotary embedding with the write into the KV cache.
#include "dev.cuh"

// out[r] = table[ids[r]], rows of `dim` values: embeddings, and the rows that sample. One block per row.
KERNEL(256, gather_rows) (bf16* out, const bf16* table, const int* ids, int dim) {
  const bf16* from = table + (size_t)ids[blockIdx.x] * dim;
  bf16* to = out + (size_t)blockIdx.x * dim;
  if ((dim & 7) == 0) {
    for (int i = threadIdx.x; i < dim / 8; i += blockDim.x) {
      reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(from)[i];
    }
  } else {
    for (int i = threadIdx.x; i < dim; i += blockDim.x) to[i] = from[i];
  }
}
EMULATED(gather_rows)

// out = silu(gate) * up, rows [gate | up] of 2 * hidden values; x over columns, y over rows
KERNEL(256, swiglu) (bf16* out, const bf16* gateUp, int hidden) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const size_t row = blockIdx.y;
  if (i >= hidden) return;
  const float gate = toFloat(gateUp[row * 2 * hidden + i]), up = toFloat(gateUp[row * 2 * hidden + hidden + i]);
  out[row * hidden + i] = toBf16(gate / (1.f + expf(-gate)) * up);
}
EMULATED(swiglu)

// Rotates queries and keys of a row in place (halves, as in GPT-NeoX and Hugging Face), angle =
// position * inverseFrequency[i], cosine and sine times `scale`; then keys and values of the row go to
// its slot of the cache. Caches: [block][kvHead][blockSize][headDim]; slot = block * blockSize + offset,
// negative for a row that is only padding. One block per row.
KERNEL(256, rope_kv_write)
(bf16* qkv, bf16* keyCache, bf16* valueCache, const float* inverseFrequency, const int* position, const int* slot,
 int heads, int kvHeads, int headDim, int blockSize, float scale) {
  const int half = headDim / 2, s = slot[blockIdx.x], block = s / blockSize, offset = s % blockSize;
  bf16* row = qkv + (size_t)blockIdx.x * (heads + 2 * kvHeads) * headDim;
  const float at = (float)position[blockIdx.x];
  for (int i = threadIdx.x; i < (heads + kvHeads) * half; i += blockDim.x) {
    const int head = i / half, j = i % half;
    const float angle = at * inverseFrequency[j], c = cosf(angle) * scale, sn = sinf(angle) * scale;
    const float a = toFloat(row[head * headDim + j]), b = toFloat(row[head * headDim + j + half]);
    const bf16 ra = toBf16(a * c - b * sn), rb = toBf16(b * c + a * sn);
    row[head * headDim + j] = ra;
    row[head * headDim + j + half] = rb;
    if (head >= heads && s >= 0) {
      bf16* key = keyCache + (((size_t)block * kvHeads + (head - heads)) * blockSize + offset) * headDim;
      key[j] = ra;
      key[j + half] = rb;
    }
  }
  if (s < 0) return;
  for (int i = threadIdx.x; i < kvHeads * headDim; i += blockDim.x) {
    const int head = i / headDim, j = i % headDim;
    valueCache[(((size_t)block * kvHeads + head) * blockSize + offset) * headDim + j] = row[(heads + kvHeads) * headDim + i];
  }
}
EMULATED(rope_kv_write)
