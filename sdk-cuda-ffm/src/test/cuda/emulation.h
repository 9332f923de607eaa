// The CUDA C++ that kernels may use, for g++: one fiber per CUDA thread, blocks one after another.
// Included by dev.cuh where nvcc is not the compiler; dev.cuh lists what a kernel may use.
#pragma once
#include <algorithm>
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

/** Lanes by what they do, as masks; and what they exchange, in two slots: a fast lane cannot overwrite what a slow one reads. */
struct Warp { uint32_t exists, began, canRun, atBarrier, waiting, arrived, mask, generation; uint64_t slot[2][32][4], folded[2]; };

/** Copies in the background that a thread began, each with the number of its group; `committed` groups are closed. */
struct Copy { void* to; const void* from; bool valid; unsigned group; };
struct Copies { std::vector<Copy> pending; unsigned committed; };

struct Block;
struct Fiber { void* stack; Block* block; Warp* warp; Copies* copies; Index thread; int barrier; uint16_t stackNumber; uint8_t lane; };
struct Block { Index block, threads, grid; unsigned char* dynamicShared; void* scheduler; };
extern Fiber* current;
extern bool copiesBegan;                            // by a thread of the block that runs, or of the last one

void giveTurn();                                    // until the current thread can run and its turn comes
[[noreturn]] void fail(const char* what);           // the launch fails, its threads go no further
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

inline void barrier(int site) { current->barrier = site; current->warp->atBarrier |= 1u << current->lane; giveTurn(); }

/** Whether the current lane is the last one of the mask. */
inline bool arrivesLast(Warp& warp, uint32_t mask) {
  if (!(mask >> current->lane & 1)) fail("warp operation: the calling lane is not in its mask");
  if (warp.arrived && warp.mask != mask) fail("warp operation: lanes disagree on the mask");
  warp.mask = mask;
  warp.arrived |= 1u << current->lane;
  return warp.arrived == mask;
}
inline void awaitOthers(Warp& warp) { warp.waiting |= 1u << current->lane; giveTurn(); }
inline void releaseOthers(Warp& warp) { warp.canRun |= warp.waiting; warp.waiting = warp.arrived = 0; warp.generation++; }

/** Every lane of the mask deposits a value; returns the slots once all have, and the last one has done `atLast` with them. */
template <class T, class F> uint64_t (*exchange(uint32_t mask, const T& value, F atLast))[4] {
  Warp& warp = *current->warp;
  static_assert(sizeof(T) <= sizeof(warp.slot[0][0]));
  mask &= warp.exists;
  uint64_t (*slots)[4] = warp.slot[warp.generation & 1];
  memcpy(slots[current->lane], &value, sizeof(T));
  if (arrivesLast(warp, mask)) { atLast(slots); releaseOthers(warp); } else awaitOthers(warp);
  return slots;
}
template <class T> uint64_t (*exchange(uint32_t mask, const T& value))[4] { return exchange(mask, value, [](uint64_t (*)[4]) {}); }
template <class T> T shuffle(uint32_t mask, T value, unsigned source) {
  uint64_t (*slots)[4] = exchange(mask, value);
  T result; memcpy(&result, slots[source & 31], sizeof(T));
  return result;
}
/** One value for all lanes of the warp, of what the 32 give: a missing one gives what lane 0 does. */
template <class T, class F> T foldAll(const T& value, F fold) {
  Warp& warp = *current->warp;
  uint64_t* result = &warp.folded[warp.generation & 1];
  exchange(warp.exists, value, [&](uint64_t (*slots)[4]) {
    T of[32];
    for (int i = 0; i < 32; i++) memcpy(&of[i], slots[warp.exists >> i & 1 ? i : 0], sizeof(T));
    const T folded = fold(of);
    memcpy(result, &folded, sizeof(T));
  });
  T folded; memcpy(&folded, result, sizeof(T));
  return folded;
}
/** A butterfly of the whole warp as one exchange, folded in the butterfly's order. */
template <class F> float reduce(float value, F fold) {
  return foldAll(value, [=](float* of) {
    for (int o = 16; o; o >>= 1) for (int i = 0; i < o; i++) of[i] = fold(of[i], of[i + o]);
    return of[0];
  });
}
/** Until a copy is waited for, its place holds NaN, whatever was there; it happens at the wait, and not before. */
inline void beginCopy(void* to, const void* from, bool valid) {
  if (((uintptr_t)to | (uintptr_t)from) & 15) fail("cp.async: both addresses must be aligned to 16 bytes");
  Copies& copies = *current->copies;
  copiesBegan = true;
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

namespace emulation {
/** A row of the eight columns of a product of fragments. */
typedef float Columns __attribute__((vector_size(32)));
/** What a lane gives to a product of fragments, and where its four results are, which it adds to. */
struct Fragments { unsigned a[4], b[2]; float* d; };

/** d += a * b for the whole warp: each lane holds its part of the three matrices by the fragment layouts of the PTX manual. */
template <int TERMS, class Term> void addProduct(uint64_t (*slots)[4], Term term) {
  constexpr int OF_A_WORD = TERMS / 8;  // a word of a lane: so many terms of a row of a, or of a column of b
  const auto of = [&](int lane) -> const Fragments& { return *reinterpret_cast<const Fragments*>(slots[lane]); };
  Columns b[TERMS], d[16];
  float a[16][TERMS];
  for (int lane = 0; lane < 32; lane++) for (int half = 0; half < 2; half++) for (int i = 0; i < OF_A_WORD; i++) {
    const int k = (half * 4 + (lane & 3)) * OF_A_WORD + i;
    b[k][lane >> 2] = term(of(lane).b[half], i);
    for (int lower = 0; lower < 2; lower++) a[lane / 4 + 8 * lower][k] = term(of(lane).a[half * 2 + lower], i);
  }
  for (int lane = 0; lane < 32; lane++) for (int i = 0; i < 4; i++) d[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2] = of(lane).d[i];
  for (int row = 0; row < 16; row++) for (int k = 0; k < TERMS; k += 2) d[row] += a[row][k] * b[k] + a[row][k + 1] * b[k + 1];
  for (int lane = 0; lane < 32; lane++) for (int i = 0; i < 4; i++) of(lane).d[i] = d[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2];
}
template <int TERMS, class Term> void addProduct(float* d, const unsigned* a, const unsigned* b, Term term) {
  const Fragments mine = {{a[0], a[1], a[2], a[3]}, {b[0], b[1]}, d};
  exchange(0xffffffffu, mine, [=](uint64_t (*slots)[4]) { addProduct<TERMS>(slots, term); });
}
}  // namespace emulation

// m16n8k16
inline void mma16816(float* d, const unsigned* a, const unsigned* b) {
  emulation::addProduct<16>(d, a, b, [](unsigned word, int i) { return toFloat((bf16)(word >> 16 * i)); });
}
inline void mma16816Start(float* d, const unsigned* a, const unsigned* b) { d[0] = d[1] = d[2] = d[3] = 0.f; mma16816(d, a, b); }
// four 8x8 matrices; lanes 8i..8i+7 give the addresses of the rows of matrix i
inline void loadMatrices(unsigned* r, const bf16* row, bool transposed) {
  if ((uintptr_t)row & 15) emulation::fail("ldmatrix: a row must be aligned to 16 bytes");
  struct Row { const bf16* values; unsigned* results; };
  emulation::exchange(0xffffffffu, Row{row, r}, [=](uint64_t (*slots)[4]) {
    const auto of = [&](int lane) -> const Row& { return *reinterpret_cast<const Row*>(slots[lane]); };
    for (int lane = 0; lane < 32; lane++) for (int m = 0; m < 4; m++) {
      const int i = lane >> 2, j = (lane & 3) * 2;
      const auto at = [&](int rr, int cc) { return (unsigned)of(m * 8 + rr).values[cc]; };
      of(lane).results[m] = transposed ? at(j, i) | at(j + 1, i) << 16 : at(i, j) | at(i, j + 1) << 16;
    }
  });
}
inline void loadMatrices4(unsigned* r, const bf16* row) { loadMatrices(r, row, false); }
inline void loadMatrices4Transposed(unsigned* r, const bf16* row) { loadMatrices(r, row, true); }

inline void copyAsync16OrZero(void* to, const void* from, bool valid) { emulation::beginCopy(to, from, valid); }
inline void copyAsync16(void* to, const void* from) { emulation::beginCopy(to, from, true); }
inline void commitCopies() { emulation::copiesBegan = true; emulation::current->copies->committed++; }
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
  return emulation::foldAll(b, [](const bool* of) { return std::any_of(of, of + 32, [](bool any) { return any; }); });
}
inline float exp2Fast(float x) { return exp2f(x); }
