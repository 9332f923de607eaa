package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import org.jspecify.annotations.Nullable;

/**
 * Device memory for what steps send beside their batch. It grows to what is asked for, twice as
 * large each time; steps use it in the order of their stream. Device thread only.
 */
final class GrowingBlock {
  private final CudaDevice device;
  private final MemoryUse use;
  private @Nullable DeviceBuffer buffer;

  GrowingBlock(CudaDevice device, MemoryUse use) {
    this.device = device;
    this.use = use;
  }

  /** At least {@code bytes}. What is copied there next comes behind what earlier steps read. */
  DeviceBuffer atLeast(CudaStream stream, long bytes) {
    DeviceBuffer current = buffer;
    if (current == null || current.bytes() < bytes) {
      final long grown = current == null ? bytes : Math.max(bytes, 2 * current.bytes());
      buffer = null;
      if (current != null) {
        stream.synchronize(); // an earlier step may still read it
        current.close();
      }
      current = device.allocate(use, grown);
      buffer = current;
    }
    return current;
  }

  /** Where what was asked for last begins; 0 before. */
  long address() {
    final DeviceBuffer current = buffer;
    return current == null ? 0 : current.address();
  }
}
