// The CUDA C++ that kernels may use, for g++: one fiber per CUDA thread, blocks one after another.
// Included by dev.cuh where nvcc is not the compiler; dev.cuh lists what a kernel may use.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

// What tests set on the fake libraries and ask of them: hidden where they are to look like real ones.
#ifdef HEADWAY_LIKE_A_REAL_DRIVER
#define TEST_API extern "C" int
#else
#define TEST_API extern "C" __attribute__((visibility("default"))) int
#endif

#define __global__
#define __device__
#define __host__
#undef __forceinline__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict

struct uint4 { unsigned x, y, z, w; } __attribute__((aligned(16)));
struct uint2 { unsigned x, y; } __attribute__((aligned(8)));
struct float2 { float x, y; } __attribute__((aligned(8)));
struct float4 { float x, y, z, w; } __attribute__((aligned(16)));

namespace emulation {

struct Index { unsigned x, y, z; };
enum State : uint8_t { READY, AT_BARRIER, AT_WARP, DONE };

/** What lanes of a warp exchange; two slots, so that a fast lane cannot overwrite what a slow one reads. */
struct Warp { uint32_t exists, arrived, mask, generation; uint64_t slot[2][32][4]; float folded[2]; };

/** Copies in the background that a thread began, each with the number of its group; `committed` groups are closed. */
struct Copy { void* to; const void* from; bool valid; unsigned group; };
struct Copies { std::vector<Copy> pending; unsigned committed; };

struct Block;
struct Fiber { void* stack; Block* block; Warp* warp; uint32_t waitsFor; int barrier; uint8_t lane; State state; Index thread; Copies* copies; };
struct Block { Index block, threads, grid; unsigned char* dynamicShared; void* scheduler; bool abandoned; };
extern Fiber* current;

void yieldToScheduler();
[[noreturn]] void fail(const char* what);           // the launch fails, the block is abandoned
void* sharedArray(int site, size_t bytes);          // the same memory for all threads of a block

/** How the driver calls a kernel: parameters by address, as cuLaunchKernel gets them. */
struct Entry { const char* name; void (*call)(void*, void**); void* kernel; int parameters; const int* sizes; };
struct Registration { Registration(const char* name, Entry entry); };

template <class F> struct Signature;
template <class... A> struct Signature<void (*)(A...)> {
  static inline const int sizes[sizeof...(A) + 1] = {(int)sizeof(A)..., 0};
  template <size_t... I> static void spread(void (*f)(A...), void** p, std::index_sequence<I...>) { f(*static_cast<A*>(p[I])...); }
  static void call(void* f, void** p) { spread(reinterpret_cast<void (*)(A...)>(f), p, std::make_index_sequence<sizeof...(A)>{}); }
  static Entry entry(void (*f)(A...)) { return {nullptr, &call, reinterpret_cast<void*>(f), (int)sizeof...(A), sizes}; }
};
template <class F> Entry entryOf(F f) { return Signature<F>::entry(f); }

inline void barrier(int site) { current->barrier = site; current->state = AT_BARRIER; yieldToScheduler(); }

inline uint32_t arrive(Warp& warp, uint32_t mask) {
  if (!(mask >> current->lane & 1)) fail("warp operation: the calling lane is not in its mask");
  if (warp.arrived && warp.mask != mask) fail("warp operation: lanes disagree on the mask");
  warp.mask = mask;
  warp.arrived |= 1u << current->lane;
  return warp.generation;
}
inline void awaitOthers(uint32_t generation) { current->waitsFor = generation; current->state = AT_WARP; yieldToScheduler(); }

/** Every lane of the mask deposits a value; returns the slots once all have. */
template <class T> uint64_t (*exchange(uint32_t mask, const T& value))[4] {
  Warp& warp = *current->warp;
  static_assert(sizeof(T) <= sizeof(warp.slot[0][0]));
  mask &= warp.exists;
  uint64_t (*slots)[4] = warp.slot[warp.generation & 1];
  memcpy(slots[current->lane], &value, sizeof(T));
  const uint32_t generation = arrive(warp, mask);
  if (warp.arrived == mask) { warp.arrived = 0; warp.generation = generation + 1; } else awaitOthers(generation);
  return slots;
}
template <class T> T shuffle(uint32_t mask, T value, unsigned source) {
  uint64_t (*slots)[4] = exchange(mask, value);
  T result; memcpy(&result, slots[source & 31], sizeof(T));
  return result;
}
/** A butterfly of the whole warp as one exchange, folded by the last lane in the butterfly's order. */
template <class F> float reduce(float value, F fold) {
  Warp& warp = *current->warp;
  const uint32_t slot = warp.generation & 1;
  memcpy(warp.slot[slot][current->lane], &value, 4);
  const uint32_t generation = arrive(warp, warp.exists);
  if (warp.arrived == warp.exists) {
    float t[32];
    for (int i = 0; i < 32; i++) memcpy(&t[i], warp.slot[slot][warp.exists >> i & 1 ? i : 0], 4);
    for (int o = 16; o; o >>= 1) for (int i = 0; i < o; i++) t[i] = fold(t[i], t[i + o]);
    warp.folded[slot] = t[0]; warp.arrived = 0; warp.generation = generation + 1;
  } else awaitOthers(generation);
  return warp.folded[slot];
}
/** Until a copy is waited for, its place holds NaN, whatever was there; it happens at the wait, and not before. */
inline void beginCopy(void* to, const void* from, bool valid) {
  if (((uintptr_t)to | (uintptr_t)from) & 15) fail("cp.async: both addresses must be aligned to 16 bytes");
  Copies& copies = *current->copies;
  memset(to, 0xff, 16);
  copies.pending.push_back({to, from, valid, copies.committed});
}
inline void finishCopies(unsigned newest) {
  Copies& copies = *current->copies;
  size_t done = 0;
  for (; done < copies.pending.size() && copies.pending[done].group + newest < copies.committed; done++) {
    const Copy& c = copies.pending[done];
    if (c.valid) memcpy(c.to, c.from, 16); else memset(c.to, 0, 16);
  }
  copies.pending.erase(copies.pending.begin(), copies.pending.begin() + done);
}
inline uint4 load16(const void* p) {
  if ((uintptr_t)p & 15) fail("a load of 16 bytes must be aligned to 16 bytes");
  return *static_cast<const uint4*>(p);
}
}  // namespace emulation

#define threadIdx (emulation::current->thread)
#define blockIdx (emulation::current->block->block)
#define blockDim (emulation::current->block->threads)
#define gridDim (emulation::current->block->grid)

#ifdef HEADWAY_WITHOUT_BARRIERS  // no_barriers.cpp: the kernels as a careless author leaves them
#define __syncthreads() ((void)0)
#define EMULATED(name) static const emulation::Registration registration_##name("without_barriers_" #name, emulation::entryOf(&name));
#elif defined(HEADWAY_WAITING_LESS)  // waiting_less.cpp
#define __syncthreads() emulation::barrier(__LINE__)
#define EMULATED(name) static const emulation::Registration registration_##name("waiting_less_" #name, emulation::entryOf(&name));
#else
#define __syncthreads() emulation::barrier(__LINE__)
#define EMULATED(name) static const emulation::Registration registration_##name(#name, emulation::entryOf(&name));
#endif
inline void __syncwarp(uint32_t mask = 0xffffffffu) { emulation::exchange(mask, 0); }
template <class T> T __shfl_sync(uint32_t mask, T v, int source) { return emulation::shuffle(mask, v, source); }
template <class T> T __shfl_xor_sync(uint32_t mask, T v, int x) { return emulation::shuffle(mask, v, emulation::current->lane ^ x); }
inline float rsqrtf(float x) { return 1.f / sqrtf(x); }
// fibers switch only where a kernel waits, so these are atomic by themselves
template <class T> T atomicAdd(T* p, T v) { T old = *p; *p = old + v; return old; }
template <class T> T atomicOr(T* p, T v) { T old = *p; *p = old | v; return old; }

#define KERNEL(maxThreads, name) static void name
#define KERNEL_OF(maxThreads, blocksPerSm, name) static void name
#define SHARED_ARRAY(T, name, n) T* name = static_cast<T*>(emulation::sharedArray(__COUNTER__, sizeof(T) * (n)))
#define DYNAMIC_SHARED(T, name) T* name = reinterpret_cast<T*>(emulation::current->block->dynamicShared)

typedef uint16_t bf16;
inline float toFloat(bf16 v) { uint32_t u = (uint32_t)v << 16; float f; memcpy(&f, &u, 4); return f; }
inline bf16 toBf16(float f) {
  uint32_t u; memcpy(&u, &f, 4);
  if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fff;  // cvt.rn.bf16.f32 gives the canonical NaN
  return (bf16)((u + 0x7fffu + ((u >> 16) & 1)) >> 16);
}
inline unsigned pack2(float low, float high) { return (unsigned)toBf16(low) | (unsigned)toBf16(high) << 16; }
inline unsigned mulPair(unsigned a, unsigned b) {
  return pack2(toFloat((bf16)a) * toFloat((bf16)b), toFloat((bf16)(a >> 16)) * toFloat((bf16)(b >> 16)));
}
inline unsigned pickBytes(unsigned low, unsigned high, unsigned which) {
  const uint64_t bytes = (uint64_t)high << 32 | low;
  unsigned r = 0;
  for (int i = 0; i < 4; i++) r |= (unsigned)(bytes >> (which >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return r;
}
inline unsigned floatBits(float f) { unsigned u; memcpy(&u, &f, 4); return u; }
inline unsigned mulHigh(unsigned a, unsigned b) { return (unsigned)(((uint64_t)a * b) >> 32); }
inline float warpSum(float v) { return emulation::reduce(v, [](float a, float b) { return a + b; }); }
inline float warpMax(float v) { return emulation::reduce(v, [](float a, float b) { return fmaxf(a, b); }); }

// m16n8k16 with the fragment layout of the PTX manual, gathered through the warp
inline void mma16816(float* d, const unsigned* a, const unsigned* b) {
  struct Fragments { unsigned a[4], b[2]; } mine = {{a[0], a[1], a[2], a[3]}, {b[0], b[1]}};
  uint64_t (*slots)[4] = emulation::exchange(0xffffffffu, mine);
  const int row = emulation::current->lane >> 2, column = (emulation::current->lane & 3) * 2;
  for (int half = 0; half < 2; half++) for (int pair = 0; pair < 4; pair++) {  // k = half * 8 + pair * 2 + {0, 1}
    const Fragments* fa = (const Fragments*)slots[row * 4 + pair];
    const unsigned upper = fa->a[half * 2], lower = fa->a[half * 2 + 1];
    for (int e = 0; e < 2; e++) {
      const unsigned w = ((const Fragments*)slots[(column + e) * 4 + pair])->b[half];
      const float w0 = toFloat((bf16)w), w1 = toFloat((bf16)(w >> 16));
      d[e] += toFloat((bf16)upper) * w0 + toFloat((bf16)(upper >> 16)) * w1;
      d[e + 2] += toFloat((bf16)lower) * w0 + toFloat((bf16)(lower >> 16)) * w1;
    }
  }
}
inline void mma16816Start(float* d, const unsigned* a, const unsigned* b) { d[0] = d[1] = d[2] = d[3] = 0.f; mma16816(d, a, b); }
// four 8x8 matrices; lanes 8i..8i+7 give the addresses of the rows of matrix i
inline void loadMatrices(unsigned* r, const bf16* row, bool transposed) {
  if ((uintptr_t)row & 15) emulation::fail("ldmatrix: a row must be aligned to 16 bytes");
  uint64_t (*slots)[4] = emulation::exchange(0xffffffffu, row);
  const int lane = emulation::current->lane, i = lane >> 2, j = (lane & 3) * 2;
  for (int m = 0; m < 4; m++) {
    auto at = [&](int rr, int cc) { return (unsigned)((const bf16*)slots[m * 8 + rr][0])[cc]; };
    r[m] = transposed ? at(j, i) | at(j + 1, i) << 16 : at(i, j) | at(i, j + 1) << 16;
  }
  __syncwarp();  // nobody overwrites the rows before all lanes have read them
}
inline void loadMatrices4(unsigned* r, const bf16* row) { loadMatrices(r, row, false); }
inline void loadMatrices4Transposed(unsigned* r, const bf16* row) { loadMatrices(r, row, true); }

inline void copyAsync16OrZero(void* to, const void* from, bool valid) { emulation::beginCopy(to, from, valid); }
inline void copyAsync16(void* to, const void* from) { emulation::beginCopy(to, from, true); }
inline void commitCopies() { emulation::current->copies->committed++; }
#ifdef HEADWAY_WAITING_LESS
template <int N> static inline void waitCopies() { emulation::finishCopies(N + 1); }
#else
template <int N> static inline void waitCopies() { emulation::finishCopies(N); }
#endif
inline uint4 loadStream(const void* p) { return emulation::load16(p); }
inline uint4 loadConstant(const void* p) { return emulation::load16(p); }
template <class T> inline T loadThrough(const T* p) { return *p; }
inline void fenceDevice() {}
inline bool anyLane(bool b) {
  uint64_t (*slots)[4] = emulation::exchange(0xffffffffu, (uint64_t)b);
  bool any = false;
  for (int i = 0; i < 32; i++) any |= emulation::current->warp->exists >> i & 1 && slots[i][0] != 0;
  return any;
}
inline float exp2Fast(float x) { return exp2f(x); }
