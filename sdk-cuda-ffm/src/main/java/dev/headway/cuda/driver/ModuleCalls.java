package dev.headway.cuda.driver;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Modules, kernels and their launch.
 *
 * <p>Each method is the driver function of its name and returns its {@code CUresult}. The context
 * of the calling thread is used; nothing is checked or allocated here.
 */
public final class ModuleCalls {
  private static final MethodHandle MODULE_LOAD_DATA_EX = DriverFunction.MODULE_LOAD_DATA_EX.bind();
  private static final MethodHandle MODULE_UNLOAD = DriverFunction.MODULE_UNLOAD.bind();
  private static final MethodHandle MODULE_GET_FUNCTION = DriverFunction.MODULE_GET_FUNCTION.bind();
  private static final MethodHandle FUNC_SET_ATTRIBUTE = DriverFunction.FUNC_SET_ATTRIBUTE.bind();
  private static final MethodHandle LAUNCH_KERNEL = DriverFunction.LAUNCH_KERNEL.bind();

  private ModuleCalls() {}

  /** Loads an image (PTX must end with 0); option values are pointers or numbers. */
  public static int cuModuleLoadDataEx(
      MemorySegment module,
      MemorySegment image,
      int options,
      MemorySegment keys,
      MemorySegment values) {
    try {
      return (int) MODULE_LOAD_DATA_EX.invokeExact(module, image, options, keys, values);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Unloads a module. */
  public static int cuModuleUnload(long module) {
    try {
      return (int) MODULE_UNLOAD.invokeExact(module);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Writes the handle of a kernel; {@code name} is a C string. */
  public static int cuModuleGetFunction(MemorySegment function, long module, MemorySegment name) {
    try {
      return (int) MODULE_GET_FUNCTION.invokeExact(function, module, name);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Sets one attribute of a kernel. */
  public static int cuFuncSetAttribute(long function, int attribute, int value) {
    try {
      return (int) FUNC_SET_ATTRIBUTE.invokeExact(function, attribute, value);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /**
   * Enqueues a kernel; blocks while the queue of launches is full. Parameters are copied before it
   * returns.
   */
  public static int cuLaunchKernel(
      long function,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int sharedBytes,
      long stream,
      MemorySegment parameters,
      MemorySegment extra) {
    try {
      return (int)
          LAUNCH_KERNEL.invokeExact(
              function,
              gridX,
              gridY,
              gridZ,
              blockX,
              blockY,
              blockZ,
              sharedBytes,
              stream,
              parameters,
              extra);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }
}
