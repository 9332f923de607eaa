package dev.headway.executor.vector;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * Memory of the machine, or of the container that bounds it.
 *
 * @param totalBytes all of it; {@link Long#MAX_VALUE} if not available
 * @param freeBytes unused, page cache not counted as free
 */
public record PhysicalMemory(long totalBytes, long freeBytes) {

  /** That of this machine, now. */
  public static PhysicalMemory now() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
            && system.getTotalMemorySize() > 0
        ? new PhysicalMemory(system.getTotalMemorySize(), system.getFreeMemorySize())
        : new PhysicalMemory(Long.MAX_VALUE, Long.MAX_VALUE);
  }
}
