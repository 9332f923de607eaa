package dev.headway.cuda.kernel;

import static dev.headway.cuda.device.KernelParameter.inOrder;

import dev.headway.cuda.device.CudaModule;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.Kernel;

/**
 * Work on single rows of bf16: every value is read once and written once, 16 bytes at a time where
 * sizes and addresses are multiples of that. Device thread only; allocates nothing.
 */
public final class RowKernels {
  /** Most rows of a {@link #swiglu}. */
  public static final int MOST_SWIGLU_ROWS = Shapes.MAX_GRID_Y;

  private static final int THREADS = 256;
  private static final int MAX_THREADS = 1024;
  private static final int VALUES_PER_ACCESS = 8;
  private static final int ACCESSES_PER_NORM_THREAD = 2;

  private final Kernel rmsNorm;
  private final Kernel addNorm;
  private final Kernel gatherScaled;
  private final Kernel swiglu;
  private final Kernel geglu;
  private final Kernel swigluClamped;
  private final Kernel capLogits;
  private final Kernel rope;
  private final Kernel ropeCodes;

  RowKernels(CudaModule module) {
    rmsNorm = module.kernel("rms_norm", inOrder(5, 1, 2));
    addNorm = module.kernel("add_norm", inOrder(3, 1, 2));
    gatherScaled = module.kernel("gather_scaled", inOrder(3, 1, 1));
    swiglu = module.kernel("swiglu", inOrder(2, 1, 0));
    geglu = module.kernel("geglu", inOrder(2, 1, 0));
    swigluClamped = module.kernel("swiglu_clamped", inOrder(2, 1, 0));
    capLogits = module.kernel("cap_logits", inOrder(1, 1, 1));
    rope = module.kernel("rope_kv_write", inOrder(8, 6, 3));
    ropeCodes = module.kernel("rope_kv_write_e4m3", inOrder(8, 6, 5));
  }

  /**
   * {@code out = x * rsqrt(mean(x^2) + epsilon) * (weight + offset)} per row.
   *
   * @param x {@code [rows][dim]}
   * @param weight {@code [dim]}
   */
  public void rmsNorm(
      CudaStream stream, long out, long x, long weight, int rows, int dim, NormTerms terms) {
    rmsNormOf(stream, out, 0, x, 0, weight, rows, dim, terms);
  }

  /**
   * The same of rows {@code ids[r]} of a table: the rows that sample; embeddings, which are kept.
   *
   * @param kept {@code [rows][dim]}, the rows as they are; or 0
   * @param ids {@code int[rows]}, each inside the table: not checked on the device; or 0 for rows
   *     in their order
   */
  public void rmsNormOf(
      CudaStream stream,
      long out,
      long kept,
      long table,
      long ids,
      long weight,
      int rows,
      int dim,
      NormTerms terms) {
    Shapes.requirePositive("rms_norm", "rows", rows);
    Shapes.requirePositive("rms_norm", "dim", dim);
    rmsNorm.pointer(out).pointer(table).pointer(ids).pointer(kept).pointer(weight).i32(dim);
    rmsNorm.f32(terms.epsilon()).f32(terms.offset());
    rmsNorm.launch(stream, rows, 1, 1, normThreads(dim), 0);
  }

  /**
   * {@code sum = sum + norm(x)} per row, the norm as of {@link #rmsNorm}, rounded before it is
   * added.
   *
   * @param sum {@code [rows][dim]}
   * @param x {@code [rows][dim]}
   */
  public void addNorm(
      CudaStream stream, long sum, long x, long weight, int rows, int dim, NormTerms terms) {
    Shapes.requirePositive("add_norm", "rows", rows);
    Shapes.requirePositive("add_norm", "dim", dim);
    addNorm.pointer(sum).pointer(x).pointer(weight).i32(dim);
    addNorm.f32(terms.epsilon()).f32(terms.offset());
    addNorm.launch(stream, rows, 1, 1, normThreads(dim), 0);
  }

  /**
   * Row {@code r} of {@code out} is row {@code ids[r]} of a table times a factor, rounded.
   *
   * @param ids {@code int[rows]}, each inside the table: not checked on the device
   */
  public void gatherScaled(
      CudaStream stream, long out, long table, long ids, int rows, int dim, float scale) {
    Shapes.requirePositive("gather_scaled", "rows", rows);
    Shapes.requirePositive("gather_scaled", "dim", dim);
    gatherScaled.pointer(out).pointer(table).pointer(ids).i32(dim).f32(scale);
    gatherScaled.launch(stream, rows, 1, 1, THREADS, 0);
  }

  private static int normThreads(int dim) {
    return wholeWarps(Shapes.ceilDiv(dim, VALUES_PER_ACCESS * ACCESSES_PER_NORM_THREAD));
  }

  private static int wholeWarps(int threads) {
    return Math.min(Shapes.ceilDiv(threads, 32) * 32, MAX_THREADS);
  }

  /**
   * {@code out = silu(gate) * up}.
   *
   * @param gateUp {@code [rows][2 * hidden]}, gates first
   */
  public void swiglu(CudaStream stream, long out, long gateUp, int rows, int hidden) {
    gate(swiglu, "swiglu", stream, out, gateUp, rows, hidden);
  }

  /** {@code out = gelu(gate) * up}, by the approximation with a tangent; as {@link #swiglu}. */
  public void geglu(CudaStream stream, long out, long gateUp, int rows, int hidden) {
    gate(geglu, "geglu", stream, out, gateUp, rows, hidden);
  }

  /**
   * {@code out = g / (1 + exp(-1.702 g)) * (u + 1)} of a gate {@code g} of at most 7 and an input
   * {@code u} in [-7, 7], what is beyond taken as that; as {@link #swiglu}.
   */
  public void swigluClamped(CudaStream stream, long out, long gateUp, int rows, int hidden) {
    gate(swigluClamped, "swiglu_clamped", stream, out, gateUp, rows, hidden);
  }

  private static void gate(
      Kernel kernel, String name, CudaStream stream, long out, long gateUp, int rows, int hidden) {
    Shapes.requireIn(name, "rows", rows, 1, MOST_SWIGLU_ROWS);
    Shapes.requirePositive(name, "hidden", hidden);
    kernel.pointer(out).pointer(gateUp).i32(hidden);
    final int blocks = Shapes.ceilDiv(hidden, VALUES_PER_ACCESS * THREADS);
    kernel.launch(stream, blocks, rows, 1, THREADS, 0);
  }

  /**
   * {@code logits = cap * tanh(logits / cap)} in place.
   *
   * @param logits {@code float[rows][vocabulary]}
   */
  public void capLogits(CudaStream stream, long logits, int rows, int vocabulary, float cap) {
    Shapes.requireIn("cap_logits", "rows", rows, 1, Shapes.MAX_GRID_Y);
    Shapes.requirePositive("cap_logits", "vocabulary", vocabulary);
    capLogits.pointer(logits).i32(vocabulary).f32(cap);
    capLogits.launch(stream, Shapes.ceilDiv(vocabulary, THREADS), rows, 1, THREADS, 0);
  }

  /**
   * Rotates queries and keys in place and writes keys and values to their slots of the cache, as
   * e4m3 codes the nearest to value / scale, 448 at most, if it has scales; with weights, each
   * query head and each key head is normed before (Qwen3, GLM, Gemma 3).
   *
   * @param qkv {@code [rows][(heads + 2 * kvHeads) * headDim]}
   * @param inverseFrequency {@code float[rotaryDim / 2]}, made on the host, long-context scaling
   *     included
   * @param position {@code int[rows]}
   * @param slot {@code int[rows]}: block * blockSize + offset; negative = written nowhere
   * @param queryNorm {@code [headDim]}, or 0
   * @param keyNorm {@code [headDim]}, or 0 together with {@code queryNorm}
   * @param rotaryDim the first elements of each head, which are rotated: even, at most headDim
   * @param magnitude factor of cosine and sine; 1 unless the scaling has one, as YaRN's
   * @param terms of the norms
   */
  public void ropeAndWrite(
      CudaStream stream,
      long qkv,
      LayerCache cache,
      long inverseFrequency,
      long position,
      long slot,
      long queryNorm,
      long keyNorm,
      int rows,
      AttentionKernelShape shape,
      int rotaryDim,
      float magnitude,
      NormTerms terms) {
    Shapes.requirePositive("rope_kv_write", "rows", rows);
    requireRotaryDim(rotaryDim, shape.headDim());
    final PageScales scales = cache.scales();
    final Kernel kernel = scales == null ? rope : ropeCodes;
    kernel.pointer(qkv).pointer(cache.keys()).pointer(cache.values()).pointer(inverseFrequency);
    kernel.pointer(position).pointer(slot).pointer(queryNorm).pointer(keyNorm);
    kernel.i32(cache.blockStride()).i32(shape.heads()).i32(shape.kvHeads()).i32(shape.headDim());
    kernel.i32(shape.blockSize()).i32(rotaryDim).f32(magnitude).f32(terms.epsilon());
    kernel.f32(terms.offset());
    if (scales != null) {
      kernel.f32(1 / scales.keys()).f32(1 / scales.values());
    }
    // a thread for 16 bytes of each half of a query or key, and for 16 bytes of a value
    final int values = shape.qkvWidth() + shape.kvHeads() * shape.headDim();
    final int threads = Shapes.ceilDiv(values, 2 * VALUES_PER_ACCESS);
    kernel.launch(stream, rows, 1, 1, wholeWarps(threads), 0);
  }

  private static void requireRotaryDim(int rotaryDim, int headDim) {
    Shapes.requireIn("rope_kv_write", "rotaryDim", rotaryDim, 2, headDim);
    if (rotaryDim % 2 != 0) {
      throw new IllegalArgumentException(
          "rope_kv_write: rotaryDim must be even: rotaryDim=" + rotaryDim);
    }
  }
}
