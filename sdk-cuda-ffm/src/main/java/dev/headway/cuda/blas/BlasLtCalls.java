package dev.headway.cuda.blas;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.headway.cuda.driver.Unexpected;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * The functions of cuBLASLt that are called, as in {@code cublasLt.h}; all return a {@code
 * cublasStatus_t}. Handles are fields, not constants, since the library is optional.
 */
final class BlasLtCalls {
  private final MethodHandle create;
  private final MethodHandle destroy;
  private final MethodHandle newDescription;
  private final MethodHandle deleteDescription;
  private final MethodHandle setDescription;
  private final MethodHandle newLayout;
  private final MethodHandle deleteLayout;
  private final MethodHandle newPreference;
  private final MethodHandle deletePreference;
  private final MethodHandle setPreference;
  private final MethodHandle heuristic;
  private final MethodHandle matmul;

  /** Throws NoSuchElementException if a function is missing. */
  BlasLtCalls(SymbolLookup symbols) {
    create = bind(symbols, "cublasLtCreate", ADDRESS);
    destroy = bind(symbols, "cublasLtDestroy", JAVA_LONG);
    newDescription = bind(symbols, "cublasLtMatmulDescCreate", ADDRESS, JAVA_INT, JAVA_INT);
    deleteDescription = bind(symbols, "cublasLtMatmulDescDestroy", JAVA_LONG);
    setDescription =
        bind(symbols, "cublasLtMatmulDescSetAttribute", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
    newLayout =
        bind(
            symbols,
            "cublasLtMatrixLayoutCreate",
            ADDRESS,
            JAVA_INT,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG);
    deleteLayout = bind(symbols, "cublasLtMatrixLayoutDestroy", JAVA_LONG);
    newPreference = bind(symbols, "cublasLtMatmulPreferenceCreate", ADDRESS);
    deletePreference = bind(symbols, "cublasLtMatmulPreferenceDestroy", JAVA_LONG);
    setPreference =
        bind(
            symbols,
            "cublasLtMatmulPreferenceSetAttribute",
            JAVA_LONG,
            JAVA_INT,
            ADDRESS,
            JAVA_LONG);
    heuristic =
        bind(
            symbols,
            "cublasLtMatmulAlgoGetHeuristic",
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_INT,
            ADDRESS,
            ADDRESS);
    matmul =
        bind(
            symbols,
            "cublasLtMatmul",
            JAVA_LONG,
            JAVA_LONG,
            ADDRESS,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            ADDRESS,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            ADDRESS,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG);
  }

  private static MethodHandle bind(SymbolLookup symbols, String name, MemoryLayout... parameters) {
    return Linker.nativeLinker()
        .downcallHandle(symbols.findOrThrow(name), FunctionDescriptor.of(JAVA_INT, parameters));
  }

  int create(MemorySegment handle) {
    try {
      return (int) create.invokeExact(handle);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  int destroy(long handle) {
    try {
      return (int) destroy.invokeExact(handle);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  int newDescription(MemorySegment description, int computeType, int scaleType) {
    try {
      return (int) newDescription.invokeExact(description, computeType, scaleType);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  int deleteDescription(long description) {
    try {
      return (int) deleteDescription.invokeExact(description);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  int setDescription(long description, int attribute, MemorySegment value, long bytes) {
    try {
      return (int) setDescription.invokeExact(description, attribute, value, bytes);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  int newLayout(MemorySegment layout, int type, long rows, long columns, long pitch) {
    try {
      return (int) newLayout.invokeExact(layout, type, rows, columns, pitch);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  int deleteLayout(long layout) {
    try {
      return (int) deleteLayout.invokeExact(layout);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  int newPreference(MemorySegment preference) {
    try {
      return (int) newPreference.invokeExact(preference);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  int deletePreference(long preference) {
    try {
      return (int) deletePreference.invokeExact(preference);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  int setPreference(long preference, int attribute, MemorySegment value, long bytes) {
    try {
      return (int) setPreference.invokeExact(preference, attribute, value, bytes);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  int heuristic(
      long handle,
      long description,
      long a,
      long b,
      long c,
      long d,
      long preference,
      int requested,
      MemorySegment results,
      MemorySegment count) {
    try {
      return (int)
          heuristic.invokeExact(
              handle, description, a, b, c, d, preference, requested, results, count);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  int matmul(
      long handle,
      long description,
      MemorySegment alpha,
      long a,
      long layoutA,
      long b,
      long layoutB,
      MemorySegment beta,
      long c,
      long layoutC,
      long d,
      long layoutD,
      MemorySegment algorithm,
      long workspace,
      long workspaceBytes,
      long stream) {
    try {
      return (int)
          matmul.invokeExact(
              handle,
              description,
              alpha,
              a,
              layoutA,
              b,
              layoutB,
              beta,
              c,
              layoutC,
              d,
              layoutD,
              algorithm,
              workspace,
              workspaceBytes,
              stream);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }
}
