package dev.headway.cli.simulate;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Most memory this process has taken so far.
 *
 * @param residentBytes of the process; 0 where the system does not say
 * @param heapBytes of the Java heap
 */
record Footprint(long residentBytes, long heapBytes) {

  private static final Path STATUS = Path.of("/proc/self/status");

  static Footprint peak() {
    return new Footprint(peakResidentBytes(), peakHeapBytes());
  }

  private static long peakResidentBytes() {
    if (!Files.isReadable(STATUS)) {
      return 0;
    }
    try {
      final List<String> lines = Files.readAllLines(STATUS);
      for (String line : lines) {
        if (line.startsWith("VmHWM:")) {
          return 1_024 * Long.parseLong(line.replaceAll("\\D", ""));
        }
      }
    } catch (IOException e) {
      return 0; // only a figure of the summary
    }
    return 0;
  }

  private static long peakHeapBytes() {
    long bytes = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      if (pool.getType() == MemoryType.HEAP) {
        bytes += pool.getPeakUsage().getUsed();
      }
    }
    return bytes;
  }
}
