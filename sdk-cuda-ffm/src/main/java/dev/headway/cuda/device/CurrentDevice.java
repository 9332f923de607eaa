package dev.headway.cuda.device;

import dev.headway.cuda.driver.DeviceCalls;
import org.jspecify.annotations.Nullable;

/**
 * Whose context the driver uses for the calls of a thread. A thread with one device binds it once;
 * one with several binds what it uses next. One thread; allocates nothing.
 */
final class CurrentDevice {
  private static final ThreadLocal<CurrentDevice> OF_THREAD =
      ThreadLocal.withInitial(CurrentDevice::new);

  private @Nullable CudaDevice device;

  private CurrentDevice() {}

  /** That of the calling thread; devices keep it, so that using them looks nothing up. */
  static CurrentDevice ofThread() {
    return OF_THREAD.get();
  }

  /** Makes a device the current one; returns the driver's result. */
  int bind(CudaDevice next, long context) {
    if (device == next) {
      return 0;
    }
    final int result = DeviceCalls.cuCtxSetCurrent(context);
    device = result == 0 ? next : null;
    return result;
  }

  /** Leaves the thread without a device. */
  void unbind() {
    device = null;
    DeviceCalls.cuCtxSetCurrent(0);
  }
}
