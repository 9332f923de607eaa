package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import org.jspecify.annotations.Nullable;

/** Pinned memory that grows to what is asked for, twice as large each time. Device thread only. */
final class GrowingPinned {
  private final CudaDevice device;
  private final MemoryUse use;
  private @Nullable PinnedBuffer buffer;

  GrowingPinned(CudaDevice device, MemoryUse use) {
    this.device = device;
    this.use = use;
  }

  /** At least {@code bytes}; nothing that was enqueued may still use what was given before. */
  PinnedBuffer atLeast(long bytes) {
    PinnedBuffer current = buffer;
    if (current == null || current.bytes() < bytes) {
      final long grown = current == null ? bytes : Math.max(bytes, 2 * current.bytes());
      buffer = null;
      if (current != null) {
        current.close();
      }
      current = device.allocatePinned(use, grown);
      buffer = current;
    }
    return current;
  }
}
