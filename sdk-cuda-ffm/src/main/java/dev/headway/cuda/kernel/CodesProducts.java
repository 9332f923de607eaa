package dev.headway.cuda.kernel;

import dev.headway.cuda.device.CudaModule;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceInfo;
import dev.headway.cuda.device.Kernel;
import dev.headway.cuda.device.KernelParameter;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.device.WeightScales;

/**
 * The products of {@link LinearKernels} with weights that are e4m3 codes, a byte each. A code is
 * made a bf16, exactly; sums of the codes of one scale are fp32 and multiplied by the scale. Device
 * thread only; allocates nothing.
 *
 * <p>One row: one warp per column. More go to tensor cores if scales are those of a whole row or of
 * 64, 128, 256 and so on columns; with others they are computed two at a time, as one is.
 */
final class CodesProducts {
  private static final int COLUMNS_PER_VECTOR_BLOCK = 8;
  private static final int MOST_AT_ONCE = 2;
  private static final KernelParameter[] PARAMETERS = KernelParameter.inOrder(6, 7, 0);

  private static final int WIDENING_THREADS = 256;
  private static final int WIDENED_BY_A_BLOCK = 16 * WIDENING_THREADS;

  /** {@code columnShift} of a scale that is its row's only one. */
  private static final int WHOLE_ROW = 31;

  private static final int OTHERWISE = -1;

  private static final int LEAST_SHIFT_OF_TILES =
      Integer.numberOfTrailingZeros(ProductTile.CODES_STEP);

  private final Kernel widen;
  private final Kernel[] vector; // of 1 and 2 rows
  private final ProductTile[] tiles; // by rising rows

  CodesProducts(CudaModule module, DeviceInfo device) {
    widen = module.kernel("widen_e4m3", KernelParameter.inOrder(3, 5, 0));
    vector =
        new Kernel[] {
          module.kernel("gemv_e4m3_1", PARAMETERS), module.kernel("gemv_e4m3_2", PARAMETERS)
        };
    // rows, stages, blocks per multiprocessor, blocks that may share a tile
    tiles =
        new ProductTile[] {
          ProductTile.ofCodes(module, device, 8, 8, 2, 16),
          ProductTile.ofCodes(module, device, 16, 8, 2, 16),
          ProductTile.ofCodes(module, device, 32, 6, 2, 8),
          ProductTile.ofCodes(module, device, 64, 6, 2, 4),
          ProductTile.ofCodes(module, device, 128, 4, 1, 4)
        };
  }

  /** Bytes of the parts that blocks leave, at most. */
  long partialBytes() {
    return ProductTile.mostPartialBytes(tiles);
  }

  /** As {@link LinearKernels#multiply}, whose shape has been checked. */
  void multiply(
      CudaStream stream,
      int fp32,
      long y,
      long x,
      WeightMatrix w,
      WeightScales scales,
      long residual,
      int m,
      long partial,
      long tickets) {
    final int columnShift = columnShift(scales.columns(), w.inputs());
    if (m == 1 || !fitTiles(scales.columns(), w.inputs())) {
      final int at = Math.min(m, MOST_AT_ONCE) - 1;
      final Kernel kernel = vector[at];
      final int pairs = Shapes.ceilDiv(m, at + 1);
      Shapes.requireIn(kernel.name(), "rows", pairs, 1, Shapes.MAX_GRID_Y);
      kernel.pointer(y).pointer(x).pointer(w.address()).pointer(scales.address());
      kernel.pointer(w.bias()).pointer(residual).i32(m).i32(w.outputs()).i32(w.inputs()).i32(fp32);
      kernel.i32(scales.rowShift()).i32(scales.columns()).i32(columnShift);
      final int blocks = Shapes.ceilDiv(w.outputs(), COLUMNS_PER_VECTOR_BLOCK);
      kernel.launch(stream, blocks, pairs, 1, 32 * COLUMNS_PER_VECTOR_BLOCK, 0);
      return;
    }
    final ProductTile tile = ProductTile.holding(m, tiles);
    final int n = w.outputs();
    final int k = w.inputs();
    final int whole = tile.wholeTiles(m, n);
    final Kernel kernel = tile.kernel();
    kernel.pointer(y).pointer(x).pointer(w.address()).pointer(scales.address());
    kernel.pointer(w.bias()).pointer(residual).pointer(partial).pointer(tickets);
    kernel.i32(m).i32(n).i32(k).i32(fp32).i32(whole).i32(tile.share(m, n, k));
    kernel.i32(scales.rowShift()).i32(scales.columns()).i32(columnShift);
    final int blocks = whole + tile.sharers(m, n, k);
    kernel.launch(stream, blocks, 1, 1, ProductTile.THREADS, tile.sharedBytes());
  }

  /** As {@link LinearKernels#widen}. */
  void widen(CudaStream stream, long out, WeightMatrix w, WeightScales scales) {
    final int n = w.outputs();
    final int k = w.inputs();
    widen.pointer(out).pointer(w.address()).pointer(scales.address()).i32(n).i32(k);
    widen.i32(scales.rowShift()).i32(scales.columns()).i32(columnShift(scales.columns(), k));
    final int groups = Shapes.ceilDiv(k, WIDENED_BY_A_BLOCK);
    widen.launch(stream, groups, Math.min(n, Shapes.MAX_GRID_Y), 1, WIDENING_THREADS, 0);
  }

  /** Whether tensor cores can multiply codes of which so many adjacent columns share a scale. */
  static boolean fitTiles(int columns, int inputs) {
    return columnShift(columns, inputs) >= LEAST_SHIFT_OF_TILES;
  }

  /**
   * {@code columns} as a power of two; {@link #WHOLE_ROW} if all have one scale, below 0 if none.
   */
  static int columnShift(int columns, int inputs) {
    Shapes.requireIn("multiply", "columns of a scale", columns, 1, inputs);
    if (columns == inputs) {
      return WHOLE_ROW;
    }
    return Integer.bitCount(columns) == 1 ? Integer.numberOfTrailingZeros(columns) : OTHERWISE;
  }
}
