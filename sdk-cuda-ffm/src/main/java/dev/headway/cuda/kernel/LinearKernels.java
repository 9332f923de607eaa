package dev.headway.cuda.kernel;

import dev.headway.cuda.device.CudaModule;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceInfo;
import dev.headway.cuda.device.Kernel;
import dev.headway.cuda.device.KernelParameter;
import dev.headway.cuda.device.WeightMatrix;

/**
 * {@code y = x * transpose(w) + bias + residual}, sums in fp32, weights in bf16 or as e4m3 codes
 * with scales. Device thread only; allocates nothing.
 *
 * <p>One and two rows: one warp per column. More go to tensor cores, with the smallest tile that
 * holds all rows up to 128, and the sum of a tile is shared among blocks where that keeps the
 * device busy: the parts meet in a workspace, and are added in a fixed order. A row's result
 * depends on the shape and the device, not on other rows, nor on how many there are between two of
 * 1, 2, 8, 16, 32, 64 and 128. Where the limits lie is counted, not measured.
 */
public final class LinearKernels {
  /** Rows up to which no tensor cores are used. */
  static final int MAX_VECTOR_ROWS = 2;

  private static final int COLUMNS_PER_VECTOR_BLOCK = 8;
  private static final int MAX_BLOCKS_PER_MULTIPROCESSOR = 2;
  private static final KernelParameter[] PARAMETERS = KernelParameter.inOrder(5, 4, 0);

  private final Kernel[] vector; // for 1 and 2 rows
  private final ProductTile[] few; // by rising rows; the last one holds 128
  private final ProductTile large;
  private final CodesProducts codes;
  private final long ticketBytes;
  private final long workspaceBytes;

  LinearKernels(CudaModule module, DeviceInfo device) {
    vector =
        new Kernel[] {module.kernel("gemv_1", PARAMETERS), module.kernel("gemv_2", PARAMETERS)};
    // rows, columns, terms of a step, stages, blocks per multiprocessor, blocks that may share a
    // tile
    few =
        new ProductTile[] {
          new ProductTile(module, device, 8, 128, 64, 4, 2, 16),
          new ProductTile(module, device, 16, 128, 64, 4, 2, 16),
          new ProductTile(module, device, 32, 128, 64, 4, 2, 8),
          new ProductTile(module, device, 64, 128, 64, 4, 2, 4),
          new ProductTile(module, device, 128, 128, 64, 3, 1, 4)
        };
    large = new ProductTile(module, device, 128, 256, 32, 4, 1, 3);
    codes = new CodesProducts(module, device);
    ticketBytes = ticketBytes(device);
    final long most = Math.max(large.partialBytes(), codes.partialBytes());
    workspaceBytes = ticketBytes + Math.max(most, ProductTile.mostPartialBytes(few));
  }

  /** Bytes of a workspace that count the blocks which have been at a tile; the first ones. */
  static long ticketBytes(DeviceInfo device) {
    final long tickets = 4L * MAX_BLOCKS_PER_MULTIPROCESSOR * device.multiprocessors();
    return (tickets + 15) / 16 * 16;
  }

  /**
   * Bytes of the workspace that {@link #multiply} needs, for any shape. It must be zero before the
   * first product and is left fit for the next one; products that may run at the same time need one
   * each.
   */
  public long workspaceBytes() {
    return workspaceBytes;
  }

  /**
   * Enqueues the product. Addresses are multiples of 16.
   *
   * @param output type of {@code y}
   * @param y {@code [m][outputs]}
   * @param x {@code [m][inputs]}
   * @param residual {@code [m][outputs]}, may be {@code y} if that is bf16; or 0
   * @param workspace {@link #workspaceBytes} bytes, zero before the first product
   */
  public void multiply(
      CudaStream stream,
      LinearOutput output,
      long y,
      long x,
      WeightMatrix w,
      long residual,
      int m,
      long workspace) {
    final int n = w.outputs();
    final int k = w.inputs();
    Shapes.requirePositive("multiply", "m", m);
    Shapes.requirePositive("multiply", "n", n);
    Shapes.requirePositive("multiply", "k", k);
    final int fp32 = output == LinearOutput.FP32 ? 1 : 0;
    if (w.scales() != null) {
      codes.multiply(
          stream, fp32, y, x, w, w.scales(), residual, m, workspace + ticketBytes, workspace);
      return;
    }
    if (m <= MAX_VECTOR_ROWS) {
      final Kernel kernel = vector[m - 1];
      kernel.pointer(y).pointer(x).pointer(w.address()).pointer(w.bias()).pointer(residual);
      final int blocks = Shapes.ceilDiv(n, COLUMNS_PER_VECTOR_BLOCK);
      kernel
          .i32(m)
          .i32(n)
          .i32(k)
          .i32(fp32)
          .launch(stream, blocks, 1, 1, 32 * COLUMNS_PER_VECTOR_BLOCK, 0);
      return;
    }
    final ProductTile tile = tileFor(m, n);
    final int whole = tile.wholeTiles(m, n);
    final int share = tile.share(m, n, k);
    final Kernel kernel = tile.kernel();
    kernel.pointer(y).pointer(x).pointer(w.address()).pointer(w.bias()).pointer(residual);
    kernel.pointer(workspace + ticketBytes).pointer(workspace).i32(m).i32(n).i32(k).i32(fp32);
    kernel.i32(whole).i32(share);
    final int blocks = whole + tile.sharers(m, n, k);
    kernel.launch(stream, blocks, 1, 1, ProductTile.THREADS, tile.sharedBytes());
  }

  /**
   * Enqueues {@code out = w} in bf16, each weight rounded once.
   *
   * @param out {@code [outputs][inputs]}
   * @param w e4m3 codes
   * @throws IllegalArgumentException if it is in bf16 already
   */
  public void widen(CudaStream stream, long out, WeightMatrix w) {
    if (w.scales() == null) {
      throw new IllegalArgumentException("widen_e4m3: weights must be codes: " + w);
    }
    codes.widen(stream, out, w, w.scales());
  }

  private ProductTile tileFor(int m, int n) {
    final ProductTile tile = ProductTile.holding(m, few);
    return m > tile.rows() && large.fills(m, n) ? large : tile;
  }
}
