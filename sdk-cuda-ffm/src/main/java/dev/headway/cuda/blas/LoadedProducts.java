package dev.headway.cuda.blas;

import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.WeightMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Products on a library that is there, with a plan per shape.
 *
 * <p>The library thinks in columns: our row-major {@code y} is its {@code n x m} matrix, so it
 * computes transpose(w) * x with {@code w} as a {@code k x n} and {@code x} as a {@code k x m}
 * matrix.
 */
final class LoadedProducts implements AutoCloseable {
  private static final float ONE = 1f;
  private static final float ZERO = 0f;

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment one = arena.allocateFrom(ValueLayout.JAVA_FLOAT, ONE);
  private final MemorySegment zero = arena.allocateFrom(ValueLayout.JAVA_FLOAT, ZERO);
  private final MemorySegment scratch = arena.allocate(16, 8);
  private final BlasLtCalls calls;
  private final DeviceBuffer workspace;
  private final long handle;
  private final PlanTable plans = new PlanTable();
  private String refused = "";
  private String refusedCodes = "";
  private int planned;

  LoadedProducts(BlasLtCalls calls, DeviceBuffer workspace) {
    this.calls = calls;
    this.workspace = workspace;
    check("cublasLtCreate", calls.create(scratch), "");
    this.handle = scratch.get(ValueLayout.JAVA_LONG, 0);
  }

  /**
   * A product, of codes with scales or of bf16; false if the library has no way to do it.
   *
   * @param inputScales of {@code x}; 0 in bf16
   */
  boolean multiply(
      long stream,
      BlasOutput output,
      BlasScales scales,
      long y,
      long x,
      long inputScales,
      WeightMatrix w,
      long residual,
      int m) {
    final int n = w.outputs();
    final int k = w.inputs();
    final long bias = w.bias();
    final long weightScales = w.scales() == null ? 0 : w.scales().address();
    final long c = residual == 0 ? y : residual;
    final int alignment = Alignment.of(y | x | w.address() | bias | c);
    final long key = PlanTable.key(m, n, k, output, scales, bias != 0, alignment);
    Plan plan = plans.get(key);
    if (plan == null) {
      final PlanRequest wanted =
          new PlanRequest(
              output, scales, weightScales, inputScales, bias, Alignment.bytes(alignment), m, n, k);
      plan = Plan.make(calls, handle, arena, workspace.bytes(), wanted);
      plans.put(key, plan);
      planned++;
      if (!plan.isPossible()) {
        refuse(scales, "m=" + m + ", n=" + n + ", k=" + k + ": status=" + plan.status());
      }
    }
    if (!plan.isPossible()) {
      return false;
    }
    if (bias != 0) {
      point(plan, Plan.BIAS_POINTER, bias, "bias");
    }
    if (scales != BlasScales.NONE) {
      point(plan, Plan.SCALE_POINTER_OF_A, weightScales, "scales of weights");
      point(plan, Plan.SCALE_POINTER_OF_B, inputScales, "scales of inputs");
    }
    final MemorySegment beta = residual == 0 ? zero : one;
    final int status =
        calls.matmul(
            handle,
            plan.description(),
            one,
            w.address(),
            plan.weights(),
            x,
            plan.inputs(),
            beta,
            c,
            plan.outputs(),
            y,
            plan.outputs(),
            plan.algorithm(),
            workspace.address(),
            workspace.bytes(),
            stream);
    if (status != 0) {
      throw new BlasLtException("cublasLtMatmul", status, "m=" + m + ", n=" + n + ", k=" + k);
    }
    return true;
  }

  /** In each product: {@code what} is a constant, so that nothing is allocated. */
  private void point(Plan plan, int attribute, long address, String what) {
    scratch.set(ValueLayout.JAVA_LONG, 0, address);
    check(
        "cublasLtMatmulDescSetAttribute",
        calls.setDescription(plan.description(), attribute, scratch, Long.BYTES),
        what);
  }

  private void refuse(BlasScales scales, String product) {
    if (scales == BlasScales.NONE) {
      refused = refused.isEmpty() ? product : refused;
    } else {
      refusedCodes = refusedCodes.isEmpty() ? product : refusedCodes;
    }
  }

  /**
   * The first product that could not be done, with the reason; empty if all could.
   *
   * @param codes of those of codes, or of those of bf16
   */
  String refused(boolean codes) {
    return codes ? refusedCodes : refused;
  }

  /** How many shapes have been planned so far. */
  int plans() {
    return planned;
  }

  static void check(String call, int status, String details) {
    if (status != 0) {
      throw new BlasLtException(call, status, details);
    }
  }

  @Override
  public void close() {
    plans.forEach(plan -> plan.destroy(calls));
    calls.destroy(handle);
    arena.close();
    workspace.close();
  }
}
