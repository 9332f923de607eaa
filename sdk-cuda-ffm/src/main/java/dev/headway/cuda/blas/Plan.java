package dev.headway.cuda.blas;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/*
 * What products of codes want, as read in two public sources at least for each. Numbers: CUDA_R_8F_E4M3
 * 28, A_SCALE_POINTER 17, B_SCALE_POINTER 18, A_SCALE_MODE 31, B_SCALE_MODE 32, FAST_ACCUM 25 in Python's
 * and Swift's bindings and mirrors of cublasLt.h; OUTER_VEC_32F 3, VEC128_32F 4, BLK128x128_32F 5 in
 * nvmath-python's documentation and in a binding that asserts them against the header. Modes are
 * int32, FAST_ACCUM is int8 and off unless set. A transposed and B not, fp32 compute and scale types,
 * addresses and rows that are multiples of 16 bytes: NVIDIA's documentation of cublasLtMatmul, as
 * Modular's caller quotes it, and PyTorch's checks. Vectors of scales for both operands or none, as long as
 * D has rows and columns, on 9.0 alone; scales of blocks by rows, as many as a multiple of 4 in a row,
 * those of 128 inputs with all rows for the same columns behind each other, rows a multiple of 4: the
 * documentation's section of narrow precision, PyTorch's Blas.cpp (is_blockwise_1x128_scaling,
 * is_blockwise_128x128_scaling) and vLLM's change 49932.
 */

/**
 * How the library does one shape: its descriptors, and the algorithm that its heuristic names
 * first.
 *
 * @param description handle
 * @param weights handle of the layout of w
 * @param inputs handle of the layout of x
 * @param outputs handle of the layout of y, bias aside
 * @param algorithm 64 bytes; of length 0 if the library has none
 * @param status of the heuristic, a {@code cublasStatus_t}; 0 if it went well
 */
record Plan(
    long description,
    long weights,
    long inputs,
    long outputs,
    MemorySegment algorithm,
    int status) {
  /** cublasLtMatmulDescAttributes_t. */
  static final int BIAS_POINTER = 8;

  /** Of the weights' scales. */
  static final int SCALE_POINTER_OF_A = 17;

  /** Of the inputs' scales. */
  static final int SCALE_POINTER_OF_B = 18;

  private static final int SCALE_MODE_OF_A = 31;
  private static final int SCALE_MODE_OF_B = 32;
  private static final int TRANSPOSE_A = 3;
  private static final int EPILOGUE = 7;
  private static final int EPILOGUE_BIAS = 4;
  private static final int TRANSPOSED = 1;
  private static final int COMPUTE_32F = 68;
  private static final int R_32F = 0;
  private static final int R_16BF = 14;
  private static final int R_8F_E4M3 = 28;
  private static final int MAX_WORKSPACE_BYTES = 1;
  private static final int REDUCTION_SCHEME_MASK = 3;
  private static final int MIN_ALIGNMENT_OF_A = 5; // of B, C and D the next three

  /**
   * Parts of a sum are kept in fp32 and added in a fixed order. In place they would be added in the
   * type of the result, bf16, in the order in which they come.
   */
  private static final int REDUCE_IN_COMPUTE_TYPE = 2;

  private static final int ALGORITHM_BYTES = 64;
  private static final int RESULT_BYTES = 96; // cublasLtMatmulHeuristicResult_t
  private static final long STATE_OFFSET = 72;

  /** Whether the library has an algorithm. */
  boolean isPossible() {
    return algorithm.byteSize() != 0;
  }

  static Plan make(
      BlasLtCalls calls, long handle, Arena arena, long workspaceBytes, PlanRequest wanted) {
    try (Arena scratch = Arena.ofConfined()) {
      final MemorySegment out = scratch.allocate(ValueLayout.JAVA_LONG);
      check("cublasLtMatmulDescCreate", calls.newDescription(out, COMPUTE_32F, R_32F));
      final long description = out.get(ValueLayout.JAVA_LONG, 0);
      set(calls, description, TRANSPOSE_A, scratch.allocateFrom(ValueLayout.JAVA_INT, TRANSPOSED));
      if (wanted.bias() != 0) {
        set(
            calls,
            description,
            EPILOGUE,
            scratch.allocateFrom(ValueLayout.JAVA_INT, EPILOGUE_BIAS));
      }
      point(calls, description, BIAS_POINTER, scratch, wanted.bias());
      point(calls, description, SCALE_POINTER_OF_A, scratch, wanted.weightScales());
      point(calls, description, SCALE_POINTER_OF_B, scratch, wanted.inputScales());
      final int operands = wanted.scales() == BlasScales.NONE ? R_16BF : R_8F_E4M3;
      final long weights = layout(calls, out, operands, wanted.k(), wanted.n());
      final long inputs = layout(calls, out, operands, wanted.k(), wanted.m());
      final long outputs = layout(calls, out, wanted.output().dataType(), wanted.n(), wanted.m());
      final Plan open = new Plan(description, weights, inputs, outputs, MemorySegment.NULL, 0);
      final int unknown = setScaleModes(calls, description, scratch, wanted.scales());
      if (unknown != 0) {
        return open.with(MemorySegment.NULL, unknown);
      }
      return open.chosen(calls, handle, arena, workspaceBytes, wanted.alignment());
    }
  }

  /**
   * Says that each row has a scale, where it has. What accumulates fast, an attribute of its own,
   * stays off.
   *
   * @return the status of a library that does not know these; else 0
   */
  private static int setScaleModes(
      BlasLtCalls calls, long description, Arena scratch, BlasScales scales) {
    if (scales == BlasScales.NONE || scales == BlasScales.ONE_EACH) {
      return 0; // what a description begins with
    }
    final int status =
        setMode(calls, description, scratch, SCALE_MODE_OF_A, scales.modeOfWeights());
    return status != 0
        ? status
        : setMode(calls, description, scratch, SCALE_MODE_OF_B, scales.modeOfInputs());
  }

  private static int setMode(
      BlasLtCalls calls, long description, Arena scratch, int attribute, int mode) {
    final MemorySegment value = scratch.allocateFrom(ValueLayout.JAVA_INT, mode);
    return calls.setDescription(description, attribute, value, value.byteSize());
  }

  /** This plan with the first algorithm of the heuristic, or with the reason why there is none. */
  private Plan chosen(
      BlasLtCalls calls, long handle, Arena arena, long workspaceBytes, int alignment) {
    try (Arena scratch = Arena.ofConfined()) {
      final MemorySegment result = scratch.allocate(RESULT_BYTES, 8);
      final MemorySegment count = scratch.allocate(ValueLayout.JAVA_INT);
      final long preference = preference(calls, scratch, workspaceBytes, alignment);
      final int status =
          calls.heuristic(
              handle, description, weights, inputs, outputs, outputs, preference, 1, result, count);
      calls.deletePreference(preference);
      if (status != 0 || count.get(ValueLayout.JAVA_INT, 0) < 1) {
        return with(MemorySegment.NULL, status);
      }
      final int state = result.get(ValueLayout.JAVA_INT, STATE_OFFSET);
      if (state != 0) {
        return with(MemorySegment.NULL, state);
      }
      final MemorySegment kept = arena.allocate(ALGORITHM_BYTES, 8);
      kept.copyFrom(result.asSlice(0, ALGORITHM_BYTES));
      return with(kept, 0);
    }
  }

  private Plan with(MemorySegment found, int status) {
    return new Plan(description, weights, inputs, outputs, found, status);
  }

  private static long preference(
      BlasLtCalls calls, Arena scratch, long workspaceBytes, int alignment) {
    final MemorySegment out = scratch.allocate(ValueLayout.JAVA_LONG);
    check("cublasLtMatmulPreferenceCreate", calls.newPreference(out));
    final long preference = out.get(ValueLayout.JAVA_LONG, 0);
    prefer(
        calls,
        preference,
        MAX_WORKSPACE_BYTES,
        scratch.allocateFrom(ValueLayout.JAVA_LONG, workspaceBytes));
    prefer(
        calls,
        preference,
        REDUCTION_SCHEME_MASK,
        scratch.allocateFrom(ValueLayout.JAVA_INT, REDUCE_IN_COMPUTE_TYPE));
    final MemorySegment bytes = scratch.allocateFrom(ValueLayout.JAVA_INT, alignment);
    for (int matrix = 0; matrix < 4; matrix++) {
      prefer(calls, preference, MIN_ALIGNMENT_OF_A + matrix, bytes);
    }
    return preference;
  }

  private static void prefer(
      BlasLtCalls calls, long preference, int attribute, MemorySegment value) {
    check(
        "cublasLtMatmulPreferenceSetAttribute",
        calls.setPreference(preference, attribute, value, value.byteSize()));
  }

  /** Gives an address, if there is one: the heuristic looks at its alignment. */
  private static void point(
      BlasLtCalls calls, long description, int attribute, Arena scratch, long address) {
    if (address != 0) {
      set(calls, description, attribute, scratch.allocateFrom(ValueLayout.JAVA_LONG, address));
    }
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
