// A stand-in for the part of cuBLASLt that Headway calls: column-major D = op(A) * B * alpha + C * beta
// (+ bias per row), bf16 in, bf16 or fp32 out, or e4m3 codes in and bf16 out, as work in a stream of the fake driver.
// Of codes it takes what the documentation says of them: A transposed, all addresses and rows multiples of 16 bytes, scales
// of both operands; one each from compute capability 8.9 on, one for each row, and for blocks, on 9.0.
#include "emulation.h"
#include "../../main/cuda/e4m3.cuh"
#include <functional>
#define API extern "C" __attribute__((visibility("default"))) int
int headway_enqueue(void* stream, std::function<void()> work);
int headway_compute_capability();
namespace {
constexpr int INVALID_VALUE = 7, NOT_SUPPORTED = 15, R_32F = 0, R_16BF = 14, R_8F_E4M3 = 28, COMPUTE_32F = 68;
constexpr int SCALAR_32F = 0, OUTER_VEC_32F = 3, VEC128_32F = 4, BLK128x128_32F = 5;
struct Description { int compute, scale, transposeA = 0, transposeB = 0, epilogue = 1, modeA = SCALAR_32F, modeB = SCALAR_32F; const bf16* bias = nullptr; const float *scaleA = nullptr, *scaleB = nullptr; };
struct Layout { int type; uint64_t rows, columns; int64_t pitch; };
struct Preference { uint64_t workspaceBytes = 0; uint32_t reductions = 7, alignment[4] = {256, 256, 256, 256}; };
struct Algorithm { uint64_t data[8]; };  // the first is CHOSEN, then what the alignment was promised to be
struct Result { Algorithm algorithm; size_t workspaceBytes; int state; float waves; int reserved[4]; };
constexpr uint64_t CHOSEN = 0x48656164776179;
int alive, planned, knowsModes = 1;
float load(const void* p, int type, size_t i) {
  return type == R_32F ? ((const float*)p)[i] : type == R_8F_E4M3 ? emulation::e4m3Values.of[((const uint8_t*)p)[i]] : toFloat(((const bf16*)p)[i]);
}
/** Of a code in a column of the layout, k places down it; of the weights, and of the inputs. */
float scaleOfA(const Description& d, uint64_t k, uint64_t column, uint64_t rows) {
  const uint64_t across = (rows + 127) / 128;
  return d.modeA == OUTER_VEC_32F ? d.scaleA[column] : d.modeA == BLK128x128_32F ? d.scaleA[column / 128 * ((across + 3) / 4 * 4) + k / 128] : *d.scaleA;
}
float scaleOfB(const Description& d, uint64_t k, uint64_t column, uint64_t columns) {
  return d.modeB == OUTER_VEC_32F ? d.scaleB[column] : d.modeB == VEC128_32F ? d.scaleB[k / 128 * columns + column] : *d.scaleB;
}
/** A term of all outputs; as wide as the processor can, which -O2 leaves. */
__attribute__((optimize("O3"))) void add(float* sums, const float* weights, float input, uint64_t outputs) {
  for (uint64_t i = 0; i < outputs; i++) sums[i] += weights[i] * input;
}
__attribute__((optimize("O3"))) void addScaled(float* sums, const float* weights, const float* scales, float input, float scale, uint64_t outputs) {
  for (uint64_t i = 0; i < outputs; i++) sums[i] += weights[i] * input * (scales[i] * scale);
}
bool takesCodes(const Description& d, const Layout& a, const Layout& b, const Layout& out, uint32_t promised) {
  if (promised < 16 || a.rows % 16 || a.columns % 8 || out.type != R_16BF || !d.scaleA || !d.scaleB) return false;
  const int device = headway_compute_capability();
  if (d.modeA == SCALAR_32F && d.modeB == SCALAR_32F) return device >= 89;
  if (device != 90) return false;
  if (d.modeA == OUTER_VEC_32F && d.modeB == OUTER_VEC_32F) return true;
  return d.modeA == BLK128x128_32F && d.modeB == VEC128_32F && a.columns % 4 == 0 && b.columns % 4 == 0 && !(((uint64_t)d.scaleA | (uint64_t)d.scaleB) & 15);
}
}
API cublasLtCreate(void** h) { alive++; *h = (void*)0x99; return 0; }
API cublasLtDestroy(void*) { alive--; return 0; }
API cublasLtMatmulDescCreate(Description** d, int compute, int scale) {
  if (compute != COMPUTE_32F || scale != R_32F) return INVALID_VALUE;
  alive++; *d = new Description{compute, scale}; return 0;
}
API cublasLtMatmulDescDestroy(Description* d) { alive--; delete d; return 0; }
API cublasLtMatmulDescSetAttribute(Description* d, int attribute, const void* value, size_t bytes) {
  int32_t number = 0;
  const void** pointer = attribute == 8 ? (const void**)&d->bias : attribute == 17 ? (const void**)&d->scaleA : attribute == 18 ? (const void**)&d->scaleB : nullptr;
  if (pointer) { if (bytes != 8) return INVALID_VALUE; memcpy(pointer, value, 8); return 0; }
  if (bytes != 4) return INVALID_VALUE;
  memcpy(&number, value, 4);
  switch (attribute) {
    case 3: d->transposeA = number; return 0;
    case 4: d->transposeB = number; return 0;
    case 7: d->epilogue = number; return 0;
    case 31: case 32: if (!knowsModes) return INVALID_VALUE; (attribute == 31 ? d->modeA : d->modeB) = number; return 0;
    default: return INVALID_VALUE;
  }
}
API cublasLtMatrixLayoutCreate(Layout** l, int type, uint64_t rows, uint64_t columns, int64_t pitch) {
  if (pitch < (int64_t)rows) return INVALID_VALUE;
  alive++; *l = new Layout{type, rows, columns, pitch}; return 0;
}
API cublasLtMatrixLayoutDestroy(Layout* l) { alive--; delete l; return 0; }
API cublasLtMatmulPreferenceCreate(Preference** p) { alive++; *p = new Preference; return 0; }
API cublasLtMatmulPreferenceDestroy(Preference* p) { alive--; delete p; return 0; }
API cublasLtMatmulPreferenceSetAttribute(Preference* p, int attribute, const void* value, size_t bytes) {
  if (attribute == 1 && bytes == 8) { memcpy(&p->workspaceBytes, value, 8); return 0; }
  if (attribute == 3 && bytes == 4) { memcpy(&p->reductions, value, 4); return 0; }
  if (attribute >= 5 && attribute <= 8 && bytes == 4) { memcpy(&p->alignment[attribute - 5], value, 4); return 0; }
  return INVALID_VALUE;
}
API cublasLtMatmulAlgoGetHeuristic(void*, Description* d, Layout* a, Layout* b, Layout* c, Layout* out, Preference* p, int requested, Result* results, int* count) {
  *count = 0;
  if (requested < 1 || !d->transposeA || d->transposeB || (a->type != R_16BF && a->type != R_8F_E4M3) || b->type != a->type || c->type != out->type) return NOT_SUPPORTED;
  if (a->rows != b->rows || a->columns != out->rows || b->columns != out->columns) return INVALID_VALUE;
  if (a->rows % 8) return NOT_SUPPORTED;  // as where rows are not aligned to 16 bytes
  if (p->reductions != 2) return NOT_SUPPORTED;  // here every sum is cut: others would round its parts, or not repeat
  if (d->epilogue == 4 && !d->bias) return NOT_SUPPORTED;  // its alignment is looked at
  uint32_t promised = 256;
  for (uint32_t each : p->alignment) if (each < promised) promised = each;
  if (a->type == R_8F_E4M3 && !takesCodes(*d, *a, *b, *out, promised)) return NOT_SUPPORTED;
  if (a->type != R_8F_E4M3 && (d->scaleA || d->scaleB)) return INVALID_VALUE;
  planned++;
  results[0] = Result{{{CHOSEN, promised}}, 0, 0, 1.f, {0, 0, 0, 0}};
  *count = 1;
  return 0;
}
API cublasLtMatmul(void*, Description* d, const float* alpha, const void* A, Layout* a, const void* B, Layout* b, const float* beta, const void* C, Layout* c,
                   void* D, Layout* out, const Algorithm* algorithm, void* workspace, size_t, void* stream) {
  if (!algorithm || algorithm->data[0] != CHOSEN || !workspace) return INVALID_VALUE;
  const uint64_t addresses = (uint64_t)A | (uint64_t)B | (uint64_t)C | (uint64_t)D;
  if (addresses % algorithm->data[1]) return INVALID_VALUE;  // a device would report a misaligned address
  const Description description = *d;  // copied at the call, as the library does
  const Layout la = *a, lb = *b, lc = *c, lo = *out;
  const float al = *alpha, be = *beta;
  return headway_enqueue(stream, [=] {
    const uint64_t terms = la.rows, outputs = lo.rows;
    const bool codes = la.type == R_8F_E4M3;
    std::vector<float> weights(terms * outputs), scales(codes ? terms * outputs : 0), sums(outputs);  // a term of all outputs side by side
    for (uint64_t i = 0; i < outputs; i++) for (uint64_t k = 0; k < terms; k++) {
      weights[k * outputs + i] = load(A, la.type, i * la.pitch + k);
      if (codes) scales[k * outputs + i] = scaleOfA(description, k, i, terms);
    }
    for (uint64_t j = 0; j < lo.columns; j++) {
      std::fill(sums.begin(), sums.end(), 0.f);
      for (uint64_t k = 0; k < terms; k++) {
        const float input = load(B, lb.type, j * lb.pitch + k);
        const float* w = &weights[k * outputs];
        if (codes) addScaled(sums.data(), w, &scales[k * outputs], input, scaleOfB(description, k, j, lb.columns), outputs);
        else add(sums.data(), w, input, outputs);
      }
      for (uint64_t i = 0; i < outputs; i++) {
        float sum = sums[i] * al;
        if (be != 0) sum += be * load(C, lc.type, j * lc.pitch + i);
        if (description.epilogue == 4) sum += toFloat(description.bias[i]);
        if (lo.type == R_32F) ((float*)D)[j * lo.pitch + i] = sum; else ((bf16*)D)[j * lo.pitch + i] = toBf16(sum);
      }
    }
  });
}
TEST_API headway_emulation_blas_alive() { return alive; }
TEST_API headway_emulation_blas_planned() { return planned; }
/** Whether the library knows modes of scales, as those since CUDA 12.8 do. */
TEST_API headway_emulation_blas_modes(int known) { knowsModes = known; return 0; }
