// Block tables stay on the device; a step sends what changed in them.
#include "dev.cuh"

// Changes come as runs of 4 ints {row of the tables, first place in it, number of ids, where in `block` the ids
// lie}: header[2] of them, from block + header[1] on. They touch different places. Any grid: a recorded launch
// serves any number of changes.
KERNEL(128, change_tables) (int* tables, const int* block, const int* header, int maxBlocks) {
  const int* runs = block + header[1];
  const int count = header[2];
  for (int run = blockIdx.x; run < count; run += gridDim.x) {
    const int row = runs[4 * run], first = runs[4 * run + 1], length = runs[4 * run + 2];
    const int* ids = block + runs[4 * run + 3];
    int* table = tables + (size_t)row * maxBlocks + first;
    for (int i = threadIdx.x; i < length; i += blockDim.x) table[i] = ids[i];
  }
}
EMULATED(change_tables)
