// Fibers: one per CUDA thread, switched only where the thread waits for others. So a data race between
// two waits shows as a wrong value in one of the orders, and a wait that nobody answers as a deadlock.
#include "fibers.h"
#include <signal.h>
#include <sys/mman.h>
#include <algorithm>
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
bool copiesBegan;

namespace {
constexpr size_t STACK = (32 << 10) + 192;  // an odd number of cache lines: stacks must not share cache sets
constexpr size_t BEYOND_ARRAYS = 1 << 10;   // what a block may have written behind its arrays, cleared for the next one
constexpr unsigned ORDERS = 64;
int order;
uint64_t random;
uint8_t laneOrders[ORDERS][32];
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
/** Where the array of a SHARED_ARRAY begins, in the block of this number. */
struct Site { unsigned block; size_t begin; };
struct Machine {
  char* stacks; SharedMemory dynamicShared{MAX_DYNAMIC_SHARED}, staticShared{MAX_STATIC_SHARED};
  Block block{}; std::vector<Fiber> fibers; std::vector<Warp> warps; std::vector<Copies> copies{MAX_THREADS};
  uint16_t freeStacks[MAX_THREADS]; unsigned freeStackCount = 0;
  std::vector<Site> sites; unsigned blocks = 0; size_t used = MAX_STATIC_SHARED;
  Machine() : fibers(MAX_THREADS), warps(MAX_THREADS / 32) {
    for (unsigned i = 0; i < MAX_THREADS; i++) fibers[i] = {nullptr, &block, &warps[i / 32], &copies[i], {0, 0, 0}, 0, 0, (uint8_t)(i & 31)};
    stacks = (char*)mmap(nullptr, STACK * MAX_THREADS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    madvise(stacks, STACK * MAX_THREADS, MADV_HUGEPAGE);  // a block's threads would need more pages than a TLB has
  }
};
Machine& machine = *new Machine;

unsigned next(unsigned bound) {
  random ^= random << 13; random ^= random >> 7; random ^= random << 17;
  return (unsigned)((random >> 32) * bound >> 32);
}
template <class T> void arrange(T* turns, unsigned n) {
  for (unsigned i = 0; i < n; i++) turns[i] = (T)(order == 1 ? n - 1 - i : i);
  if (order > 1) for (unsigned i = n - 1; i > 0; i--) std::swap(turns[i], turns[next(i + 1)]);
}

/**
 * Whose turn is next. A thread that waits gives its turn to another one itself: a switch by way of a scheduler would
 * be two, and leave to an address that the processor does not foresee.
 */
struct Turns {
  unsigned threads, warps, warp, warpOrder[MAX_THREADS / 32], taken, count;
  Fiber* pass[32];
  Turns() { setOrder(order); }

  void begin(unsigned n) {
    threads = n; warps = (n + 31) / 32;
    arrange(warpOrder, warps);
    warp = taken = count = 0;
  }
  /** The thread whose turn it is; null if all are done, or none can ever run: then there is a failure. */
  Fiber* take() { return taken < count ? pass[taken++] : takeOfNextPass(); }

  /** The lanes of a warp that can run get their turns, in an order of their own; then those that can run by then. */
  Fiber* takeOfNextPass() {
    while (!machine.warps[warpOrder[warp]].canRun) {
      if (++warp < warps) continue;
      if (!releaseBarrier()) return nullptr;
      arrange(warpOrder, warps);
      warp = 0;
    }
    Warp& w = machine.warps[warpOrder[warp]];
    const uint8_t* lanes = laneOrders[order > 1 ? next(ORDERS) : 0];
    const unsigned flip = order > 1 ? next(32) : 0;
    count = 0;
    for (unsigned i = 0; i < 32; i++) {
      const unsigned lane = lanes[i] ^ flip;
      pass[count] = &machine.fibers[warpOrder[warp] * 32 + lane];
      count += w.canRun >> lane & 1;
    }
    w.canRun = 0;
    taken = 1;
    return pass[0];
  }
  /** Where all threads left wait at a barrier, the same one: lets them go. False if nobody waits, or they wait for more. */
  bool releaseBarrier() {
    uint32_t atBarrier = 0, waiting = 0;
    for (unsigned w = 0; w < warps; w++) { atBarrier |= machine.warps[w].atBarrier; waiting |= machine.warps[w].waiting; }
    if (waiting) {
      lastFailure = atBarrier ? "deadlock: threads wait at different places: some at the barrier, some for lanes of their warp"
                              : "deadlock: threads wait for lanes of their warp that are done";
      return false;
    }
    int site = -1;
    for (unsigned i = 0; i < threads && atBarrier; i++) {
      const Fiber& f = machine.fibers[i];
      if (!(f.warp->atBarrier >> f.lane & 1)) continue;
      if (site >= 0 && site != f.barrier) {
        lastFailure = "deadlock: threads wait at different barriers: lines " + std::to_string(site) + " and " + std::to_string(f.barrier);
        return false;
      }
      site = f.barrier;
    }
    for (unsigned w = 0; w < warps; w++) { machine.warps[w].canRun = machine.warps[w].atBarrier; machine.warps[w].atBarrier = 0; }
    return atBarrier;
  }
};
Turns& turns = *new Turns;

[[noreturn]] void leave() {
  headway_switch_fiber(&current->stack, current->block->scheduler);
  __builtin_unreachable();
}
bool begins(Fiber& fiber) {
  const uint32_t lane = 1u << fiber.lane;
  const bool first = !(fiber.warp->began & lane);
  fiber.warp->began |= lane;
  return first;
}
void start();
/** Saves where a thread is, or the scheduler, and goes on with another one; one that begins gets a stack. */
void switchTo(void** saved, Fiber* to) {
  if (begins(*to)) {
    to->stackNumber = machine.freeStacks[--machine.freeStackCount];
    to->stack = initialStack(machine.stacks + ((STACK * (to->stackNumber + 1)) & ~(size_t)15), start);
  }
  current = to;
  headway_switch_fiber(saved, to->stack);
}
/** Threads one after another on the same stack, as long as the next one begins. */
void start() {
  for (;;) {
    running->call(running->kernel, arguments);
    Fiber* const done = current;
    if (!done->copies->pending.empty()) fail("cp.async: a copy that nobody waited for");
    Fiber* const to = turns.take();
    if (!to) leave();
    if (!begins(*to)) {
      machine.freeStacks[machine.freeStackCount++] = done->stackNumber;
      switchTo(&done->stack, to);
    }
    to->stackNumber = done->stackNumber;
    current = to;
  }
}
void prepare(Index threads) {
  const unsigned n = threads.x * threads.y * threads.z;
  for (unsigned w = 0; w * 32 < n; w++) {
    Warp& warp = machine.warps[w];
    warp.exists = warp.canRun = n - w * 32 < 32 ? (1u << (n - w * 32)) - 1 : ~0u;
    warp.began = warp.atBarrier = warp.waiting = warp.arrived = warp.generation = 0;
  }
  machine.freeStackCount = n;
  for (unsigned i = 0; i < n; i++) machine.freeStacks[i] = (uint16_t)(n - 1 - i);
  if (copiesBegan) for (Copies& c : machine.copies) { c.pending.clear(); c.committed = 0; }
  copiesBegan = false;
  if (machine.block.threads.x == threads.x && machine.block.threads.y == threads.y && machine.block.threads.z == threads.z) return;
  Index at = {0, 0, 0};
  for (unsigned i = 0; i < n; i++) {
    machine.fibers[i].thread = at;
    if (++at.x == threads.x) {
      at.x = 0;
      if (++at.y == threads.y) { at.y = 0; at.z++; }
    }
  }
}
}  // namespace

Registration::Registration(const char* name, Entry entry) { entry.name = name; kernels()[name] = entry; }
const Entry* findKernel(const std::string& name) { auto i = kernels().find(name); return i == kernels().end() ? nullptr : &i->second; }
const std::string& failure() { return lastFailure; }
void setOrder(int o) {
  order = o; random = 88172645463325252ull + (uint64_t)o * 7919;
  for (auto& lanes : laneOrders) arrange(lanes, 32);
}
void orderBlocks(std::vector<unsigned>& turns, unsigned n) { turns.resize(n); arrange(turns.data(), n); }
void giveTurn() {
  Fiber* const from = current;
  Fiber* const to = turns.take();
  if (!to) leave();
  if (to != from) switchTo(&from->stack, to);
}

void fail(const char* what) {
  lastFailure = what;
  leave();
}
void* sharedArray(int site, size_t bytes) {
  if ((size_t)site >= machine.sites.size()) machine.sites.resize(site + 1);
  if (machine.sites[site].block != machine.blocks) {
    machine.sites[site] = {machine.blocks, machine.used};
    machine.used += (bytes + 15) & ~(size_t)15;
    if (machine.used > MAX_STATIC_SHARED) fail("static shared memory: more than 48 KiB");
  }
  return machine.staticShared.bytes + machine.staticShared.capacity - MAX_STATIC_SHARED + machine.sites[site].begin;
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
  running = &entry; arguments = parameters;
  Faults::instance();
  unsigned char* dynamicShared = machine.dynamicShared.bytes + machine.dynamicShared.capacity - ((sharedBytes + 15) & ~15u);
  memset(dynamicShared, 0xff, sharedBytes);
  memset(machine.staticShared.bytes, 0xff, std::min(machine.used + BEYOND_ARRAYS, machine.staticShared.capacity));
  machine.used = 0; machine.blocks++;
  prepare(threads);
  machine.block = {index, threads, grid, dynamicShared, nullptr};
  turns.begin(threads.x * threads.y * threads.z);
  lastFailure.clear();
  inKernel = true;
  switchTo(&machine.block.scheduler, turns.take());
  inKernel = false;
  return lastFailure.empty();
}
}  // namespace emulation
