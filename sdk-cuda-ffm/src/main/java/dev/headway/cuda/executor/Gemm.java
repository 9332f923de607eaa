package dev.headway.cuda.executor;

import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.blas.BlasOutput;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.kernel.LinearKernels;
import dev.headway.cuda.kernel.LinearOutput;

/**
 * Products with weights: those of many rows by cuBLASLt where it is installed, the others and
 * whatever it cannot do by our own kernels.
 */
final class Gemm {
  /** Rows from which the library is asked. Counted, not measured. */
  private static final int MIN_LIBRARY_ROWS = 17;

  private final LinearKernels kernels;
  private final BlasLt library;

  Gemm(LinearKernels kernels, BlasLt library) {
    this.kernels = kernels;
    this.library = library;
  }

  /** {@code y = x * transpose(w) + bias}, bf16; {@code bias} may be 0. */
  void project(CudaStream stream, long y, long x, long w, long bias, int m, int n, int k) {
    if (m < MIN_LIBRARY_ROWS
        || !library.multiply(stream, BlasOutput.BF16, y, x, w, bias, 0, m, n, k)) {
      kernels.multiply(stream, LinearOutput.BF16, y, x, w, bias, 0, m, n, k);
    }
  }

  /** {@code y = y + x * transpose(w)}, bf16, rounded once. */
  void addTo(CudaStream stream, long y, long x, long w, int m, int n, int k) {
    if (m < MIN_LIBRARY_ROWS
        || !library.multiply(stream, BlasOutput.BF16, y, x, w, 0, y, m, n, k)) {
      kernels.multiply(stream, LinearOutput.BF16, y, x, w, 0, y, m, n, k);
    }
  }

  /** {@code y = x * transpose(w)}, fp32. */
  void logits(CudaStream stream, long y, long x, long w, int m, int n, int k) {
    if (m < MIN_LIBRARY_ROWS
        || !library.multiply(stream, BlasOutput.FP32, y, x, w, 0, 0, m, n, k)) {
      kernels.multiply(stream, LinearOutput.FP32, y, x, w, 0, 0, m, n, k);
    }
  }
}
