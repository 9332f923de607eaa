package dev.headway.cuda.driver;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Devices and the context that a process has on one.
 *
 * <p>Each method is the driver function of its name and returns its {@code CUresult}. The context
 * of the calling thread is used; nothing is checked or allocated here.
 */
public final class DeviceCalls {
  private static final MethodHandle DEVICE_GET_COUNT = DriverFunction.DEVICE_GET_COUNT.bind();
  private static final MethodHandle DEVICE_GET = DriverFunction.DEVICE_GET.bind();
  private static final MethodHandle DEVICE_GET_NAME = DriverFunction.DEVICE_GET_NAME.bind();
  private static final MethodHandle DEVICE_GET_ATTRIBUTE =
      DriverFunction.DEVICE_GET_ATTRIBUTE.bind();
  private static final MethodHandle DEVICE_TOTAL_MEM = DriverFunction.DEVICE_TOTAL_MEM.bind();
  private static final MethodHandle DEVICE_GET_PCI_BUS_ID =
      DriverFunction.DEVICE_GET_PCI_BUS_ID.bind();
  private static final MethodHandle PRIMARY_CTX_RETAIN = DriverFunction.PRIMARY_CTX_RETAIN.bind();
  private static final MethodHandle PRIMARY_CTX_RELEASE = DriverFunction.PRIMARY_CTX_RELEASE.bind();
  private static final MethodHandle CTX_SET_CURRENT = DriverFunction.CTX_SET_CURRENT.bind();
  private static final MethodHandle CTX_SYNCHRONIZE = DriverFunction.CTX_SYNCHRONIZE.bind();

  private DeviceCalls() {}

  /** Writes an {@code int}. */
  public static int cuDeviceGetCount(MemorySegment count) {
    try {
      return (int) DEVICE_GET_COUNT.invokeExact(count);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Writes the device of an ordinal, an {@code int}. */
  public static int cuDeviceGet(MemorySegment device, int ordinal) {
    try {
      return (int) DEVICE_GET.invokeExact(device, ordinal);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Writes a C string of at most {@code bytes} bytes. */
  public static int cuDeviceGetName(MemorySegment name, int bytes, int device) {
    try {
      return (int) DEVICE_GET_NAME.invokeExact(name, bytes, device);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Writes an {@code int}; attributes as in {@code CUdevice_attribute}. */
  public static int cuDeviceGetAttribute(MemorySegment value, int attribute, int device) {
    try {
      return (int) DEVICE_GET_ATTRIBUTE.invokeExact(value, attribute, device);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Writes a {@code long}, in bytes. */
  public static int cuDeviceTotalMem(MemorySegment bytes, int device) {
    try {
      return (int) DEVICE_TOTAL_MEM.invokeExact(bytes, device);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Writes a C string such as {@code 0000:65:00.0}. */
  public static int cuDeviceGetPCIBusId(MemorySegment id, int bytes, int device) {
    try {
      return (int) DEVICE_GET_PCI_BUS_ID.invokeExact(id, bytes, device);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Takes the primary context and writes its handle. */
  public static int cuDevicePrimaryCtxRetain(MemorySegment context, int device) {
    try {
      return (int) PRIMARY_CTX_RETAIN.invokeExact(context, device);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Gives the primary context back. */
  public static int cuDevicePrimaryCtxRelease(int device) {
    try {
      return (int) PRIMARY_CTX_RELEASE.invokeExact(device);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Binds a context to the calling thread; 0 unbinds. */
  public static int cuCtxSetCurrent(long context) {
    try {
      return (int) CTX_SET_CURRENT.invokeExact(context);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Waits for all work of the current context. */
  public static int cuCtxSynchronize() {
    try {
      return (int) CTX_SYNCHRONIZE.invokeExact();
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }
}
