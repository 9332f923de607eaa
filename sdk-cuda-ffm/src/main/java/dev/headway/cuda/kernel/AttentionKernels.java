package dev.headway.cuda.kernel;

import static dev.headway.cuda.device.KernelParameter.F32;
import static dev.headway.cuda.device.KernelParameter.I32;
import static dev.headway.cuda.device.KernelParameter.POINTER;

import dev.headway.cuda.device.CudaModule;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.Kernel;

/**
 * Attention of one shape over pages. A row sees the keys from 0 to its own position, which must be
 * in the cache already.
 *
 * <p>{@link #decode} for rows that are alone in their sequence, {@link #prefill} for runs of rows
 * of one sequence; {@link #reference} for any, slowly: what the other two are compared with.
 */
public final class AttentionKernels {
  /** Most rows of a tile of {@link #prefill}. */
  public static final int TILE_ROWS = 64;

  /** {@code int}s that describe a tile: first row, rows, row of the block table. */
  public static final int TILE_INTS = 3;

  private static final int THREADS = 128;
  private static final int WIDE_GROUP = 4;

  private final AttentionKernelShape shape;
  private final Kernel reference;
  private final Kernel decode;
  private final Kernel merge;
  private final Kernel prefill;
  private final int groups;
  private final int referenceSharedBytes;

  AttentionKernels(CudaModule module, AttentionKernelShape shape) {
    final int d = shape.headDim();
    final int perKvHead = shape.heads() / shape.kvHeads();
    final int group = perKvHead == 1 ? 1 : WIDE_GROUP;
    this.shape = shape;
    groups = Shapes.ceilDiv(perKvHead, group);
    referenceSharedBytes = Float.BYTES * (d + 4 * (d + 2));
    reference =
        module.kernel(
            "attention_reference",
            POINTER,
            POINTER,
            POINTER,
            POINTER,
            POINTER,
            POINTER,
            POINTER,
            I32,
            I32,
            I32,
            I32,
            I32,
            I32,
            F32);
    decode =
        module.kernel(
            "attention_decode_d" + d + "_g" + group,
            POINTER,
            POINTER,
            POINTER,
            POINTER,
            POINTER,
            POINTER,
            POINTER,
            POINTER,
            POINTER,
            I32,
            I32,
            I32,
            I32,
            I32,
            F32);
    merge = module.kernel("attention_merge", POINTER, POINTER, POINTER, I32, I32, I32);
    prefill =
        module.kernel(
            "attention_prefill_d" + d,
            POINTER,
            POINTER,
            POINTER,
            POINTER,
            POINTER,
            POINTER,
            POINTER,
            I32,
            I32,
            I32,
            I32,
            I32,
            F32);
  }

  /** Bytes of the array {@code partial} of {@link #decode}; 0 for one part. */
  public long partialBytes(int rows, int parts) {
    return parts == 1
        ? 0
        : (long) Float.BYTES * rows * shape.heads() * parts * (shape.headDim() + 2);
  }

  /** Rows 0 to {@code rows - 1} of {@code qkv}, one block per row and head. */
  public void reference(
      CudaStream stream, AttentionBatch batch, LayerCache cache, long out, long qkv, int rows) {
    Shapes.requirePositive("attention_reference", "rows", rows);
    reference.pointer(out).pointer(qkv).pointer(cache.keys()).pointer(cache.values());
    reference.pointer(batch.sequence()).pointer(batch.position()).pointer(batch.blockTable());
    reference.i32(batch.maxBlocks()).i32(cache.blockStride()).i32(shape.heads());
    reference.i32(shape.kvHeads()).i32(shape.headDim()).i32(shape.blockSize()).f32(shape.scale());
    reference.launch(stream, rows, shape.heads(), 1, THREADS, referenceSharedBytes);
  }

  /**
   * The rows that {@code rows} names, each cut into {@code parts} equal ranges of keys.
   *
   * @param out {@code [all rows][heads * headDim]}
   * @param qkv {@code [all rows][(heads + 2 * kvHeads) * headDim]}
   * @param rows {@code int[count]}: rows of {@code qkv} and {@code out}
   * @param partial scratch of {@link #partialBytes}, or 0 for one part
   * @param parts more fill the device when few rows have many keys; lengths do not matter for it,
   *     so that a recorded launch stays right
   */
  public void decode(
      CudaStream stream,
      AttentionBatch batch,
      LayerCache cache,
      long out,
      long qkv,
      long rows,
      int count,
      long partial,
      int parts) {
    Shapes.requireIn("attention_decode", "count", count, 1, Shapes.MAX_GRID_Y);
    Shapes.requireIn("attention_decode", "parts", parts, 1, Shapes.MAX_GRID_Y);
    decode.pointer(out).pointer(partial).pointer(qkv).pointer(cache.keys()).pointer(cache.values());
    decode.pointer(rows).pointer(batch.sequence()).pointer(batch.position());
    decode.pointer(batch.blockTable()).i32(batch.maxBlocks()).i32(cache.blockStride());
    decode.i32(shape.heads()).i32(shape.kvHeads()).i32(shape.blockSize()).f32(shape.scale());
    decode.launch(stream, shape.kvHeads() * groups, count, parts, THREADS, 0);
    if (parts > 1) {
      merge.pointer(out).pointer(partial).pointer(rows).i32(shape.heads()).i32(shape.headDim());
      merge.i32(parts).launch(stream, count, shape.heads(), 1, THREADS, 0);
    }
  }

  /**
   * Runs of rows that follow each other in one sequence.
   *
   * @param tiles {@code int[count][3]}: first row, rows (1 to {@value #TILE_ROWS}), row of the
   *     block table
   */
  public void prefill(
      CudaStream stream,
      AttentionBatch batch,
      LayerCache cache,
      long out,
      long qkv,
      long tiles,
      int count) {
    Shapes.requirePositive("attention_prefill", "count", count);
    prefill.pointer(out).pointer(qkv).pointer(cache.keys()).pointer(cache.values());
    prefill.pointer(tiles).pointer(batch.position()).pointer(batch.blockTable());
    prefill.i32(batch.maxBlocks()).i32(cache.blockStride()).i32(shape.heads());
    prefill.i32(shape.kvHeads()).i32(shape.blockSize()).f32(shape.scale());
    prefill.launch(stream, count, shape.heads(), 1, THREADS, 0);
  }
}
