package dev.headway.cuda.kernel;

import static dev.headway.cuda.device.KernelParameter.inOrder;

import dev.headway.cuda.device.CudaModule;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.Kernel;

/**
 * What LoRA adapters add to the outputs of products, each row its own adapter's: {@link #shrink},
 * then {@link #expand}. Sums are floats, in an order that depends on nothing but the sizes of the
 * matrices. Device thread only; allocates nothing.
 */
public final class LoraKernels {
  /** What rows have in the place of an adapter that have none. */
  public static final int NO_ADAPTER = -1;

  /** Ranks are multiples of it, and so are rows of the first matrix. */
  public static final int ALIGNMENT = 8;

  /** Rows from which a block has several, to read the matrices of their adapter once. */
  private static final int MIN_TILED_ROWS = 65; // counted, not measured

  private static final int TILE_ROWS = 8;
  private static final int THREADS = 128;
  private static final int COLUMNS_OF_A_BLOCK = 4;

  private final Kernel shrinkRow;
  private final Kernel shrinkTile;
  private final Kernel expandRow;
  private final Kernel expandTile;

  LoraKernels(CudaModule module) {
    shrinkRow = module.kernel("lora_shrink_1", inOrder(5, 3, 0));
    shrinkTile = module.kernel("lora_shrink_" + TILE_ROWS, inOrder(5, 3, 0));
    expandRow = module.kernel("lora_expand_1", inOrder(4, 6, 0));
    expandTile = module.kernel("lora_expand_" + TILE_ROWS, inOrder(4, 6, 0));
  }

  /**
   * {@code low = scale * x * transpose(down)} for rows that have an adapter; the others are not
   * written.
   *
   * @param low {@code float[rows][columns]}
   * @param x {@code bf16[rows][inputs]}
   * @param down {@code bf16[adapters][columns][inputs]}, rows filled up with zeros to a multiple of
   *     {@link #ALIGNMENT}, 16 bytes aligned
   * @param scales {@code float[adapters]}
   * @param adapters {@code int[rows]}: each row's adapter, or {@link #NO_ADAPTER}; not checked on
   *     the device
   * @param columns a multiple of {@link #ALIGNMENT}
   */
  public void shrink(
      CudaStream stream,
      long low,
      long x,
      long down,
      long scales,
      long adapters,
      int rows,
      int inputs,
      int columns) {
    Shapes.requirePositive("lora_shrink", "rows", rows);
    Shapes.requirePositive("lora_shrink", "inputs", inputs);
    requireAligned("lora_shrink", "columns", columns);
    final boolean isTiled = rows >= MIN_TILED_ROWS;
    final Kernel kernel = isTiled ? shrinkTile : shrinkRow;
    kernel.pointer(low).pointer(x).pointer(down).pointer(scales).pointer(adapters);
    kernel.i32(rows).i32(inputs).i32(columns);
    final int groups = isTiled ? Shapes.ceilDiv(rows, TILE_ROWS) : rows;
    kernel.launch(stream, groups, columns / COLUMNS_OF_A_BLOCK, 1, THREADS, 0);
  }

  /**
   * {@code y = y + low * transpose(up)}, rounded once, for rows that have an adapter; the others
   * are neither read nor written.
   *
   * @param y {@code bf16[rows][outputs]}
   * @param low {@code float[rows][columns]}, of {@link #shrink}
   * @param up {@code bf16[adapters][rank / 8][outputs][8]}
   * @param adapters as for {@link #shrink}
   * @param rank columns of {@code low} that an output reads, a multiple of {@link #ALIGNMENT}
   * @param second outputs from it on read the second {@code rank} columns
   * @param third outputs from it on read the third; {@code outputs} if there are no such columns
   */
  public void expand(
      CudaStream stream,
      long y,
      long low,
      long up,
      long adapters,
      int rows,
      int outputs,
      int rank,
      int columns,
      int second,
      int third) {
    Shapes.requirePositive("lora_expand", "rows", rows);
    Shapes.requirePositive("lora_expand", "outputs", outputs);
    requireAligned("lora_expand", "rank", rank);
    requireAligned("lora_expand", "columns", columns);
    Shapes.requireIn("lora_expand", "second", second, 0, third);
    Shapes.requireIn("lora_expand", "third", third, second, outputs);
    final boolean isTiled = rows >= MIN_TILED_ROWS;
    final Kernel kernel = isTiled ? expandTile : expandRow;
    kernel.pointer(y).pointer(low).pointer(up).pointer(adapters);
    kernel.i32(rows).i32(outputs).i32(rank).i32(columns).i32(second).i32(third);
    final int groups = isTiled ? Shapes.ceilDiv(rows, TILE_ROWS) : rows;
    kernel.launch(stream, Shapes.ceilDiv(outputs, THREADS), groups, 1, THREADS, 0);
  }

  private static void requireAligned(String kernel, String name, int value) {
    Shapes.requirePositive(kernel, name, value);
    if (value % ALIGNMENT != 0) {
      throw new IllegalArgumentException(
          kernel + ": " + name + " must be a multiple of " + ALIGNMENT + ": " + name + "=" + value);
    }
  }
}
