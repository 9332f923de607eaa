package dev.headway.cuda.driver;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Loading the driver, its version, and its words for results.
 *
 * <p>Each method is the driver function of its name and returns its {@code CUresult}. The context
 * of the calling thread is used; nothing is checked or allocated here, {@link CompilerCache} aside.
 */
public final class InitCalls {
  private static final MethodHandle INIT = DriverFunction.INIT.bind();
  private static final MethodHandle DRIVER_GET_VERSION = DriverFunction.DRIVER_GET_VERSION.bind();
  private static final MethodHandle GET_ERROR_NAME = DriverFunction.GET_ERROR_NAME.bind();
  private static final MethodHandle GET_ERROR_STRING = DriverFunction.GET_ERROR_STRING.bind();

  private InitCalls() {}

  /** Loads the driver, with a folder for what it compiles; {@code flags} must be 0. */
  public static int cuInit(int flags) {
    CompilerCache.provide();
    try {
      return (int) INIT.invokeExact(flags);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Writes an {@code int}: 1000 * major + 10 * minor of CUDA. */
  public static int cuDriverGetVersion(MemorySegment version) {
    try {
      return (int) DRIVER_GET_VERSION.invokeExact(version);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Writes the address of a C string. */
  public static int cuGetErrorName(int result, MemorySegment name) {
    try {
      return (int) GET_ERROR_NAME.invokeExact(result, name);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Writes the address of a C string. */
  public static int cuGetErrorString(int result, MemorySegment sentence) {
    try {
      return (int) GET_ERROR_STRING.invokeExact(result, sentence);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Identifier of a result, for example {@code CUDA_ERROR_OUT_OF_MEMORY}; allocates. */
  public static String errorName(int result) {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment out = arena.allocate(ValueLayout.ADDRESS);
      return cuGetErrorName(result, out) == CudaResult.SUCCESS ? text(out) : "unknown result";
    }
  }

  /** The driver's sentence about a result, empty if it has none; allocates. */
  public static String errorString(int result) {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment out = arena.allocate(ValueLayout.ADDRESS);
      return cuGetErrorString(result, out) == CudaResult.SUCCESS ? text(out) : "";
    }
  }

  private static String text(MemorySegment pointer) {
    final MemorySegment start = pointer.get(ValueLayout.ADDRESS, 0);
    return start.address() == 0 ? "" : start.reinterpret(LONGEST_TEXT).getString(0);
  }

  private static final long LONGEST_TEXT = 4096;
}
