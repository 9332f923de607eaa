// What the attention kernels share. A query row t belongs to sequence row sequence[t] of the block table
// and sees the keys 0..position[t]; position[t] < 0 marks a row of padding, whose output is zero.
//   qkv     [rows][heads + 2 * kvHeads][headDim]   queries first
//   caches  [block][kvHead][blockSize][headDim]
//   table   [sequence][maxBlocks], block numbers
//   out     [rows][heads][headDim]
#pragma once
#include "dev.cuh"

constexpr float LOG2_E = 1.44269504f;

static __device__ __forceinline__ size_t cacheRow(const int* table, int key, int kvHead, int kvHeads, int headDim, int blockSize) {
  return (((size_t)table[key / blockSize] * kvHeads + kvHead) * blockSize + key % blockSize) * headDim;
}
// 2^(x - max), and 0 where everything is -infinity
static __device__ __forceinline__ float weightOf(float x, float max) { return x == -INFINITY ? 0.f : exp2f(x - max); }
