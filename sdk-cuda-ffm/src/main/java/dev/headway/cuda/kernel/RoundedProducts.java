package dev.headway.cuda.kernel;

import static dev.headway.cuda.device.KernelParameter.inOrder;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaModule;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceInfo;
import dev.headway.cuda.device.Kernel;
import dev.headway.cuda.device.RoundedInputs;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.device.WeightScales;

/**
 * Products whose inputs are rounded to e4m3 codes, as a checkpoint asks for, with weights that are
 * codes too, on tensor cores. Kernels of an image of their own, for compute capability 8.9 and
 * newer. Lives as long as the device, which closes it; device thread only; allocates nothing.
 *
 * <p>What a row becomes depends on the shape and the device, not on other rows, nor on how many
 * there are between two of 8, 16, 32, 64 and 128.
 */
public final class RoundedProducts {
  private static final int LEAST_MAJOR = 8;
  private static final int LEAST_MINOR = 9;

  private static final int THREADS = 256;
  private static final int WARPS = THREADS / 32;

  /** Columns of a group of inputs are a multiple of this. */
  private static final int VALUES_PER_ACCESS = 8;

  private final String origin;
  private final Kernel roundRows;
  private final Kernel roundGroups;
  private final ProductTile[] tiles; // by rising rows
  private final long ticketBytes;
  private final long workspaceBytes;

  RoundedProducts(CudaModule module, DeviceInfo device, String origin) {
    this.origin = origin;
    roundRows = module.kernel("round_rows_e4m3", inOrder(4, 1, 0));
    roundGroups = module.kernel("round_groups_e4m3", inOrder(3, 3, 0));
    // rows, stages, blocks per multiprocessor, blocks that may share a tile
    tiles =
        new ProductTile[] {
          ProductTile.ofCodesByCodes(module, device, 8, 8, 2, 16),
          ProductTile.ofCodesByCodes(module, device, 16, 8, 2, 16),
          ProductTile.ofCodesByCodes(module, device, 32, 8, 2, 8),
          ProductTile.ofCodesByCodes(module, device, 64, 6, 2, 4),
          ProductTile.ofCodesByCodes(module, device, 128, 6, 1, 4)
        };
    ticketBytes = LinearKernels.ticketBytes(device);
    workspaceBytes = ticketBytes + ProductTile.mostPartialBytes(tiles);
  }

  /**
   * Loads the kernels.
   *
   * @throws IllegalArgumentException if the device has no products of eight-bit floats; says which
   *     one it is and what it needs
   * @throws dev.headway.cuda.CudaUnavailableException if the driver is too old
   * @throws dev.headway.cuda.CudaException if it refuses the kernels, or the device is lost
   */
  public static RoundedProducts load(CudaDevice device) {
    final DeviceInfo info = device.info();
    if (info.computeMajor() < LEAST_MAJOR
        || (info.computeMajor() == LEAST_MAJOR && info.computeMinor() < LEAST_MINOR)) {
      throw new IllegalArgumentException(
          "precision QUANTIZED needs a device of compute capability 8.9 or newer, which multiplies"
              + " eight-bit floats; precision BFLOAT16 leaves inputs as they are: device="
              + info.name()
              + ", computeCapability="
              + info.computeCapability());
    }
    final KernelImage.Loaded loaded = KernelImage.ROUNDED.load(device);
    return new RoundedProducts(loaded.module(), info, loaded.origin());
  }

  /** What was loaded, and why not the machine code where the driver refused it; for reports. */
  public String origin() {
    return origin;
  }

  /**
   * Whether there are kernels for a matrix whose scales are those of {@code columns} adjacent
   * columns, and whose inputs have one for each {@code inputColumns}.
   *
   * @param inputs columns of the matrix
   */
  public static boolean takes(int columns, int inputColumns, int inputs) {
    return CodesProducts.fitTiles(columns, inputs) && CodesProducts.fitTiles(inputColumns, inputs);
  }

  /**
   * Bytes of the workspace that {@link #multiply} needs, for any shape; as that of {@link
   * LinearKernels}, which may be the same one.
   */
  public long workspaceBytes() {
    return workspaceBytes;
  }

  /** How many scales the inputs of a row have. */
  public static int scalesOfARow(RoundedInputs how, int inputs) {
    return Shapes.ceilDiv(inputs, how.columns());
  }

  /**
   * Enqueues {@code codes = e4m3(x / scale)}, the nearest, 448 at most. Addresses are multiples of
   * 16.
   *
   * @param codes {@code byte[m][inputs]}
   * @param scales {@code float[scalesOfARow][pitch]}, one for each row
   * @param pitch rows that there is room for, >= m
   * @param x {@code [m][inputs]}, bf16
   */
  public void round(
      CudaStream stream,
      long codes,
      long scales,
      int pitch,
      long x,
      RoundedInputs how,
      int m,
      int inputs) {
    Shapes.requireIn("round_e4m3", "rows", m, 1, Math.min(pitch, Shapes.MAX_GRID_Y));
    Shapes.requireIn("round_e4m3", "columns of a scale", how.columns(), 1, inputs);
    if (how.columns() == inputs) {
      roundRows.pointer(codes).pointer(scales).pointer(x).pointer(how.fixedScale()).i32(inputs);
      roundRows.launch(stream, m, 1, 1, THREADS, 0);
      return;
    }
    if (how.columns() % VALUES_PER_ACCESS != 0 || how.fixedScale() != 0) {
      throw new IllegalArgumentException(
          "round_e4m3: columns of a scale must be a multiple of 8, and a fixed one that of all: "
              + how);
    }
    roundGroups.pointer(codes).pointer(scales).pointer(x);
    roundGroups.i32(inputs).i32(how.columns()).i32(pitch);
    final int blocks = Shapes.ceilDiv(scalesOfARow(how, inputs), WARPS);
    roundGroups.launch(stream, blocks, m, 1, THREADS, 0);
  }

  /**
   * Enqueues {@code y = x * transpose(w) + bias + residual} of rounded inputs. Addresses are
   * multiples of 16.
   *
   * @param y {@code [m][outputs]}
   * @param codes of the inputs, {@code byte[m][inputs]}
   * @param inputScales of the inputs, as {@link #round} leaves them
   * @param pitch as it was then
   * @param w codes with scales, and how its inputs are rounded
   * @param residual {@code [m][outputs]}, may be {@code y} if that is bf16; or 0
   * @param workspace {@link #workspaceBytes} bytes, zero before the first product
   * @throws IllegalArgumentException if its inputs are not rounded, or there are no kernels for its
   *     scales
   */
  public void multiply(
      CudaStream stream,
      LinearOutput output,
      long y,
      long codes,
      long inputScales,
      int pitch,
      WeightMatrix w,
      long residual,
      int m,
      long workspace) {
    final WeightScales scales = w.scales();
    final RoundedInputs how = w.rounded();
    final int n = w.outputs();
    final int k = w.inputs();
    Shapes.requirePositive("multiply", "m", m);
    Shapes.requirePositive("multiply", "n", n);
    if (scales == null || how == null || !takes(scales.columns(), how.columns(), k)) {
      throw new IllegalArgumentException(
          "multiply: weights must be codes, and scales of weights and inputs those of rows or of"
              + " 64, 128, 256 and so on columns: "
              + w);
    }
    final ProductTile tile = ProductTile.holding(m, tiles);
    final int whole = tile.wholeTiles(m, n);
    final Kernel kernel = tile.kernel();
    kernel.pointer(y).pointer(codes).pointer(inputScales);
    kernel.pointer(w.address()).pointer(scales.address()).pointer(w.bias()).pointer(residual);
    kernel.pointer(workspace + ticketBytes).pointer(workspace).i32(m).i32(n).i32(k);
    kernel.i32(output == LinearOutput.FP32 ? 1 : 0).i32(whole).i32(tile.share(m, n, k));
    kernel.i32(scales.rowShift()).i32(scales.columns());
    kernel.i32(CodesProducts.columnShift(scales.columns(), k));
    kernel.i32(CodesProducts.columnShift(how.columns(), k)).i32(pitch);
    final int blocks = whole + tile.sharers(m, n, k);
    kernel.launch(stream, blocks, 1, 1, ProductTile.THREADS, tile.sharedBytes());
  }
}
