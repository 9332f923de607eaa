package dev.headway.cuda.device;

import static dev.headway.cuda.driver.CudaResult.check;

import dev.headway.cuda.driver.CudaResult;
import dev.headway.cuda.driver.DriverFunction;
import dev.headway.cuda.driver.MemoryCalls;
import dev.headway.cuda.driver.StreamCalls;
import java.lang.foreign.ValueLayout;

/**
 * A queue of work on the device, done in order. Owner thread only; enqueuing returns before the
 * work is done and allocates nothing. A failure of earlier work can be reported by any later call.
 */
public final class CudaStream extends DeviceResource {
  private static final int NON_BLOCKING = 1;
  private static final int CAPTURE_THREAD_LOCAL = 1;
  private final long handle;

  private CudaStream(CudaDevice device, long handle) {
    super(device, "stream");
    this.handle = handle;
  }

  static CudaStream create(CudaDevice device) {
    check(StreamCalls.cuStreamCreate(device.scratch, NON_BLOCKING), DriverFunction.STREAM_CREATE);
    return new CudaStream(device, device.scratch.get(ValueLayout.JAVA_LONG, 0));
  }

  /** Enqueues a copy to the device; {@code source} must stay as it is until it is done. */
  public void copyToDevice(
      DeviceBuffer target, long targetOffset, PinnedBuffer source, long sourceOffset, long bytes) {
    requireOpen();
    check(
        MemoryCalls.cuMemcpyHtoDAsync(
            target.address(targetOffset, bytes),
            source.address(sourceOffset, bytes),
            bytes,
            handle),
        DriverFunction.MEMCPY_HTOD_ASYNC);
  }

  /** Enqueues a copy to the host; {@code target} has the data once it is done. */
  public void copyToHost(
      PinnedBuffer target, long targetOffset, DeviceBuffer source, long sourceOffset, long bytes) {
    requireOpen();
    check(
        MemoryCalls.cuMemcpyDtoHAsync(
            target.address(targetOffset, bytes),
            source.address(sourceOffset, bytes),
            bytes,
            handle),
        DriverFunction.MEMCPY_DTOH_ASYNC);
  }

  /** Enqueues a copy on the device; the ranges must not overlap. */
  public void copy(
      DeviceBuffer target, long targetOffset, DeviceBuffer source, long sourceOffset, long bytes) {
    requireOpen();
    check(
        MemoryCalls.cuMemcpyDtoDAsync(
            target.address(targetOffset, bytes),
            source.address(sourceOffset, bytes),
            bytes,
            handle),
        DriverFunction.MEMCPY_DTOD_ASYNC);
  }

  /** Enqueues filling a range with one byte. */
  public void fill(DeviceBuffer target, long offset, long bytes, byte value) {
    requireOpen();
    check(
        MemoryCalls.cuMemsetD8Async(target.address(offset, bytes), value, bytes, handle),
        DriverFunction.MEMSET_D8_ASYNC);
  }

  /** Enqueues the mark {@code event}. */
  public void record(CudaEvent event) {
    requireOpen();
    check(StreamCalls.cuEventRecord(event.handle(), handle), DriverFunction.EVENT_RECORD);
  }

  /** Makes what is enqueued from now on wait for {@code event}, also one of another stream. */
  public void waitFor(CudaEvent event) {
    requireOpen();
    check(
        StreamCalls.cuStreamWaitEvent(handle, event.handle(), 0), DriverFunction.STREAM_WAIT_EVENT);
  }

  /** Waits until all enqueued work is done. */
  public void synchronize() {
    requireOpen();
    check(StreamCalls.cuStreamSynchronize(handle), DriverFunction.STREAM_SYNCHRONIZE);
  }

  /** Whether all enqueued work is done. */
  public boolean isIdle() {
    requireOpen();
    final int result = StreamCalls.cuStreamQuery(handle);
    if (result == CudaResult.NOT_READY) {
      return false;
    }
    check(result, DriverFunction.STREAM_QUERY);
    return true;
  }

  /**
   * Records what {@code work} enqueues on this stream, without doing it.
   *
   * <p>Cold: instantiating takes the driver milliseconds. {@code work} must not wait for anything.
   * If it throws, the recording is dropped and the exception goes on.
   */
  public CudaGraph capture(Runnable work) {
    requireOpen();
    check(
        StreamCalls.cuStreamBeginCapture(handle, CAPTURE_THREAD_LOCAL),
        DriverFunction.STREAM_BEGIN_CAPTURE);
    try {
      work.run();
    } catch (RuntimeException | Error e) {
      if (StreamCalls.cuStreamEndCapture(handle, device.scratch) == CudaResult.SUCCESS) {
        StreamCalls.cuGraphDestroy(device.scratch.get(ValueLayout.JAVA_LONG, 0));
      }
      throw e;
    }
    check(
        StreamCalls.cuStreamEndCapture(handle, device.scratch), DriverFunction.STREAM_END_CAPTURE);
    final long graph = device.scratch.get(ValueLayout.JAVA_LONG, 0);
    final int result = StreamCalls.cuGraphInstantiateWithFlags(device.scratch, graph, 0);
    final long executable = device.scratch.get(ValueLayout.JAVA_LONG, 0);
    check(StreamCalls.cuGraphDestroy(graph), DriverFunction.GRAPH_DESTROY);
    check(result, DriverFunction.GRAPH_INSTANTIATE);
    return new CudaGraph(device, executable);
  }

  /** The driver's handle, for libraries that take a {@code CUstream}; valid until it is closed. */
  public long handle() {
    requireOpen();
    return handle;
  }

  @Override
  int release() {
    return StreamCalls.cuStreamDestroy(handle);
  }

  @Override
  DriverFunction releaseCall() {
    return DriverFunction.STREAM_DESTROY;
  }
}
