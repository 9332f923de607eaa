package dev.headway.cuda.kernel;

import static dev.headway.cuda.device.KernelParameter.F32;
import static dev.headway.cuda.device.KernelParameter.I32;
import static dev.headway.cuda.device.KernelParameter.POINTER;

import dev.headway.cuda.device.CudaModule;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.Kernel;

/** Work on single rows of bf16. */
public final class RowKernels {
  private static final int THREADS = 256;
  private static final int MAX_NORM_THREADS = 1024;
  private static final int WARPS_PER_HEAD_NORM = 4;

  private final Kernel rmsNorm;
  private final Kernel headNorm;
  private final Kernel gather;
  private final Kernel swiglu;
  private final Kernel rope;

  RowKernels(CudaModule module) {
    rmsNorm = module.kernel("rms_norm", POINTER, POINTER, POINTER, POINTER, I32, F32);
    headNorm = module.kernel("head_norm", POINTER, POINTER, POINTER, I32, I32, I32, F32);
    gather = module.kernel("gather_rows", POINTER, POINTER, POINTER, I32);
    swiglu = module.kernel("swiglu", POINTER, POINTER, I32);
    rope =
        module.kernel(
            "rope_kv_write",
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

  /**
   * {@code out = x * rsqrt(mean(x^2) + epsilon) * weight} per row.
   *
   * @param x {@code [rows][dim]}; with {@code add} it becomes {@code x + add} first
   * @param add {@code [rows][dim]}, or 0
   * @param weight {@code [dim]}
   */
  public void rmsNorm(
      CudaStream stream,
      long out,
      long x,
      long add,
      long weight,
      int rows,
      int dim,
      float epsilon) {
    Shapes.requirePositive("rms_norm", "rows", rows);
    Shapes.requirePositive("rms_norm", "dim", dim);
    final int threads = Math.min(Shapes.ceilDiv(dim, 32) * 32, MAX_NORM_THREADS);
    rmsNorm.pointer(out).pointer(x).pointer(add).pointer(weight).i32(dim).f32(epsilon);
    rmsNorm.launch(stream, rows, 1, 1, threads, 0);
  }

  /**
   * The same per query head and per key head, in place (Qwen3).
   *
   * @param qkv {@code [rows][(heads + 2 * kvHeads) * headDim]}
   * @param queryWeight {@code [headDim]}
   * @param keyWeight {@code [headDim]}
   */
  public void headNorm(
      CudaStream stream,
      long qkv,
      long queryWeight,
      long keyWeight,
      int rows,
      AttentionKernelShape shape,
      float epsilon) {
    Shapes.requireIn("head_norm", "rows", rows, 1, Shapes.MAX_GRID_Y);
    final int heads = shape.heads() + shape.kvHeads();
    headNorm.pointer(qkv).pointer(queryWeight).pointer(keyWeight).i32(shape.heads());
    headNorm.i32(shape.kvHeads()).i32(shape.headDim()).f32(epsilon);
    headNorm.launch(
        stream, Shapes.ceilDiv(heads, WARPS_PER_HEAD_NORM), rows, 1, 32 * WARPS_PER_HEAD_NORM, 0);
  }

  /**
   * {@code out[r] = table[ids[r]]}: embeddings, and the rows that sample.
   *
   * @param ids {@code int[rows]}, each inside the table: not checked on the device
   */
  public void gather(CudaStream stream, long out, long table, long ids, int rows, int dim) {
    Shapes.requirePositive("gather_rows", "rows", rows);
    Shapes.requirePositive("gather_rows", "dim", dim);
    gather.pointer(out).pointer(table).pointer(ids).i32(dim).launch(stream, rows, 1, 1, THREADS, 0);
  }

  /**
   * {@code out = silu(gate) * up}.
   *
   * @param gateUp {@code [rows][2 * hidden]}, gates first
   */
  public void swiglu(CudaStream stream, long out, long gateUp, int rows, int hidden) {
    Shapes.requireIn("swiglu", "rows", rows, 1, Shapes.MAX_GRID_Y);
    Shapes.requirePositive("swiglu", "hidden", hidden);
    swiglu.pointer(out).pointer(gateUp).i32(hidden);
    swiglu.launch(stream, Shapes.ceilDiv(hidden, THREADS), rows, 1, THREADS, 0);
  }

  /**
   * Rotates queries and keys in place and writes keys and values to their slots of the cache.
   *
   * @param inverseFrequency {@code float[headDim / 2]}, made on the host, long-context scaling
   *     included
   * @param position {@code int[rows]}
   * @param slot {@code int[rows]}: block * blockSize + offset; negative = written nowhere
   * @param magnitude factor of cosine and sine; 1 unless the scaling has one
   */
  public void ropeAndWrite(
      CudaStream stream,
      long qkv,
      LayerCache cache,
      long inverseFrequency,
      long position,
      long slot,
      int rows,
      AttentionKernelShape shape,
      float magnitude) {
    Shapes.requirePositive("rope_kv_write", "rows", rows);
    rope.pointer(qkv).pointer(cache.keys()).pointer(cache.values()).pointer(inverseFrequency);
    rope.pointer(position).pointer(slot).i32(cache.blockStride()).i32(shape.heads());
    rope.i32(shape.kvHeads()).i32(shape.headDim()).i32(shape.blockSize()).f32(magnitude);
    rope.launch(stream, rows, 1, 1, THREADS, 0);
  }
}
