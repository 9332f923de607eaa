package dev.headway.cuda.executor;

import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.blas.BlasOutput;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.kernel.LinearKernels;
import dev.headway.cuda.kernel.LinearOutput;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Products with weights: by cuBLASLt where it is installed and there is more than one row, the
 * others and whatever it cannot do by our own kernels.
 *
 * <p>Weights that are e4m3 codes are multiplied by our own kernels; for many rows, as those of a
 * prompt, they are made bf16 for the library first. Where inputs are rounded too, {@link
 * RoundedGemm} multiplies codes with codes.
 *
 * <p>On an H200 the own kernel is at or ahead of the library for one row (15.8 against 17.6 us for
 * 6,144 x 4,096) and behind it from two on; at 9 to 16 rows it was by up to ten times, before its
 * tiles were shared among blocks, which has not been measured yet.
 *
 * <p>The library is asked for {@link ProductRows}: {@code x} and {@code y} have room for so many
 * rows, and those behind {@code m} belong to no request.
 */
final class Gemm {
  /** Rows from which the library is asked. Measured on an H200. */
  static final int MIN_LIBRARY_ROWS = 2;

  /** Rows from which codes are made bf16 for the library. Counted, not measured. */
  static final int MIN_WIDENED_ROWS = 256;

  private final LinearKernels kernels;
  private final BlasLt library;
  private final long workspace;
  private final long widened;
  private final @Nullable RoundedGemm rounded;
  private final Map<WeightMatrix, WeightMatrix> inBf16 = new HashMap<>(); // of codes

  /**
   * Takes both ways.
   *
   * @param workspace of the own kernels, for the products of one stream
   * @param widened for the largest matrix of codes in bf16; 0 if none is ever widened
   * @param rounded for matrices whose inputs are rounded; null if none are
   */
  Gemm(
      LinearKernels kernels,
      BlasLt library,
      long workspace,
      long widened,
      @Nullable RoundedGemm rounded) {
    this.widened = widened;
    this.rounded = rounded;
    this.kernels = kernels;
    this.library = library;
    this.workspace = workspace;
  }

  /** {@code y = x * transpose(w) + bias}, bf16. */
  void project(CudaStream stream, long y, long x, WeightMatrix w, int m) {
    multiply(stream, LinearOutput.BF16, y, x, w, 0, m);
  }

  /** {@code y = y + x * transpose(w) + bias}, bf16, rounded once. */
  void addTo(CudaStream stream, long y, long x, WeightMatrix w, int m) {
    multiply(stream, LinearOutput.BF16, y, x, w, y, m);
  }

  /** {@code y = x * transpose(w) + bias}, fp32; with a bias by our own kernels. */
  void logits(CudaStream stream, long y, long x, WeightMatrix w, int m) {
    multiply(stream, LinearOutput.FP32, y, x, w, 0, m);
  }

  private void multiply(
      CudaStream stream,
      LinearOutput output,
      long y,
      long x,
      WeightMatrix w,
      long residual,
      int m) {
    if (w.rounded() != null) {
      Objects.requireNonNull(rounded).multiply(stream, output, y, x, w, residual, m);
      return;
    }
    final BlasOutput asked = output == LinearOutput.FP32 ? BlasOutput.FP32 : BlasOutput.BF16;
    if (!byLibrary(stream, asked, y, x, w, residual, m)) {
      kernels.multiply(stream, output, y, x, w, residual, m, workspace);
    }
  }

  private boolean byLibrary(
      CudaStream stream, BlasOutput output, long y, long x, WeightMatrix w, long residual, int m) {
    if (m < MIN_LIBRARY_ROWS) {
      return false;
    }
    WeightMatrix taken = w;
    if (w.scales() != null) {
      if (m < MIN_WIDENED_ROWS || widened == 0) {
        return false;
      }
      kernels.widen(stream, widened, w);
      taken = inBf16(w);
    }
    return library.multiply(stream, output, y, x, taken, residual, ProductRows.holding(m));
  }

  /** The matrix as it is once it is widened; made once, so that steps allocate nothing. */
  private WeightMatrix inBf16(WeightMatrix codes) {
    WeightMatrix there = inBf16.get(codes);
    if (there == null) {
      there = new WeightMatrix(widened, codes.bias(), codes.outputs(), codes.inputs());
      inBf16.put(codes, there);
    }
    return there;
  }
}
