package dev.headway.cuda.device;

import dev.headway.cuda.CudaException;
import dev.headway.cuda.driver.CudaResult;
import dev.headway.cuda.driver.DriverFunction;

/**
 * Something that lives on a device until it is closed, at the latest with the device. Owner thread
 * only.
 */
abstract sealed class DeviceResource implements AutoCloseable
    permits DeviceBuffer, PinnedBuffer, CudaStream, CudaEvent, CudaModule, CudaGraph {
  final CudaDevice device;
  private final String what;
  private boolean closed;

  DeviceResource(CudaDevice device, String what) {
    this.device = device;
    this.what = what;
    device.adopt(this);
  }

  /** Gives it back to the driver and returns the result. */
  abstract int release();

  /** The call that {@link #release} makes. */
  abstract DriverFunction releaseCall();

  /**
   * Gives it back to the driver.
   *
   * @throws IllegalStateException on another thread than the device's, or if it is closed already
   * @throws CudaException if the driver refuses; it counts as closed all the same
   */
  @Override
  public final void close() {
    requireOpen();
    final int result = releaseQuietly();
    device.forget(this);
    if (result != CudaResult.SUCCESS && !CudaResult.isSticky(result)) {
      throw CudaResult.exception(releaseCall(), result, "resource=" + what);
    }
  }

  /**
   * For the device, which closes what is left over. A lost context has nothing left to give back.
   */
  final int releaseQuietly() {
    closed = true;
    return release();
  }

  /** Whether {@link #close} was called. */
  public final boolean isClosed() {
    return closed;
  }

  /** What it is, for messages. */
  @Override
  public final String toString() {
    return what;
  }

  final void requireInside(long offsetBytes, long lengthBytes, long bytes) {
    requireOpen();
    if (offsetBytes < 0 || lengthBytes < 0 || offsetBytes > bytes - lengthBytes) {
      throw new IndexOutOfBoundsException(
          this
              + ": range must be inside: offsetBytes="
              + offsetBytes
              + ", lengthBytes="
              + lengthBytes
              + ", bytes="
              + bytes);
    }
  }

  final void requireOpen() {
    device.requireOwner();
    if (closed) {
      throw new IllegalStateException(what + " must be open: it was closed before");
    }
  }
}
