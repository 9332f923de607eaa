// A stand-in for libcuda.so.1 over host memory: what Headway binds of the driver API, with the errors,
// limits and hazards of the real one that tests need. Kernels run as fibers (fibers.h), on the thread
// that makes their stream move.
//
// With -DHEADWAY_LIKE_A_REAL_DRIVER it is one more driver, which tests take for a real one: nothing can be set or
// asked (no headway_emulation_*), memory begins as zeros, streams never work at the call, errors are told without a
// reason, a kernel is found only if the image has it, memory is not all free, and what a capture forbids is refused.
#include "driver_types.h"
#include "fibers.h"
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <vector>

using emulation::Entry;
using emulation::Index;

namespace {
constexpr int INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_IMAGE = 200, INVALID_CONTEXT = 201, NO_BINARY_FOR_GPU = 209,
    INVALID_PTX = 218, UNSUPPORTED_PTX_VERSION = 222, INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600, ILLEGAL_ADDRESS = 700, LAUNCH_FAILED = 719,
    CAPTURE_UNSUPPORTED = 900, CAPTURE_INVALIDATED = 901;
const char* const NAMES[][2] = {{"0", "CUDA_SUCCESS"}, {"1", "CUDA_ERROR_INVALID_VALUE"}, {"2", "CUDA_ERROR_OUT_OF_MEMORY"},
    {"100", "CUDA_ERROR_NO_DEVICE"}, {"101", "CUDA_ERROR_INVALID_DEVICE"}, {"200", "CUDA_ERROR_INVALID_IMAGE"}, {"201", "CUDA_ERROR_INVALID_CONTEXT"},
    {"218", "CUDA_ERROR_INVALID_PTX"}, {"222", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"}, {"400", "CUDA_ERROR_INVALID_HANDLE"}, {"500", "CUDA_ERROR_NOT_FOUND"},
    {"600", "CUDA_ERROR_NOT_READY"}, {"700", "CUDA_ERROR_ILLEGAL_ADDRESS"}, {"719", "CUDA_ERROR_LAUNCH_FAILED"}, {"900", "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"}, {"901", "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"}};

typedef std::function<void()> Work;
#ifdef HEADWAY_LIKE_A_REAL_DRIVER
constexpr bool LIKE_A_REAL_ONE = true;
#else
constexpr bool LIKE_A_REAL_ONE = false;
#endif
struct Stream { int device; std::vector<Work> queue; std::vector<Work>* recording = nullptr; bool spoiled = false; };
struct Graph { int device; std::vector<Work> work; bool uploaded = false; };
struct Event { Stream* stream = nullptr; bool passed = true; double ms = 0; };
struct Function { const Entry* entry; int device; int maxDynamicShared = 48 << 10; bool loaded = false; };
struct Module { std::vector<Function*> functions; std::string image; };
struct Memory { size_t bytes; int device; };

// What a test sets; see headway_emulation_* at the end.
struct Settings {
  bool lazy = LIKE_A_REAL_ONE;
  size_t totalBytes = (size_t)4 << 30;
  int major = LIKE_A_REAL_ONE ? 9 : 8, minor = 0, newestPtx = 90, devices = 1, cudaVersion = 13000;
} settings;
constexpr size_t OF_THE_CONTEXT = LIKE_A_REAL_ONE ? 300 << 20 : 0;  // what a driver takes before anybody allocates
std::string failingCall; int failingResult;
int sticky;
std::recursive_mutex mutex;
std::set<Stream*> streams;
std::map<uintptr_t, Memory> deviceMemory, pinnedMemory;
size_t usedBytes[16];  // by device
long modules, events, graphs, contexts, launches, lazyLoads, lateUploads;
std::map<std::string, long> calls;
thread_local int current = -1;  // the device whose context is bound, -1 for none
std::string failureText, cacheFolder;

const size_t PAGE = 4096;
const size_t KERNEL_BYTES = 4096, GRAPH_NODE_BYTES = 256;  // what code and recordings take of the device
size_t padded(size_t n) { return (n + 15) & ~(size_t)15; }
size_t mapped(size_t n) { return (padded(n) + PAGE - 1) & ~(PAGE - 1); }

/** Each allocation ends at a guard page and begins as NaN, or as the system's zeros. */
void* map(size_t n) {
  char* base = (char*)mmap(nullptr, mapped(n) + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  mprotect(base + mapped(n), PAGE, PROT_NONE);
  char* begin = base + mapped(n) - padded(n);
  if (!LIKE_A_REAL_ONE) memset(begin, 0xff, padded(n));
  return begin;
}
void unmap(uintptr_t p, size_t n) { munmap((char*)p - (mapped(n) - padded(n)), mapped(n) + PAGE); }
bool inside(const std::map<uintptr_t, Memory>& memory, uintptr_t p, size_t n) {
  auto i = memory.upper_bound(p);
  return i != memory.begin() && (--i, i->second.device == current && p - i->first <= i->second.bytes && n <= i->second.bytes - (p - i->first));
}
size_t freeBytes() { const size_t used = usedBytes[current] + OF_THE_CONTEXT; return used < settings.totalBytes ? settings.totalBytes - used : 0; }
void drain(Stream* s) {
  std::vector<Work> queue = std::move(s->queue);
  s->queue.clear();
  for (Work& w : queue) if (!sticky) w();
}
void drainAll() { for (Stream* s : streams) drain(s); }
int submit(Stream* s, Work w) {
  if (sticky) return sticky;
  if (!streams.count(s) || s->device != current) return INVALID_HANDLE;
  if (s->recording) s->recording->push_back(w); else if (settings.lazy) s->queue.push_back(w); else w();
  return sticky;
}
/** One queued piece of work per question: a caller that polls gets there, and sees "not ready" first. */
int query(Stream* s) {
  if (sticky) return sticky;
  if (s->queue.empty()) return 0;
  Work w = s->queue.front();
  s->queue.erase(s->queue.begin());
  w();
  return NOT_READY;
}
void run(const Entry& entry, std::vector<char>& arguments, Index grid, Index threads, unsigned sharedBytes) {
  std::vector<void*> parameters;
  for (int i = 0; i < entry.parameters; i++) parameters.push_back(arguments.data() + 16 * i);
  launches++;
  std::vector<unsigned> blocks;
  emulation::orderBlocks(blocks, grid.x * grid.y * grid.z);
  for (unsigned b : blocks)
    if (!emulation::runBlock(entry, parameters.data(), {b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y}, threads, grid, sharedBytes)) {
      failureText = std::string("kernel ") + entry.name + ": " + emulation::failure();
      sticky = emulation::failure() == emulation::ILLEGAL_ADDRESS ? ILLEGAL_ADDRESS : LAUNCH_FAILED;
      if (LIKE_A_REAL_ONE) { fprintf(stderr, "%s\n", failureText.c_str()); failureText = "unspecified launch failure"; }
      return;
    }
}
/** The result a call must give before it does anything: injected, sticky, or none. */
int before(const char* call) {
  calls[call]++;
  if (failingCall == call) { failingCall.clear(); if (failingResult >= 700 && failingResult < 720) { sticky = failingResult; failureText = "injected"; } return failingResult; }
  return sticky;
}
bool take(size_t n) {
  if (n > freeBytes()) return false;
  usedBytes[current] += n;
  return true;
}
/** Code comes to the device with the first launch, which must not be recorded: loading may wait for the device. */
int loadLazily(Function& f, Stream* s) {
  if (f.loaded) return 0;
  if (streams.count(s) && s->recording) { s->spoiled = LIKE_A_REAL_ONE; return CAPTURE_UNSUPPORTED; }
  if (!take(KERNEL_BYTES)) return OUT_OF_MEMORY;
  lazyLoads++;
  f.loaded = true;
  return 0;
}
/** What may wait for the device is refused while a stream records, and spoils the recording. */
int forbiddenInACapture() {
  int result = 0;
  for (Stream* s : streams) if (LIKE_A_REAL_ONE && s->recording) { s->spoiled = true; result = CAPTURE_UNSUPPORTED; }
  return result;
}
double nowMs() { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
int ptxVersion(const char* text) {
  const char* v = strstr(text, "\n.version ");
  int major, minor;
  return v && sscanf(v, "\n.version %d.%d", &major, &minor) == 2 ? major * 10 + minor : -1;
}
/** The device that an ELF image of CUDA 13 is for, such as 90; 0 if it is none. */
int machineCodeOf(const void* image) {
  if (memcmp(image, "\x7f" "ELF", 4)) return 0;
  const Elf64_Ehdr* header = (const Elf64_Ehdr*)image;
  return header->e_machine == EM_CUDA && header->e_ident[EI_ABIVERSION] == 8 ? header->e_flags >> 8 & 0xff : 0;
}
/** To the end of the table of sections, or of the program headers, which are behind everything else. */
size_t elfBytes(const char* image) {
  const Elf64_Ehdr* h = (const Elf64_Ehdr*)image;
  return std::max(h->e_shoff + (size_t)h->e_shnum * h->e_shentsize, h->e_phoff + (size_t)h->e_phnum * h->e_phentsize);
}
/** Whether PTX has an entry of this name, or machine code a section for it. */
bool has(const Module& m, const std::string& name) {
  return m.image.find(".entry " + name + "(") != std::string::npos || m.image.find(".text." + name + '\0') != std::string::npos;
}
void explain(unsigned n, CUjit_option* keys, void** values, const char* text) {
  for (unsigned i = 0; i < n; i++) if ((int)keys[i] == 5) snprintf((char*)values[i], 128, "%s", text);
}
}  // namespace

#define API extern "C" __attribute__((visibility("default"))) CUresult
#define ENTER(name) std::lock_guard<std::recursive_mutex> lock(mutex); if (int r = before(name)) return (CUresult)r
#define CONTEXT(name) ENTER(name); if (current < 0) return (CUresult)INVALID_CONTEXT
#define NO_CAPTURE if (int r = forbiddenInACapture()) return (CUresult)r
#define OK ((CUresult)0)
#define RESULT(r) ((CUresult)(r))

API cuInit(unsigned) {
  ENTER("cuInit");
  const char* path = getenv("CUDA_CACHE_PATH");
  cacheFolder = path ? path : "";
  const char* visible = getenv("CUDA_VISIBLE_DEVICES");
  return RESULT(settings.devices && !(visible && !*visible) ? 0 : NO_DEVICE);
}
API cuDriverGetVersion(int* v) { *v = settings.cudaVersion; return OK; }
API cuGetErrorName(CUresult e, const char** s) {
  for (auto& n : NAMES) if (atoi(n[0]) == (int)e) { *s = n[1]; return OK; }
  *s = nullptr;
  return RESULT(INVALID_VALUE);
}
API cuGetErrorString(CUresult e, const char** s) {
  *s = (int)e == LAUNCH_FAILED || (int)e == ILLEGAL_ADDRESS ? failureText.c_str() : LIKE_A_REAL_ONE ? "words of the driver" : "";
  return OK;
}
API cuDeviceGetCount(int* n) { ENTER("cuDeviceGetCount"); *n = settings.devices; return OK; }
API cuDeviceGet(CUdevice* d, int ordinal) { ENTER("cuDeviceGet"); if (ordinal < 0 || ordinal >= settings.devices) return RESULT(INVALID_DEVICE); *d = ordinal; return OK; }
API cuDeviceGetName(char* s, int n, CUdevice) { snprintf(s, n, "emulated device"); return OK; }
API cuDeviceGetAttribute(int* v, CUdevice_attribute a, CUdevice) {
  *v = (int)a == 75 ? settings.major : (int)a == 76 ? settings.minor : (int)a == 16 ? (LIKE_A_REAL_ONE ? 8 : 2) : (int)a == 97 ? (int)emulation::MAX_DYNAMIC_SHARED : 0;
  return OK;
}
API cuDeviceTotalMem_v2(size_t* n, CUdevice) { *n = settings.totalBytes; return OK; }
API cuDeviceGetPCIBusId(char* s, int n, CUdevice d) { snprintf(s, n, "0000:%02x:00.0", d + 1); return OK; }
API cuDevicePrimaryCtxRetain(CUcontext* c, CUdevice d) { ENTER("cuDevicePrimaryCtxRetain"); contexts++; *c = (CUcontext)(uintptr_t)(0x1000 + d); return OK; }
API cuDevicePrimaryCtxRelease_v2(CUdevice) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  if (!contexts) return RESULT(INVALID_CONTEXT);
  contexts--;  // what is sticky stays: the process must be restarted
  if (LIKE_A_REAL_ONE && !contexts) {  // memory that nobody gave back goes with its context
    drainAll();
    for (auto& m : deviceMemory) { unmap(m.first, m.second.bytes); usedBytes[m.second.device] -= m.second.bytes; }
    for (auto& m : pinnedMemory) unmap(m.first, m.second.bytes);
    deviceMemory.clear(); pinnedMemory.clear();
  }
  return OK;
}
API cuCtxSetCurrent(CUcontext c) { current = c ? (int)((uintptr_t)c - 0x1000) : -1; return OK; }
API cuCtxSynchronize() { CONTEXT("cuCtxSynchronize"); drainAll(); return RESULT(sticky); }

API cuModuleLoadDataEx(CUmodule* m, const void* image, unsigned n, CUjit_option* keys, void** values) {
  CONTEXT("cuModuleLoadDataEx");
  const char* text = (const char*)image;
  const int arch = machineCodeOf(image);
  if (arch > 0 && arch != settings.major * 10 + settings.minor) return RESULT(NO_BINARY_FOR_GPU);
  if (arch > 0) { modules++; *m = (CUmodule) new Module{{}, std::string(text, elfBytes(text))}; return OK; }  // its code is not run
  if (!memmem(text, strnlen(text, 1 << 16), ".version", 8)) return RESULT(INVALID_IMAGE);
  const int version = ptxVersion(text);
  if (version < 0) { explain(n, keys, values, "ptxas fatal: no .version directive"); return RESULT(INVALID_PTX); }
  if (version > settings.newestPtx) { explain(n, keys, values, "ptxas fatal: unsupported .version"); return RESULT(UNSUPPORTED_PTX_VERSION); }
  if (strstr(text, "no_such_instruction")) {
    explain(n, keys, values, "ptxas application ptx input; error : Not a name of any known instruction: 'no_such_instruction'");
    return RESULT(INVALID_PTX);
  }
  modules++;
  *m = (CUmodule) new Module{{}, text};
  return OK;
}
API cuModuleUnload(CUmodule m) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  drainAll();
  for (Function* f : ((Module*)m)->functions) { if (f->loaded) usedBytes[f->device] -= KERNEL_BYTES; delete f; }
  delete (Module*)m;
  modules--;
  return RESULT(sticky);
}
API cuModuleGetFunction(CUfunction* f, CUmodule m, const char* name) {
  CONTEXT("cuModuleGetFunction");
  const Entry* e = emulation::findKernel(name);
  if (!e || (LIKE_A_REAL_ONE && !has(*(Module*)m, name))) return RESULT(NOT_FOUND);
  ((Module*)m)->functions.push_back(new Function{e, current});
  *f = (CUfunction)((Module*)m)->functions.back();
  return OK;
}
API cuFuncGetAttribute(int* v, CUfunction_attribute a, CUfunction f) { *v = (int)a == 8 ? ((Function*)f)->maxDynamicShared : 0; return OK; }
API cuFuncSetAttribute(CUfunction f, CUfunction_attribute a, int v) {
  CONTEXT("cuFuncSetAttribute");
  if ((int)a == 9 && v >= -1 && v <= 100) return OK;  // a wish: percent of shared memory, -1 = as the driver likes
  if ((int)a != 8 || v < 0 || v > (int)emulation::MAX_DYNAMIC_SHARED) return RESULT(INVALID_VALUE);
  ((Function*)f)->maxDynamicShared = v;
  return OK;
}
API cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned sharedBytes,
                   CUstream s, void** parameters, void** extra) {
  CONTEXT("cuLaunchKernel");
  Function* function = (Function*)f;
  const size_t n = (size_t)bx * by * bz;
  if (!gx || !gy || !gz || gx > 0x7fffffffu || gy > 65535 || gz > 65535 || !n || n > emulation::MAX_THREADS || bz > 64 || extra) return RESULT(INVALID_VALUE);
  if ((int)sharedBytes > function->maxDynamicShared) return RESULT(INVALID_VALUE);
  if (int r = loadLazily(*function, (Stream*)s)) return RESULT(r);
  const Entry* entry = function->entry;
  std::vector<char> arguments(16 * (entry->parameters + 1));
  for (int i = 0; i < entry->parameters; i++) memcpy(arguments.data() + 16 * i, parameters[i], entry->sizes[i]);  // copied at the call, as the driver does
  return RESULT(submit((Stream*)s, [=]() mutable { run(*entry, arguments, {gx, gy, gz}, {bx, by, bz}, sharedBytes); }));
}

API cuMemAlloc_v2(CUdeviceptr* p, size_t n) {
  CONTEXT("cuMemAlloc_v2");
  NO_CAPTURE;
  if (!n) return RESULT(INVALID_VALUE);
  void* m = take(n) ? map(n) : nullptr;
  if (!m) return RESULT(OUT_OF_MEMORY);
  deviceMemory[(uintptr_t)m] = {n, current};
  *p = (CUdeviceptr)m;
  return OK;
}
API cuMemFree_v2(CUdeviceptr p) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  drainAll();
  auto i = deviceMemory.find(p);
  if (i == deviceMemory.end()) return RESULT(INVALID_VALUE);
  usedBytes[i->second.device] -= i->second.bytes;
  unmap(p, i->second.bytes);
  deviceMemory.erase(i);
  return RESULT(sticky);
}
API cuMemGetInfo_v2(size_t* free, size_t* total) { CONTEXT("cuMemGetInfo_v2"); *total = settings.totalBytes; *free = freeBytes(); return OK; }
API cuMemHostAlloc(void** p, size_t n, unsigned) {
  CONTEXT("cuMemHostAlloc");
  NO_CAPTURE;
  *p = n > settings.totalBytes ? nullptr : map(n);  // the host has as much as the device
  if (!*p) return RESULT(OUT_OF_MEMORY);
  memset(*p, 0, n);  // as the real one gives pages that were never used
  pinnedMemory[(uintptr_t)*p] = {n, current};
  return OK;
}
API cuMemFreeHost(void* p) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  drainAll();
  auto i = pinnedMemory.find((uintptr_t)p);
  if (i == pinnedMemory.end()) return RESULT(INVALID_VALUE);
  unmap((uintptr_t)p, i->second.bytes);
  pinnedMemory.erase(i);
  return RESULT(sticky);
}
API cuMemcpyHtoDAsync_v2(CUdeviceptr d, const void* s, size_t n, CUstream st) {
  CONTEXT("cuMemcpyHtoDAsync_v2");
  if (!inside(deviceMemory, d, n)) return RESULT(INVALID_VALUE);
  return RESULT(submit((Stream*)st, [=] { memcpy((void*)d, s, n); }));
}
API cuMemcpyDtoHAsync_v2(void* d, CUdeviceptr s, size_t n, CUstream st) {
  CONTEXT("cuMemcpyDtoHAsync_v2");
  if (!inside(deviceMemory, s, n)) return RESULT(INVALID_VALUE);
  return RESULT(submit((Stream*)st, [=] { memcpy(d, (void*)s, n); }));
}
API cuMemcpyDtoDAsync_v2(CUdeviceptr d, CUdeviceptr s, size_t n, CUstream st) {
  CONTEXT("cuMemcpyDtoDAsync_v2");
  if (!inside(deviceMemory, d, n) || !inside(deviceMemory, s, n)) return RESULT(INVALID_VALUE);
  return RESULT(submit((Stream*)st, [=] { memcpy((void*)d, (void*)s, n); }));
}
API cuMemsetD8Async(CUdeviceptr d, unsigned char v, size_t n, CUstream st) {
  CONTEXT("cuMemsetD8Async");
  if (!inside(deviceMemory, d, n)) return RESULT(INVALID_VALUE);
  return RESULT(submit((Stream*)st, [=] { memset((void*)d, v, n); }));
}

API cuStreamCreate(CUstream* s, unsigned) { CONTEXT("cuStreamCreate"); *s = (CUstream)*streams.insert(new Stream{current}).first; return OK; }
API cuStreamDestroy_v2(CUstream s) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  if (!streams.count((Stream*)s)) return RESULT(INVALID_HANDLE);
  drain((Stream*)s);
  streams.erase((Stream*)s);
  delete (Stream*)s;
  return RESULT(sticky);
}
API cuStreamSynchronize(CUstream s) {
  CONTEXT("cuStreamSynchronize");
  if (((Stream*)s)->recording) { ((Stream*)s)->spoiled = LIKE_A_REAL_ONE; return RESULT(CAPTURE_UNSUPPORTED); }
  drain((Stream*)s);
  return RESULT(sticky);
}
API cuStreamQuery(CUstream s) { CONTEXT("cuStreamQuery"); return RESULT(query((Stream*)s)); }
API cuStreamWaitEvent(CUstream s, CUevent e, unsigned) {
  CONTEXT("cuStreamWaitEvent");
  Event* event = (Event*)e;
  return RESULT(submit((Stream*)s, [=] { if (!event->passed && event->stream) drain(event->stream); }));
}
API cuStreamBeginCapture_v2(CUstream s, CUstreamCaptureMode) {
  CONTEXT("cuStreamBeginCapture_v2");
  if (((Stream*)s)->recording) return RESULT(CAPTURE_UNSUPPORTED);
  ((Stream*)s)->recording = new std::vector<Work>;
  return OK;
}
API cuStreamEndCapture(CUstream s, CUgraph* g) {
  CONTEXT("cuStreamEndCapture");
  Stream* stream = (Stream*)s;
  if (!stream->recording) return RESULT(CAPTURE_INVALIDATED);
  const bool spoiled = stream->spoiled;
  if (!spoiled) { graphs++; *g = (CUgraph) new Graph{stream->device, std::move(*stream->recording)}; }
  delete stream->recording;
  stream->recording = nullptr; stream->spoiled = false;
  return RESULT(spoiled ? CAPTURE_INVALIDATED : 0);
}
API cuGraphInstantiateWithFlags(CUgraphExec* x, CUgraph g, unsigned long long) { CONTEXT("cuGraphInstantiateWithFlags"); graphs++; *x = (CUgraphExec) new Graph(*(Graph*)g); return OK; }
int upload(Graph& graph) {
  if (graph.uploaded) return 0;
  if (!take(GRAPH_NODE_BYTES * graph.work.size())) return OUT_OF_MEMORY;
  return graph.uploaded = true, 0;
}
API cuGraphUpload(CUgraphExec x, CUstream) { CONTEXT("cuGraphUpload"); return RESULT(upload(*(Graph*)x)); }
API cuGraphLaunch(CUgraphExec x, CUstream s) {
  CONTEXT("cuGraphLaunch");
  if (!((Graph*)x)->uploaded) lateUploads++;
  if (int r = upload(*(Graph*)x)) return RESULT(r);
  for (Work& w : ((Graph*)x)->work) if (int r = submit((Stream*)s, w)) return RESULT(r);
  return OK;
}
API cuGraphDestroy(CUgraph g) { std::lock_guard<std::recursive_mutex> lock(mutex); graphs--; delete (Graph*)g; return OK; }
API cuGraphExecDestroy(CUgraphExec g) { std::lock_guard<std::recursive_mutex> lock(mutex); drainAll(); graphs--; if (((Graph*)g)->uploaded) usedBytes[((Graph*)g)->device] -= GRAPH_NODE_BYTES * ((Graph*)g)->work.size(); delete (Graph*)g; return RESULT(sticky); }

API cuEventCreate(CUevent* e, unsigned) { CONTEXT("cuEventCreate"); events++; *e = (CUevent) new Event; return OK; }
API cuEventDestroy_v2(CUevent e) { std::lock_guard<std::recursive_mutex> lock(mutex); drainAll(); events--; delete (Event*)e; return RESULT(sticky); }
API cuEventRecord(CUevent e, CUstream s) {
  CONTEXT("cuEventRecord");
  Event* event = (Event*)e;
  event->stream = (Stream*)s; event->passed = false;
  return RESULT(submit((Stream*)s, [=] { event->passed = true; event->ms = nowMs(); }));
}
API cuEventQuery(CUevent e) {
  CONTEXT("cuEventQuery");
  if (((Event*)e)->passed) return OK;
  query(((Event*)e)->stream);
  return RESULT(sticky ? sticky : NOT_READY);
}
API cuEventSynchronize(CUevent e) { CONTEXT("cuEventSynchronize"); if (!((Event*)e)->passed) drain(((Event*)e)->stream); return RESULT(sticky); }
API cuEventElapsedTime(float* ms, CUevent a, CUevent b) {
  CONTEXT("cuEventElapsedTime");
  if (!((Event*)a)->passed || !((Event*)b)->passed) return RESULT(NOT_READY);
  *ms = (float)(((Event*)b)->ms - ((Event*)a)->ms);
  return OK;
}

// for the fake cuBLASLt, which asks what the device is, and whose work goes into the same streams
int headway_compute_capability() { return settings.major * 10 + settings.minor; }
int headway_enqueue(void* stream, std::function<void()> work) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  return submit((Stream*)stream, work);
}

// ---- what tests set and ask
/** Order of threads (0 forward, 1 backward, else a seed), and whether streams wait until somebody waits for them. */
TEST_API headway_emulation_schedule(int order, int lazy) { emulation::setOrder(order); settings.lazy = lazy; return 0; }
TEST_API headway_emulation_device(long long totalBytes, int major, int minor, int newestPtx, int cudaVersion, int devices) {
  settings.totalBytes = totalBytes; settings.major = major; settings.minor = minor; settings.newestPtx = newestPtx;
  settings.cudaVersion = cudaVersion; settings.devices = devices;
  return 0;
}
/** The next call of this name answers this result; 700 and above are sticky. */
TEST_API headway_emulation_fail(const char* call, int result) { std::lock_guard<std::recursive_mutex> lock(mutex); failingCall = call; failingResult = result; return 0; }
/** As in a new process. */
TEST_API headway_emulation_relaunch() { sticky = 0; return 0; }
/** How often a function of the driver was called since the library was loaded. */
TEST_API headway_emulation_calls(const char* call) { std::lock_guard<std::recursive_mutex> lock(mutex); return (int)calls[call]; }
/** What CUDA_CACHE_PATH was at the last cuInit. */
TEST_API headway_emulation_cache_folder(char* text, int n) { return snprintf(text, n, "%s", cacheFolder.c_str()); }
/** 0: everything alive; 1: device memory; 2: pinned memory; since the library was loaded 3: launches, 4: kernels whose
    code came with a launch; 5: device memory in use, in KiB; 6: recordings that came to the device with a launch. */
TEST_API headway_emulation_count(int what) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  switch (what) {
    case 1: return (int)deviceMemory.size();
    case 2: return (int)pinnedMemory.size();
    case 3: return (int)launches;
    case 4: return (int)lazyLoads;
    case 5: { size_t sum = 0; for (size_t used : usedBytes) sum += used; return (int)(sum >> 10); }
    case 6: return (int)lateUploads;
    default: return (int)(deviceMemory.size() + pinnedMemory.size() + streams.size() + modules + events + graphs + contexts);
  }
}
