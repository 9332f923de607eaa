package dev.headway.cuda.kernel;

import dev.headway.cuda.device.CudaModule;
import dev.headway.cuda.device.DeviceInfo;
import dev.headway.cuda.device.Kernel;
import dev.headway.cuda.device.KernelParameter;
import java.util.Arrays;

/**
 * A kernel of {@code linear_tiles.cu}, {@code linear_e4m3.cu} or {@code linear_codes.cu} and how
 * its work is cut: into tiles of {@code rows} x {@code columns}, and where those would leave
 * multiprocessors without work, tiles are shared among blocks. The cut follows from the shape and
 * the device, never from what is multiplied. Device thread only.
 */
final class ProductTile {
  private static final KernelParameter[] PARAMETERS = KernelParameter.inOrder(7, 6, 0);
  private static final KernelParameter[] PARAMETERS_WITH_SCALES = KernelParameter.inOrder(8, 9, 0);
  private static final KernelParameter[] PARAMETERS_OF_CODES = KernelParameter.inOrder(9, 11, 0);
  private static final int COLUMNS_OF_CODES = 128;

  /** Threads of a block, the same for all. */
  static final int THREADS = 256;

  /** Terms of a sum of codes that are one unit of work. */
  static final int CODES_STEP = 64;

  private final Kernel kernel;
  private final int rows;
  private final int columns;
  private final int step;
  private final int sharedBytes;
  private final int mostSharers;
  private final int blocksAtOnce;

  /**
   * Finds the kernel; cold.
   *
   * @param step terms of the sums that are one unit of work
   * @param stages units in shared memory
   * @param blocks per multiprocessor, where it has shared memory for them
   * @param mostSharers blocks per tile: what they leave has to be added by one of them
   */
  ProductTile(
      CudaModule module,
      DeviceInfo device,
      int rows,
      int columns,
      int step,
      int stages,
      int blocks,
      int mostSharers) {
    this(
        device,
        module.kernel("gemm_" + rows + "x" + columns, PARAMETERS),
        rows,
        columns,
        step,
        2 * stages * (rows + columns) * step,
        blocks,
        mostSharers);
  }

  /** Finds the kernel for weights that are e4m3 codes; as the constructor. */
  static ProductTile ofCodes(
      CudaModule module, DeviceInfo device, int rows, int stages, int blocks, int mostSharers) {
    final Kernel kernel = module.kernel("gemm_e4m3_" + rows + "x128", PARAMETERS_WITH_SCALES);
    return ofCodes(
        device, kernel, rows, stages * (2 * rows + COLUMNS_OF_CODES), blocks, mostSharers);
  }

  /** The same for inputs that are codes, too. */
  static ProductTile ofCodesByCodes(
      CudaModule module, DeviceInfo device, int rows, int stages, int blocks, int mostSharers) {
    final Kernel kernel = module.kernel("gemm_e4m3_e4m3_" + rows + "x128", PARAMETERS_OF_CODES);
    return ofCodes(device, kernel, rows, stages * (rows + COLUMNS_OF_CODES), blocks, mostSharers);
  }

  private static ProductTile ofCodes(
      DeviceInfo device, Kernel kernel, int rows, int bytesOfATerm, int blocks, int mostSharers) {
    final int sharedBytes = bytesOfATerm * CODES_STEP;
    return new ProductTile(
        device, kernel, rows, COLUMNS_OF_CODES, CODES_STEP, sharedBytes, blocks, mostSharers);
  }

  private ProductTile(
      DeviceInfo device,
      Kernel kernel,
      int rows,
      int columns,
      int step,
      int sharedBytes,
      int blocks,
      int mostSharers) {
    this.rows = rows;
    this.columns = columns;
    this.step = step;
    this.mostSharers = mostSharers;
    this.sharedBytes = sharedBytes;
    this.kernel = kernel.allowSharedBytes(sharedBytes);
    blocksAtOnce = Shapes.blocksAtOnce(device, sharedBytes, blocks);
  }

  Kernel kernel() {
    return kernel;
  }

  int rows() {
    return rows;
  }

  int sharedBytes() {
    return sharedBytes;
  }

  /** Tiles of a product. */
  int tiles(int m, int n) {
    return Math.multiplyExact(Shapes.ceilDiv(m, rows), Shapes.ceilDiv(n, columns));
  }

  /** Whether tiles of this size give at least half the device work. */
  boolean fills(int m, int n) {
    return tiles(m, n) >= blocksAtOnce / 2;
  }

  /**
   * Tiles that get a block each, the first ones. None where one row of tiles holds all rows: then
   * every block takes an equal share of {@code w}, which is what the time goes into. Otherwise all,
   * or all but a last round that would leave a quarter of the device without work.
   */
  int wholeTiles(int m, int n) {
    if (m <= rows) {
      return 0;
    }
    final int tiles = tiles(m, n);
    final int left = tiles % blocksAtOnce;
    return 4 * left > 3 * blocksAtOnce ? tiles : tiles - left;
  }

  /** Units of work of each block that shares tiles; 0 if none does. */
  int share(int m, int n, int k) {
    final int left = tiles(m, n) - wholeTiles(m, n);
    final int units = Math.multiplyExact(left, Shapes.ceilDiv(k, step));
    return left == 0
        ? 0
        : Shapes.ceilDiv(units, (int) Math.min(blocksAtOnce, (long) left * mostSharers));
  }

  /** Blocks that share what is left of {@code tiles}. */
  int sharers(int m, int n, int k) {
    final int share = share(m, n, k);
    final int left = tiles(m, n) - wholeTiles(m, n);
    return share == 0 ? 0 : Shapes.ceilDiv(left * Shapes.ceilDiv(k, step), share);
  }

  /** The first of some, by rising rows, that holds so many rows; the last one if none does. */
  static ProductTile holding(int m, ProductTile... tiles) {
    for (ProductTile tile : tiles) {
      if (m <= tile.rows) {
        return tile;
      }
    }
    return tiles[tiles.length - 1];
  }

  /** The most that any of some needs for parts. */
  static long mostPartialBytes(ProductTile... tiles) {
    return Arrays.stream(tiles).mapToLong(ProductTile::partialBytes).max().orElseThrow();
  }

  /** Bytes of the parts that sharers leave, at most. */
  long partialBytes() {
    return 2L * blocksAtOnce * rows * columns * Float.BYTES;
  }
}
