package dev.headway.cuda.blas;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * How the library does one shape: its descriptors, and the algorithm that its heuristic names
 * first.
 *
 * @param description handle
 * @param weights handle of the layout of w
 * @param inputs handle of the layout of x
 * @param outputs handle of the layout of y, bias aside
 * @param algorithm 64 bytes; of length 0 if the library has none
 */
record Plan(long description, long weights, long inputs, long outputs, MemorySegment algorithm) {
  /** cublasLtMatmulDescAttributes_t. */
  static final int BIAS_POINTER = 8;

  private static final int TRANSPOSE_A = 3;
  private static final int EPILOGUE = 7;
  private static final int EPILOGUE_BIAS = 4;
  private static final int TRANSPOSED = 1;
  private static final int COMPUTE_32F = 68;
  private static final int R_32F = 0;
  private static final int R_16BF = 14;
  private static final int MAX_WORKSPACE_BYTES = 1;
  private static final int ALGORITHM_BYTES = 64;
  private static final int RESULT_BYTES = 96; // cublasLtMatmulHeuristicResult_t
  private static final long STATE_OFFSET = 72;

  /** Whether the library has an algorithm. */
  boolean isPossible() {
    return algorithm.byteSize() != 0;
  }

  static Plan make(
      BlasLtCalls calls,
      long handle,
      Arena arena,
      long workspaceBytes,
      BlasOutput output,
      boolean bias,
      int m,
      int n,
      int k) {
    try (Arena scratch = Arena.ofConfined()) {
      final MemorySegment out = scratch.allocate(ValueLayout.JAVA_LONG);
      check("cublasLtMatmulDescCreate", calls.newDescription(out, COMPUTE_32F, R_32F));
      final long description = out.get(ValueLayout.JAVA_LONG, 0);
      set(calls, description, TRANSPOSE_A, scratch.allocateFrom(ValueLayout.JAVA_INT, TRANSPOSED));
      if (bias) {
        set(
            calls,
            description,
            EPILOGUE,
            scratch.allocateFrom(ValueLayout.JAVA_INT, EPILOGUE_BIAS));
      }
      final long weights = layout(calls, out, R_16BF, k, n);
      final long inputs = layout(calls, out, R_16BF, k, m);
      final long outputs = layout(calls, out, output.dataType(), n, m);
      final Plan without = new Plan(description, weights, inputs, outputs, MemorySegment.NULL);
      final MemorySegment found = without.choose(calls, handle, scratch, workspaceBytes);
      if (found.byteSize() == 0) {
        return without;
      }
      final MemorySegment algorithm = arena.allocate(ALGORITHM_BYTES, 8);
      algorithm.copyFrom(found.asSlice(0, ALGORITHM_BYTES));
      return new Plan(description, weights, inputs, outputs, algorithm);
    }
  }

  /** The first result of the heuristic; of length 0 if there is none. */
  private MemorySegment choose(BlasLtCalls calls, long handle, Arena scratch, long workspaceBytes) {
    final MemorySegment out = scratch.allocate(ValueLayout.JAVA_LONG);
    check("cublasLtMatmulPreferenceCreate", calls.newPreference(out));
    final long preference = out.get(ValueLayout.JAVA_LONG, 0);
    final MemorySegment limit = scratch.allocateFrom(ValueLayout.JAVA_LONG, workspaceBytes);
    check(
        "cublasLtMatmulPreferenceSetAttribute",
        calls.setPreference(preference, MAX_WORKSPACE_BYTES, limit, Long.BYTES));
    final MemorySegment result = scratch.allocate(RESULT_BYTES, 8);
    final MemorySegment count = scratch.allocate(ValueLayout.JAVA_INT);
    final int status =
        calls.heuristic(
            handle, description, weights, inputs, outputs, outputs, preference, 1, result, count);
    calls.deletePreference(preference);
    final boolean found =
        status == 0
            && count.get(ValueLayout.JAVA_INT, 0) > 0
            && result.get(ValueLayout.JAVA_INT, STATE_OFFSET) == 0;
    return found ? result : MemorySegment.NULL;
  }

  private static void set(BlasLtCalls calls, long description, int attribute, MemorySegment value) {
    check(
        "cublasLtMatmulDescSetAttribute",
        calls.setDescription(description, attribute, value, value.byteSize()));
  }

  private static long layout(
      BlasLtCalls calls, MemorySegment out, int type, long rows, long columns) {
    check("cublasLtMatrixLayoutCreate", calls.newLayout(out, type, rows, columns, rows));
    return out.get(ValueLayout.JAVA_LONG, 0);
  }

  private static void check(String call, int status) {
    LoadedProducts.check(call, status, "");
  }

  void destroy(BlasLtCalls calls) {
    calls.deleteDescription(description);
    calls.deleteLayout(weights);
    calls.deleteLayout(inputs);
    calls.deleteLayout(outputs);
  }
}
