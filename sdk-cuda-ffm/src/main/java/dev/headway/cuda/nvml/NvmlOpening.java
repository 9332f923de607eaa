package dev.headway.cuda.nvml;

import dev.headway.cuda.driver.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.NoSuchElementException;

/** How the search for a device in NVML ended. */
record NvmlOpening(NvmlDevice device, String absentBecause) {

  static NvmlOpening of(NativeLibrary library, String pciBusId) {
    if (!library.isLoaded()) {
      return none(library.failure());
    }
    final NvmlCalls calls;
    try {
      calls = new NvmlCalls(library.symbols().orElseThrow());
    } catch (NoSuchElementException e) {
      return none(library.name() + " is no NVML that is known: " + e.getMessage());
    }
    int result = calls.init();
    if (result != 0) {
      return none("nvmlInit_v2 answers " + result);
    }
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment handle = arena.allocate(ValueLayout.JAVA_LONG);
      result = calls.deviceByPciBusId(arena.allocateFrom(pciBusId), handle);
      if (result != 0) {
        calls.shutdown();
        return none("NVML knows no device at " + pciBusId + ": result=" + result);
      }
      return new NvmlOpening(new LoadedNvmlDevice(calls, handle.get(ValueLayout.JAVA_LONG, 0)), "");
    }
  }

  private static NvmlOpening none(String because) {
    return new NvmlOpening(NvmlDevice.NONE, because);
  }
}
