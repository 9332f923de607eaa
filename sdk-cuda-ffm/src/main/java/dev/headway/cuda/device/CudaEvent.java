package dev.headway.cuda.device;

import static dev.headway.cuda.driver.CudaResult.check;

import dev.headway.cuda.driver.CudaResult;
import dev.headway.cuda.driver.DriverFunction;
import dev.headway.cuda.driver.StreamCalls;
import java.lang.foreign.ValueLayout;

/**
 * A mark in a stream: it can be waited for, and gives the time when the device passed it. Owner
 * thread.
 */
public final class CudaEvent extends DeviceResource {
  private static final double NS_PER_MS = 1e6;
  private final long handle;

  private CudaEvent(CudaDevice device, long handle) {
    super(device, "event");
    this.handle = handle;
  }

  static CudaEvent create(CudaDevice device) {
    check(StreamCalls.cuEventCreate(device.scratch, 0), DriverFunction.EVENT_CREATE);
    return new CudaEvent(device, device.scratch.get(ValueLayout.JAVA_LONG, 0));
  }

  /** Whether everything before the mark is done; true as well if it was never recorded. */
  public boolean isDone() {
    requireOpen();
    final int result = StreamCalls.cuEventQuery(handle);
    if (result == CudaResult.NOT_READY) {
      return false;
    }
    check(result, DriverFunction.EVENT_QUERY);
    return true;
  }

  /** Waits until everything before the mark is done. */
  public void synchronize() {
    requireOpen();
    check(StreamCalls.cuEventSynchronize(handle), DriverFunction.EVENT_SYNCHRONIZE);
  }

  /**
   * Device time from {@code start} to this mark, in nanoseconds; the driver resolves about half a
   * microsecond. Both must have passed.
   */
  public long elapsedNsSince(CudaEvent start) {
    requireOpen();
    start.requireOpen();
    check(
        StreamCalls.cuEventElapsedTime(device.scratch, start.handle, handle),
        DriverFunction.EVENT_ELAPSED_TIME);
    return Math.round(device.scratch.get(ValueLayout.JAVA_FLOAT, 0) * NS_PER_MS);
  }

  long handle() {
    requireOpen();
    return handle;
  }

  @Override
  int release() {
    return StreamCalls.cuEventDestroy(handle);
  }

  @Override
  DriverFunction releaseCall() {
    return DriverFunction.EVENT_DESTROY;
  }
}
