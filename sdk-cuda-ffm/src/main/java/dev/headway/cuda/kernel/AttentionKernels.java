package dev.headway.cuda.kernel;

import static dev.headway.cuda.device.KernelParameter.inOrder;

import dev.headway.cuda.device.CudaModule;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceInfo;
import dev.headway.cuda.device.Kernel;

/**
 * Attention of one shape over pages. A row sees the keys from 0, or from the begin of its window,
 * to its own position, which must be in the cache already; keys before the window are not read.
 * Where heads have sinks, the softmax of a row has one score more, which has no value.
 *
 * <p>{@link #decode} for rows that are alone in their sequence, {@link #prefill} for runs of rows
 * of one sequence; {@link #reference} for any, slowly: what the other two are compared with.
 */
public final class AttentionKernels {
  private static final int THREADS = 128;
  private static final long SCRATCH_ALIGNMENT = 256;

  private final AttentionKernelShape shape;
  private final DecodeKernelShape decodeShape;
  private final Kernel reference;
  private final Kernel decode;
  private final Kernel decodeCodes;
  private final Kernel prefill;
  private final Kernel prefillCodes;
  private final PrefillKernelShape prefillShape;
  private final int unitsPerItem;
  private final int decodeBlocks;
  private final int referenceSharedBytes;

  AttentionKernels(CudaModule module, AttentionKernelShape shape, DeviceInfo device) {
    this.shape = shape;
    prefillShape = PrefillKernelShape.of(shape);
    decodeShape = DecodeKernelShape.of(shape);
    unitsPerItem = decodeShape.unitsPerItem(shape);
    decodeBlocks =
        Shapes.blocksAtOnce(
            device, decodeShape.sharedBytes(), DecodeKernelShape.MOST_BLOCKS_PER_MULTIPROCESSOR);
    referenceSharedBytes = Float.BYTES * (5 * shape.headDim() + 4 * 2);
    reference = module.kernel("attention_reference", inOrder(8, 7, 1));
    decode =
        module
            .kernel(decodeShape.kernelName(), inOrder(11, 5, 1))
            .allowSharedBytes(decodeShape.sharedBytes());
    decodeCodes =
        module
            .kernel(ofCodes(decodeShape.kernelName()), inOrder(11, 7, 1))
            .allowSharedBytes(decodeShape.sharedBytes());
    prefillCodes =
        module
            .kernel(ofCodes(prefillShape.kernelName()), inOrder(10, 8, 1))
            .allowSharedBytes(prefillShape.sharedBytes());
    prefill =
        module
            .kernel(prefillShape.kernelName(), inOrder(10, 6, 1))
            .allowSharedBytes(prefillShape.sharedBytes());
  }

  /** The kernel of the same shape that reads e4m3 codes. */
  private static String ofCodes(String kernel) {
    return kernel.replaceFirst("(?=_d\\d)", "_e4m3");
  }

  /** How rows are cut into the items of {@link #decode}. */
  public DecodeCut decodeCut() {
    return new DecodeCut(shape);
  }

  /** How chunks are cut into the items of {@link #prefill}. */
  public PrefillCut prefillCut() {
    return new PrefillCut(shape);
  }

  /**
   * Bytes of the array {@code scratch} of {@link #decode}: what is known of units, then reference
   * and sum, then unscaled output of each item and head.
   */
  public long decodeScratchBytes(int mostItems) {
    return sumsAt(mostItems) + (long) Float.BYTES * mostItems * shape.heads() * shape.headDim();
  }

  /**
   * Bytes of the array {@code scratch} of {@link #prefill}: how many items of a tile are done, then
   * reference and sum, then unscaled output of each record and head. At least 1.
   */
  public long prefillScratchBytes(int mostRecords) {
    final long sums = (long) Float.BYTES * mostRecords * shape.heads() * shape.headDim();
    return Math.max(SCRATCH_ALIGNMENT, prefillSumsAt(mostRecords) + sums);
  }

  private long prefillStatsAt(int mostRecords) {
    return aligned((long) Integer.BYTES * mostRecords * prefillShape.blocksPerTile(shape));
  }

  private long prefillSumsAt(int mostRecords) {
    return prefillStatsAt(mostRecords) + aligned(2L * Float.BYTES * mostRecords * shape.heads());
  }

  private long statsAt(int mostItems) {
    return aligned((long) Integer.BYTES * (2 + (long) mostItems * unitsPerItem));
  }

  private long sumsAt(int mostItems) {
    return statsAt(mostItems) + aligned(2L * Float.BYTES * mostItems * shape.heads());
  }

  private static long aligned(long bytes) {
    return (bytes + SCRATCH_ALIGNMENT - 1) / SCRATCH_ALIGNMENT * SCRATCH_ALIGNMENT;
  }

  /**
   * Rows 0 to {@code rows - 1} of {@code qkv}, one block per row and head.
   *
   * @param cache in bf16
   * @param sinks {@code float[heads]}, or 0
   */
  public void reference(
      CudaStream stream,
      AttentionBatch batch,
      LayerCache cache,
      long out,
      long qkv,
      long sinks,
      int rows) {
    Shapes.requirePositive("attention_reference", "rows", rows);
    reference.pointer(out).pointer(qkv).pointer(cache.keys()).pointer(cache.values());
    reference.pointer(batch.sequence()).pointer(batch.position()).pointer(batch.blockTable());
    reference.pointer(sinks).i32(batch.maxBlocks()).i32(cache.blockStride()).i32(shape.heads());
    reference.i32(shape.kvHeads()).i32(shape.headDim()).i32(shape.blockSize()).i32(batch.keys());
    reference.f32(shape.scale());
    reference.launch(stream, rows, shape.heads(), 1, THREADS, referenceSharedBytes);
  }

  /**
   * The items of a list, which {@link #decodeCut} writes for the window of the batch. The launch
   * has the same shape whatever the list holds, so that a recorded one serves any.
   *
   * @param out {@code [all rows][heads * headDim]}; rows without an item are left alone
   * @param qkv {@code [all rows][(heads + 2 * kvHeads) * headDim]}
   * @param sinks {@code float[heads]}, or 0
   * @param work {@code int[4 + 4 * items]}, at a multiple of 16: the number of items, three that it
   *     does not read, the items; all items of a row follow each other
   * @param mostItems most items that the list may have; what {@code scratch} was sized for
   * @param scratch {@link #decodeScratchBytes} bytes at a multiple of 256, zero before the first
   *     launch; launches that may run at the same time need their own
   */
  public void decode(
      CudaStream stream,
      AttentionBatch batch,
      LayerCache cache,
      long out,
      long qkv,
      long sinks,
      long work,
      int mostItems,
      long scratch) {
    Shapes.requirePositive("attention_decode", "mostItems", mostItems);
    final PageScales scales = cache.scales();
    final Kernel kernel = scales == null ? decode : decodeCodes;
    kernel.pointer(out).pointer(scratch).pointer(scratch + statsAt(mostItems));
    kernel.pointer(scratch + sumsAt(mostItems)).pointer(qkv);
    kernel.pointer(cache.keys()).pointer(cache.values()).pointer(work).pointer(batch.sequence());
    kernel
        .pointer(batch.blockTable())
        .pointer(sinks)
        .i32(batch.maxBlocks())
        .i32(cache.blockStride());
    kernel.i32(shape.heads()).i32(shape.kvHeads()).i32(shape.blockSize());
    if (scales != null) {
      kernel.i32(scales.keyFactor()).i32(scales.valueFactor());
    }
    kernel.f32(shape.scale());
    final int blocks = (int) Math.min(decodeBlocks, (long) mostItems * unitsPerItem);
    kernel.launch(stream, blocks, 1, 1, decodeShape.threads(), decodeShape.sharedBytes());
  }

  /**
   * The items of a list, which {@link #prefillCut} writes for the window of the batch: rows that
   * follow each other in one sequence. All items of a tile are in one list. The kernel begins with
   * the last item. A recorded launch serves any list of as many items; those of padding are left
   * alone.
   *
   * @param out {@code [all rows][heads * headDim]}; rows without an item are left alone
   * @param qkv {@code [all rows][(heads + 2 * kvHeads) * headDim]}
   * @param sinks {@code float[heads]}, or 0
   * @param items {@code int[count][8]}, at a multiple of 16
   * @param mostRecords records are below it; what {@code scratch} was sized for, 0 if there are
   *     none
   * @param scratch {@link #prefillScratchBytes} bytes at a multiple of 256, zero before the first
   *     launch; launches that may run at the same time need their own
   */
  public void prefill(
      CudaStream stream,
      AttentionBatch batch,
      LayerCache cache,
      long out,
      long qkv,
      long sinks,
      long items,
      int count,
      int mostRecords,
      long scratch) {
    Shapes.requireIn("attention_prefill", "count", count, 1, Shapes.MAX_GRID_Y);
    Shapes.requireIn("attention_prefill", "mostRecords", mostRecords, 0, Integer.MAX_VALUE);
    final PageScales scales = cache.scales();
    final Kernel kernel = scales == null ? prefill : prefillCodes;
    kernel.pointer(out).pointer(scratch).pointer(scratch + prefillStatsAt(mostRecords));
    kernel.pointer(scratch + prefillSumsAt(mostRecords)).pointer(qkv);
    kernel.pointer(cache.keys()).pointer(cache.values()).pointer(items);
    kernel
        .pointer(batch.blockTable())
        .pointer(sinks)
        .i32(batch.maxBlocks())
        .i32(cache.blockStride());
    kernel.i32(shape.heads()).i32(shape.kvHeads()).i32(shape.blockSize()).i32(batch.keys());
    if (scales != null) {
      kernel.i32(scales.keyFactor()).i32(scales.valueFactor());
    }
    kernel.f32(shape.scale());
    kernel.launch(
        stream,
        prefillShape.blocksPerTile(shape),
        count,
        1,
        PrefillKernelShape.THREADS,
        prefillShape.sharedBytes());
  }
}
