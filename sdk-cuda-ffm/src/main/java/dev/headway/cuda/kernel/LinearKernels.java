package dev.headway.cuda.kernel;

import static dev.headway.cuda.device.KernelParameter.I32;
import static dev.headway.cuda.device.KernelParameter.POINTER;

import dev.headway.cuda.device.CudaModule;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.Kernel;
import dev.headway.cuda.device.KernelParameter;

/**
 * {@code y = x * transpose(w) + bias + residual}, sums in fp32.
 *
 * <p>Up to {@value #MAX_VECTOR_ROWS} rows are bound by reading {@code w}: one warp per column. More
 * go to tensor cores, with a tile that suits their number. Where the limits lie is counted, not
 * measured.
 */
public final class LinearKernels {
  /** Rows up to which no tensor cores are used. */
  static final int MAX_VECTOR_ROWS = 8;

  private static final int COLUMNS_PER_VECTOR_BLOCK = 8;
  private static final KernelParameter[] PARAMETERS = {
    POINTER, POINTER, POINTER, POINTER, POINTER, I32, I32, I32, I32
  };

  private final Kernel[] vector; // for 1, 2, 4, 8 rows
  private final Tile small;
  private final Tile medium;
  private final Tile large;

  LinearKernels(CudaModule module) {
    vector =
        new Kernel[] {
          module.kernel("gemv_1", PARAMETERS),
          module.kernel("gemv_2", PARAMETERS),
          module.kernel("gemv_4", PARAMETERS),
          module.kernel("gemv_8", PARAMETERS)
        };
    small = new Tile(module.kernel("gemm_32x64", PARAMETERS), 32, 64, 128);
    medium = new Tile(module.kernel("gemm_64x64", PARAMETERS), 64, 64, 128);
    large = new Tile(module.kernel("gemm_128x128", PARAMETERS), 128, 128, 256);
  }

  private record Tile(Kernel kernel, int rows, int columns, int threads) {}

  /**
   * Enqueues the product.
   *
   * @param output type of {@code y}
   * @param y {@code [m][n]}
   * @param x {@code [m][k]}
   * @param w {@code [n][k]}
   * @param bias {@code [n]}, or 0
   * @param residual {@code [m][n]}, may be {@code y} if that is bf16; or 0
   */
  public void multiply(
      CudaStream stream,
      LinearOutput output,
      long y,
      long x,
      long w,
      long bias,
      long residual,
      int m,
      int n,
      int k) {
    Shapes.requirePositive("multiply", "m", m);
    Shapes.requirePositive("multiply", "n", n);
    Shapes.requirePositive("multiply", "k", k);
    final Tile tile = m <= 32 ? small : m <= 128 || n <= 512 ? medium : large;
    final Kernel kernel = m <= MAX_VECTOR_ROWS ? vector[log2Ceil(m)] : tile.kernel;
    kernel.pointer(y).pointer(x).pointer(w).pointer(bias).pointer(residual).i32(m).i32(n).i32(k);
    kernel.i32(output == LinearOutput.FP32 ? 1 : 0);
    if (m <= MAX_VECTOR_ROWS) {
      final int blocks = Shapes.ceilDiv(n, COLUMNS_PER_VECTOR_BLOCK);
      kernel.launch(stream, blocks, 1, 1, 32 * COLUMNS_PER_VECTOR_BLOCK, 0);
    } else {
      kernel.launch(
          stream,
          Shapes.ceilDiv(n, tile.columns),
          Shapes.ceilDiv(m, tile.rows),
          1,
          tile.threads,
          0);
    }
  }

  private static int log2Ceil(int m) {
    return 32 - Integer.numberOfLeadingZeros(m - 1);
  }
}
