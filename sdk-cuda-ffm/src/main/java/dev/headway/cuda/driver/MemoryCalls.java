package dev.headway.cuda.driver;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Memory of device and host, and copies between them.
 *
 * <p>Each method is the driver function of its name and returns its {@code CUresult}. The context
 * of the calling thread is used; nothing is checked or allocated here.
 */
public final class MemoryCalls {
  private static final MethodHandle MEM_ALLOC = DriverFunction.MEM_ALLOC.bind();
  private static final MethodHandle MEM_FREE = DriverFunction.MEM_FREE.bind();
  private static final MethodHandle MEM_GET_INFO = DriverFunction.MEM_GET_INFO.bind();
  private static final MethodHandle MEM_HOST_ALLOC = DriverFunction.MEM_HOST_ALLOC.bind();
  private static final MethodHandle MEM_FREE_HOST = DriverFunction.MEM_FREE_HOST.bind();
  private static final MethodHandle MEMCPY_HTOD_ASYNC = DriverFunction.MEMCPY_HTOD_ASYNC.bind();
  private static final MethodHandle MEMCPY_DTOH_ASYNC = DriverFunction.MEMCPY_DTOH_ASYNC.bind();
  private static final MethodHandle MEMCPY_DTOD_ASYNC = DriverFunction.MEMCPY_DTOD_ASYNC.bind();
  private static final MethodHandle MEMSET_D8_ASYNC = DriverFunction.MEMSET_D8_ASYNC.bind();

  private MemoryCalls() {}

  /** Allocates and writes the device address. */
  public static int cuMemAlloc(MemorySegment address, long bytes) {
    try {
      return (int) MEM_ALLOC.invokeExact(address, bytes);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Frees device memory, after the work that uses it. */
  public static int cuMemFree(long address) {
    try {
      return (int) MEM_FREE.invokeExact(address);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Writes two {@code long}, in bytes. */
  public static int cuMemGetInfo(MemorySegment free, MemorySegment total) {
    try {
      return (int) MEM_GET_INFO.invokeExact(free, total);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Allocates pinned host memory and writes its address. */
  public static int cuMemHostAlloc(MemorySegment pointer, long bytes, int flags) {
    try {
      return (int) MEM_HOST_ALLOC.invokeExact(pointer, bytes, flags);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Frees pinned host memory. */
  public static int cuMemFreeHost(long pointer) {
    try {
      return (int) MEM_FREE_HOST.invokeExact(pointer);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Copies from host to device, in stream order. */
  public static int cuMemcpyHtoDAsync(long target, long source, long bytes, long stream) {
    try {
      return (int) MEMCPY_HTOD_ASYNC.invokeExact(target, source, bytes, stream);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Copies from device to host, in stream order. */
  public static int cuMemcpyDtoHAsync(long target, long source, long bytes, long stream) {
    try {
      return (int) MEMCPY_DTOH_ASYNC.invokeExact(target, source, bytes, stream);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Copies on the device, in stream order. */
  public static int cuMemcpyDtoDAsync(long target, long source, long bytes, long stream) {
    try {
      return (int) MEMCPY_DTOD_ASYNC.invokeExact(target, source, bytes, stream);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /**
   * Fills with a byte, in stream order. The byte travels as an {@code int} without a sign: some
   * compilers read all of the register that it comes in.
   */
  public static int cuMemsetD8Async(long target, byte value, long bytes, long stream) {
    try {
      return (int) MEMSET_D8_ASYNC.invokeExact(target, Byte.toUnsignedInt(value), bytes, stream);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }
}
