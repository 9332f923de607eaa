package dev.headway.cuda.executor;

import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.RoundedInputs;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.kernel.LinearOutput;
import dev.headway.cuda.kernel.RoundedProducts;
import java.util.Objects;

/**
 * Products whose inputs are rounded to e4m3 codes first: once for each product, whose matrix is
 * that of all that has these inputs. For many rows by cuBLASLt where it is installed and has a way,
 * the others by own kernels.
 *
 * <p>The library multiplies codes on tensor cores of compute capability 9.0 that {@code mma.sync}
 * does not reach; own kernels are as fast as memory for few rows.
 */
final class RoundedGemm {
  /** Rows from which the library is asked. Counted, not measured. */
  static final int MIN_LIBRARY_ROWS = 33;

  private static final String ROWS = "maxNumBatchedTokens";

  private final RoundedProducts kernels;
  private final BlasLt library;
  private final long workspace;
  private final long codes;
  private final long scales;

  /**
   * Takes memory for inputs.
   *
   * @param workspace of the kernels, for the products of one stream
   * @param weights whose products there will be
   * @param rows most rows of a product
   */
  RoundedGemm(
      CudaDevice device,
      RoundedProducts kernels,
      BlasLt library,
      long workspace,
      DeviceWeights weights,
      int rows) {
    this.kernels = kernels;
    this.library = library;
    this.workspace = workspace;
    final long held = ProductRows.holding(rows);
    final MemoryUse ofCodes = new MemoryUse("rounded inputs", ROWS);
    codes = device.allocate(ofCodes, held * weights.widestRounded()).address();
    final long floats = held * weights.mostInputScales();
    scales =
        device.allocate(new MemoryUse("scales of inputs", ROWS), Float.BYTES * floats).address();
  }

  /** {@code y = x * transpose(w) + bias + residual} of rounded inputs. */
  void multiply(
      CudaStream stream,
      LinearOutput output,
      long y,
      long x,
      WeightMatrix w,
      long residual,
      int m) {
    final RoundedInputs how = Objects.requireNonNull(w.rounded());
    final int held = ProductRows.holding(m);
    kernels.round(stream, codes, scales, held, x, how, m, w.inputs());
    final boolean taken =
        m >= MIN_LIBRARY_ROWS
            && output == LinearOutput.BF16
            && library.multiplyRounded(stream, y, codes, scales, w, residual, held);
    if (!taken) {
      kernels.multiply(stream, output, y, codes, scales, held, w, residual, m, workspace);
    }
  }

  /** Which kernels are loaded and what multiplies, for people; complete once all is launched. */
  String describe() {
    return kernels.origin() + "; products by own kernels" + byLibrary();
  }

  private String byLibrary() {
    if (!library.isPresent()) {
      return "";
    }
    final String refused = library.refusedRounded();
    return " below "
        + MIN_LIBRARY_ROWS
        + " rows, by cuBLASLt from there where it has a way"
        + (refused.isEmpty() ? "" : ", which it has not for " + refused);
  }
}
