package dev.headway.cuda.nvml;

import static dev.headway.api.Absent.ABSENT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A device opened through NVML; one thread, which also closes it. */
final class LoadedNvmlDevice implements NvmlDevice {
  private static final long TOTAL_OFFSET = 0;
  private static final long USED_OFFSET = 16;
  private static final long PERMILLE_PER_PERCENT = 10;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory = arena.allocate(24, 8);
  private final MemorySegment rates = arena.allocate(8, 4);
  private final NvmlCalls calls;
  private final long handle;
  private boolean memoryKnown;

  LoadedNvmlDevice(NvmlCalls calls, long handle) {
    this.calls = calls;
    this.handle = handle;
  }

  @Override
  public long usedBytes() {
    memoryKnown = calls.memoryInfo(handle, memory) == 0;
    return memoryKnown ? memory.get(ValueLayout.JAVA_LONG, USED_OFFSET) : ABSENT;
  }

  @Override
  public long totalBytes() {
    return memoryKnown ? memory.get(ValueLayout.JAVA_LONG, TOTAL_OFFSET) : ABSENT;
  }

  @Override
  public long utilisationPermille() {
    return calls.utilizationRates(handle, rates) == 0
        ? PERMILLE_PER_PERCENT * rates.get(ValueLayout.JAVA_INT, 0)
        : ABSENT;
  }

  @Override
  public void close() {
    calls.shutdown();
    arena.close();
  }
}
