package dev.headway.cuda.device;

import dev.headway.cuda.driver.CudaResult;
import dev.headway.cuda.driver.DriverFunction;
import dev.headway.cuda.driver.MemoryCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Host memory that the device copies from and to by itself.
 *
 * <p>A copy is asynchronous: what it reads must not change, and what it writes must not be read,
 * before the stream has passed it. Owner thread only; after {@link #close} the segment refuses use.
 */
public final class PinnedBuffer extends DeviceResource {
  private final Arena arena = Arena.ofConfined();
  private final long address;
  private final MemorySegment segment;

  private PinnedBuffer(CudaDevice device, MemoryUse use, long address, long bytes) {
    super(device, "pinned buffer '" + use.what() + "'");
    this.address = address;
    this.segment = MemorySegment.ofAddress(address).reinterpret(bytes, arena, null);
  }

  static PinnedBuffer allocate(CudaDevice device, MemoryUse use, long bytes) {
    DeviceBuffer.requirePositive(use, bytes);
    final int result = MemoryCalls.cuMemHostAlloc(device.scratch, bytes, 0);
    if (result != CudaResult.SUCCESS) {
      throw CudaResult.exception(
          DriverFunction.MEM_HOST_ALLOC,
          result,
          "use=" + use.what() + ", requestedBytes=" + bytes + "; " + use.advice("host"));
    }
    return new PinnedBuffer(device, use, device.scratch.get(ValueLayout.JAVA_LONG, 0), bytes);
  }

  /** The memory; page-aligned, content undefined at first. */
  public MemorySegment segment() {
    return segment;
  }

  /** Size in bytes. */
  public long bytes() {
    return segment.byteSize();
  }

  long address(long offsetBytes, long lengthBytes) {
    requireInside(offsetBytes, lengthBytes, bytes());
    return address + offsetBytes;
  }

  @Override
  int release() {
    arena.close();
    return MemoryCalls.cuMemFreeHost(address);
  }

  @Override
  DriverFunction releaseCall() {
    return DriverFunction.MEM_FREE_HOST;
  }
}
