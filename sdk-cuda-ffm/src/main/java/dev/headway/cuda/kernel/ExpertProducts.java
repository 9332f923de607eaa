package dev.headway.cuda.kernel;

import static dev.headway.cuda.device.KernelParameter.inOrder;

import dev.headway.cuda.device.CudaModule;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.Kernel;
import dev.headway.cuda.device.KernelParameter;
import dev.headway.cuda.device.Mxfp4Weights;
import dev.headway.cuda.device.ProductWeights;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.device.WeightScales;

/**
 * Products of rows that are grouped by expert, in tiles: a kernel for each way in which weights are
 * stored and each size of tile. Device thread only; allocates nothing.
 */
final class ExpertProducts {
  /** Rows of a tile, rising. */
  static final int[] TILE_ROWS = {8, 32, 128};

  private static final int TILE_STEP = 64;
  private static final int[] COLUMNS = {128, 128, 128};
  private static final int[] COLUMNS_OF_MXFP4 = {64, 128, 128}; // few rows leave few blocks
  private static final int[] STAGES = {4, 4, 3};
  private static final int[] STAGES_OF_CODES = {8, 6, 4};
  private static final int[] STAGES_OF_MXFP4 = {8, 8, 6};

  private final Sizes ofBf16;
  private final Sizes ofCodes;
  private final Sizes ofMxfp4;

  ExpertProducts(CudaModule module) {
    ofBf16 = new Sizes(COLUMNS);
    ofCodes = new Sizes(COLUMNS);
    ofMxfp4 = new Sizes(COLUMNS_OF_MXFP4);
    for (int i = 0; i < TILE_ROWS.length; i++) {
      final long step = (long) COLUMNS[i] * TILE_STEP;
      ofBf16.find(module, "group_gemm_", inOrder(5, 2, 0), i, STAGES[i], 2 * step);
      ofCodes.find(module, "group_gemm_e4m3_", inOrder(6, 5, 0), i, STAGES_OF_CODES[i], step);
      final long records = Mxfp4Layout.bytes(COLUMNS_OF_MXFP4[i], TILE_STEP);
      ofMxfp4.find(module, "group_gemm_mxfp4_", inOrder(5, 2, 0), i, STAGES_OF_MXFP4[i], records);
    }
  }

  /** The kernels of weights that are stored alike, by the size of tile. */
  private static final class Sizes {
    final int[] columns;
    final Kernel[] kernels = new Kernel[TILE_ROWS.length];
    final int[] sharedBytes = new int[TILE_ROWS.length];

    Sizes(int[] columns) {
      this.columns = columns;
    }

    /**
     * Finds the kernel of a size.
     *
     * @param stages steps in shared memory
     * @param weightBytes of a step
     */
    void find(
        CudaModule module,
        String name,
        KernelParameter[] parameters,
        int size,
        int stages,
        long weightBytes) {
      final long inputBytes = 2L * TILE_ROWS[size] * TILE_STEP;
      sharedBytes[size] = Math.toIntExact(stages * (weightBytes + inputBytes));
      kernels[size] =
          module
              .kernel(name + TILE_ROWS[size] + "x" + columns[size], parameters)
              .allowSharedBytes(sharedBytes[size]);
    }

    /** Threads of a block: 32 for each 16 columns. */
    int threads(int size) {
      return 2 * columns[size];
    }
  }

  /**
   * As {@link ExpertKernels#multiply}.
   *
   * @param size of the tiles, an index of {@link #TILE_ROWS}
   * @param most as many tiles as there may be
   */
  void multiply(
      CudaStream stream, long y, long x, ProductWeights w, long tiles, int size, int most) {
    final WeightScales scales = w instanceof WeightMatrix matrix ? matrix.scales() : null;
    final Sizes sizes = w instanceof Mxfp4Weights ? ofMxfp4 : scales == null ? ofBf16 : ofCodes;
    final Kernel kernel = sizes.kernels[size];
    Shapes.requireIn(kernel.name(), "tiles", most, 1, Shapes.MAX_GRID_Y);
    kernel.pointer(y).pointer(x).pointer(w.address());
    if (scales != null) {
      kernel.pointer(scales.address());
    }
    kernel.pointer(w.bias()).pointer(tiles).i32(w.outputs()).i32(w.inputs());
    if (scales != null) {
      kernel.i32(scales.rowShift()).i32(scales.columns());
      kernel.i32(CodesProducts.columnShift(scales.columns(), w.inputs()));
    }
    final int blocks = Shapes.ceilDiv(w.outputs(), sizes.columns[size]);
    kernel.launch(stream, blocks, most, 1, sizes.threads(size), sizes.sharedBytes[size]);
  }
}
