package dev.headway.cuda.device;

import dev.headway.cuda.driver.CudaResult;
import dev.headway.cuda.driver.DriverFunction;
import dev.headway.cuda.driver.MemoryCalls;
import java.lang.foreign.ValueLayout;

/** Device memory: an address that only the device can follow, and a size. Owner thread only. */
public final class DeviceBuffer extends DeviceResource {
  private final long address;
  private final long bytes;

  private DeviceBuffer(CudaDevice device, MemoryUse use, long address, long bytes) {
    super(device, "device buffer '" + use.what() + "'");
    this.address = address;
    this.bytes = bytes;
  }

  static DeviceBuffer allocate(CudaDevice device, MemoryUse use, long bytes) {
    requirePositive(use, bytes);
    final int result = MemoryCalls.cuMemAlloc(device.scratch, bytes);
    if (result != CudaResult.SUCCESS) {
      throw CudaResult.exception(DriverFunction.MEM_ALLOC, result, outOfMemory(device, use, bytes));
    }
    return new DeviceBuffer(device, use, device.scratch.get(ValueLayout.JAVA_LONG, 0), bytes);
  }

  static void requirePositive(MemoryUse use, long bytes) {
    if (bytes <= 0) {
      throw new IllegalArgumentException(
          "bytes must be >= 1: use=" + use.what() + ", bytes=" + bytes);
    }
  }

  private static String outOfMemory(CudaDevice device, MemoryUse use, long bytes) {
    return "use="
        + use.what()
        + ", requestedBytes="
        + bytes
        + ", freeBytes="
        + device.freeBytes()
        + ", totalBytes="
        + device.info().totalBytes()
        + "; "
        + use.advice("device");
  }

  /** Size in bytes. */
  public long bytes() {
    return bytes;
  }

  /** Device address of the first byte. */
  public long address() {
    requireOpen();
    return address;
  }

  /**
   * Device address of a range inside it. Allocates nothing.
   *
   * @throws IndexOutOfBoundsException if the range is not inside
   */
  public long address(long offsetBytes, long lengthBytes) {
    requireInside(offsetBytes, lengthBytes, bytes);
    return address + offsetBytes;
  }

  @Override
  int release() {
    return MemoryCalls.cuMemFree(address);
  }

  @Override
  DriverFunction releaseCall() {
    return DriverFunction.MEM_FREE;
  }
}
