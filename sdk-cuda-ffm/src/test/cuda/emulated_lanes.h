// lanes.cuh for g++.
#pragma once
#include <numeric>

inline unsigned lanesWith(bool b) {
  uint64_t (*slots)[4] = emulation::exchange(0xffffffffu, (uint64_t)b);
  unsigned r = 0;
  for (int i = 0; i < 32; i++) r |= (unsigned)(slots[i][0] != 0) << i;
  return r;
}
template <class F> unsigned foldLanes(unsigned v, F f) {
  return emulation::foldAll(v, [=](const unsigned* of) { return std::accumulate(of + 1, of + 32, of[0], f); });
}
inline unsigned warpAddOf(unsigned v) { return foldLanes(v, [](unsigned a, unsigned b) { return a + b; }); }
inline unsigned warpMaxOf(unsigned v) { return foldLanes(v, [](unsigned a, unsigned b) { return a > b ? a : b; }); }
inline unsigned warpMinOf(unsigned v) { return foldLanes(v, [](unsigned a, unsigned b) { return a < b ? a : b; }); }
inline int lowestBit(unsigned v) { return __builtin_ffs((int)v) - 1; }
inline int bitCount(unsigned v) { return __builtin_popcount(v); }
inline float floatOf(unsigned bits) { float f; memcpy(&f, &bits, 4); return f; }
inline float fastExp(float x) { return expf(x); }
