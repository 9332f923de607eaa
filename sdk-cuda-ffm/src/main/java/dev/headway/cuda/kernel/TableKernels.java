package dev.headway.cuda.kernel;

import static dev.headway.cuda.device.KernelParameter.inOrder;

import dev.headway.cuda.device.CudaModule;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.Kernel;

/** Work on block tables that stay on the device. */
public final class TableKernels {
  /** {@code int}s of a run: row of the tables, first place in it, number of ids, where they lie. */
  public static final int RUN_INTS = 4;

  private static final int BLOCKS = 64;
  private static final int THREADS = 128;

  private final Kernel change;

  TableKernels(CudaModule module) {
    change = module.kernel("change_tables", inOrder(3, 1, 0));
  }

  /**
   * Writes runs of block numbers into the tables. How many there are lies in device memory, so that
   * a recording serves any number.
   *
   * @param tables {@code int[rows][maxBlocks]}
   * @param block {@code int}s from which the places of runs and ids are counted
   * @param header {@code int[3]}: the first is not read, then the place of the runs, see {@link
   *     #RUN_INTS}, and their number
   * @param maxBlocks width of the tables; runs end within a row: not checked on the device
   */
  public void change(CudaStream stream, long tables, long block, long header, int maxBlocks) {
    Shapes.requirePositive("change_tables", "maxBlocks", maxBlocks);
    change.pointer(tables).pointer(block).pointer(header).i32(maxBlocks);
    change.launch(stream, BLOCKS, 1, 1, THREADS, 0);
  }
}
