// Fibers: one per CUDA thread, switched only where the thread waits for others. So a data race between
// two waits shows as a wrong value in one of the orders, and a wait that nobody answers as a deadlock.
#include "fibers.h"
#include <signal.h>
#include <sys/mman.h>
#include <map>
#include <vector>

extern "C" void headway_switch_fiber(void** saved, void* next);
#if defined(__x86_64__)
asm(R"(.text
.globl headway_switch_fiber
.hidden headway_switch_fiber
.type headway_switch_fiber,@function
headway_switch_fiber:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp,(%rdi)
  movq %rsi,%rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size headway_switch_fiber,.-headway_switch_fiber
)");
static void* initialStack(char* top, void (*start)()) {
  void** sp = reinterpret_cast<void**>(top) - 1;
  *sp = nullptr;                        // a return address that nobody returns to keeps the alignment
  *--sp = reinterpret_cast<void*>(start);
  return sp - 6;
}
#elif defined(__aarch64__)
asm(R"(.text
.globl headway_switch_fiber
.hidden headway_switch_fiber
.type headway_switch_fiber,%function
headway_switch_fiber:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size headway_switch_fiber,.-headway_switch_fiber
)");
static void* initialStack(char* top, void (*start)()) {
  void** sp = reinterpret_cast<void**>(top) - 20;
  sp[10] = nullptr;                     // x29
  sp[11] = reinterpret_cast<void*>(start);  // x30
  return sp;
}
#else
#error "the fiber switch is written for x86-64 and aarch64"
#endif

namespace emulation {
Fiber* current;

namespace {
constexpr size_t STACK = (32 << 10) + 192;  // an odd number of cache lines: stacks must not share cache sets
int order;
uint64_t random;
std::string lastFailure;
const Entry* running;
void** arguments;
__attribute__((tls_model("initial-exec"))) thread_local bool inKernel;  // between two switches of the scheduler
std::map<std::string, Entry>& kernels() { static std::map<std::string, Entry> table; return table; }

/** Shared memory of a block: ends at a guard page, begins as NaN. */
struct SharedMemory {
  unsigned char* bytes; size_t capacity;
  explicit SharedMemory(size_t size) : capacity((size + 4095) & ~(size_t)4095) {
    bytes = (unsigned char*)mmap(nullptr, capacity + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(bytes + capacity, 4096, PROT_NONE);
  }
};
struct Machine {
  char* stacks; SharedMemory dynamicShared{MAX_DYNAMIC_SHARED}, staticShared{MAX_STATIC_SHARED};
  std::vector<Fiber> fibers; std::vector<Warp> warps; std::vector<Copies> copies{MAX_THREADS}; std::map<int, size_t> sites; size_t used = 0;
  Machine() : fibers(MAX_THREADS), warps(MAX_THREADS / 32) {
    stacks = (char*)mmap(nullptr, STACK * MAX_THREADS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
};
Machine& machine() { static Machine* m = new Machine; return *m; }

void start() {
  running->call(running->kernel, arguments);
  if (!current->copies->pending.empty()) fail("cp.async: a copy that nobody waited for");
  current->state = DONE;
  yieldToScheduler();
}
unsigned next(unsigned bound) {
  random ^= random << 13; random ^= random >> 7; random ^= random << 17;
  return (unsigned)(random % bound);
}
void arrange(std::vector<unsigned>& turns, unsigned n) {
  turns.resize(n);
  for (unsigned i = 0; i < n; i++) turns[i] = order == 1 ? n - 1 - i : i;
  if (order > 1) for (unsigned i = n - 1; i > 0; i--) std::swap(turns[i], turns[next(i + 1)]);
}
bool canRun(const Fiber& f) { return f.state == READY || (f.state == AT_WARP && f.warp->generation != f.waitsFor); }

/** Runs the lanes of a warp until all of them wait for the block or for nobody. */
bool runWarp(Block& block, unsigned first, unsigned lanes, std::vector<unsigned>& turns) {
  Machine& m = machine();
  bool moved = false, again = true;
  while (again) {
    again = false;
    arrange(turns, lanes);
    for (unsigned t : turns) {
      Fiber& f = m.fibers[first + t];
      if (!canRun(f)) continue;
      f.state = READY; current = &f;
      inKernel = true;
      headway_switch_fiber(&block.scheduler, f.stack);
      inKernel = false;
      if (block.abandoned) return true;
      moved = again = true;
    }
  }
  return moved;
}
/** All threads left wait at a barrier, the same one: lets them go. */
bool releaseBarrier(unsigned threads) {
  Machine& m = machine();
  int site = -1;
  for (unsigned i = 0; i < threads; i++) {
    const Fiber& f = m.fibers[i];
    if (f.state == DONE) continue;
    if (f.state != AT_BARRIER) { lastFailure = "deadlock: threads wait at different places: some at the barrier, some for lanes of their warp"; return false; }
    if (site >= 0 && site != f.barrier) {
      lastFailure = "deadlock: threads wait at different barriers: lines " + std::to_string(site) + " and " + std::to_string(f.barrier);
      return false;
    }
    site = f.barrier;
  }
  for (unsigned i = 0; i < threads; i++) if (m.fibers[i].state == AT_BARRIER) m.fibers[i].state = READY;
  return true;
}
bool allDone(unsigned threads) {
  for (unsigned i = 0; i < threads; i++) if (machine().fibers[i].state != DONE) return false;
  return true;
}
void prepare(Block& block, unsigned threads) {
  Machine& m = machine();
  for (unsigned w = 0; w * 32 < threads; w++) {
    const unsigned lanes = threads - w * 32 < 32 ? threads - w * 32 : 32;
    m.warps[w].exists = lanes == 32 ? ~0u : (1u << lanes) - 1;
    m.warps[w].arrived = 0; m.warps[w].generation = 0;
  }
  const Index n = block.threads;
  for (unsigned i = 0; i < threads; i++) {
    m.copies[i].pending.clear();
    m.copies[i].committed = 0;
    m.fibers[i] = {initialStack(m.stacks + ((STACK * (i + 1)) & ~(size_t)15), start), &block, &m.warps[i / 32], 0, 0,
                   (uint8_t)(i & 31), READY, {i % n.x, i / n.x % n.y, i / (n.x * n.y)}, &m.copies[i]};
  }
}
}  // namespace

Registration::Registration(const char* name, Entry entry) { entry.name = name; kernels()[name] = entry; }
const Entry* findKernel(const std::string& name) { auto i = kernels().find(name); return i == kernels().end() ? nullptr : &i->second; }
const std::string& failure() { return lastFailure; }
void setOrder(int o) { order = o; random = 88172645463325252ull + (uint64_t)o * 7919; }
void orderBlocks(std::vector<unsigned>& turns, unsigned n) { arrange(turns, n); }
void yieldToScheduler() { Fiber* f = current; headway_switch_fiber(&f->stack, f->block->scheduler); }

void fail(const char* what) {
  lastFailure = what;
  current->block->abandoned = true;
  yieldToScheduler();
  __builtin_unreachable();
}
void* sharedArray(int site, size_t bytes) {
  Machine& m = machine();
  auto known = m.sites.find(site);
  if (known == m.sites.end()) {
    const size_t begin = m.used;
    m.used += (bytes + 15) & ~(size_t)15;
    if (m.used > MAX_STATIC_SHARED) fail("static shared memory: more than 48 KiB");
    known = m.sites.emplace(site, begin).first;
  }
  return m.staticShared.bytes + m.staticShared.capacity - MAX_STATIC_SHARED + known->second;
}

/**
 * A fault of a kernel fails its launch as a device does; any other goes to whoever handled faults before: the JVM
 * has faults of its own. The handler leaves by the fiber switch, on the fiber's stack.
 */
struct Faults {
  struct sigaction before;
  static Faults& instance() { static Faults* faults = new Faults; return *faults; }
  static void handle(int signal, siginfo_t* info, void* context) {
    if (inKernel) fail(ILLEGAL_ADDRESS);
    const struct sigaction& next = instance().before;
    if (next.sa_flags & SA_SIGINFO) next.sa_sigaction(signal, info, context);
    else { sigaction(signal, &next, nullptr); raise(signal); }
  }
  Faults() {
    sigaction(SIGSEGV, nullptr, &before);
    struct sigaction mine = {};
    mine.sa_sigaction = handle;
    mine.sa_flags = before.sa_flags | SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &mine, nullptr);
  }
};

bool runBlock(const Entry& entry, void** parameters, Index index, Index threads, Index grid, unsigned sharedBytes) {
  Machine& m = machine();
  running = &entry; arguments = parameters;
  Faults::instance();
  unsigned char* dynamicShared = m.dynamicShared.bytes + m.dynamicShared.capacity - ((sharedBytes + 15) & ~15u);
  memset(dynamicShared, 0xff, sharedBytes);
  memset(m.staticShared.bytes, 0xff, m.staticShared.capacity);
  m.sites.clear(); m.used = 0;
  Block block{index, threads, grid, dynamicShared, nullptr, false};
  const unsigned n = threads.x * threads.y * threads.z, warps = (n + 31) / 32;
  prepare(block, n);
  std::vector<unsigned> warpTurns, laneTurns;
  while (!allDone(n)) {
    arrange(warpTurns, warps);
    for (unsigned w : warpTurns) {
      runWarp(block, w * 32, n - w * 32 < 32 ? n - w * 32 : 32, laneTurns);
      if (block.abandoned) return false;
    }
    if (!allDone(n) && !releaseBarrier(n)) return false;
  }
  return true;
}
}  // namespace emulation
