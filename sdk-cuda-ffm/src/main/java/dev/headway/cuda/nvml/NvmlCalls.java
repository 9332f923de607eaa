package dev.headway.cuda.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.headway.cuda.driver.Unexpected;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * The five functions of NVML that are called, named and typed as in {@code nvml.h}. Handles are
 * fields, not constants, since the library is optional; none of this is on a hot path.
 */
final class NvmlCalls {
  private final MethodHandle init;
  private final MethodHandle shutdown;
  private final MethodHandle deviceByPciBusId;
  private final MethodHandle memoryInfo;
  private final MethodHandle utilizationRates;

  /** Throws NoSuchElementException if a function is missing. */
  NvmlCalls(SymbolLookup symbols) {
    init = bind(symbols, "nvmlInit_v2");
    shutdown = bind(symbols, "nvmlShutdown");
    deviceByPciBusId = bind(symbols, "nvmlDeviceGetHandleByPciBusId_v2", ADDRESS, ADDRESS);
    memoryInfo = bind(symbols, "nvmlDeviceGetMemoryInfo", JAVA_LONG, ADDRESS);
    utilizationRates = bind(symbols, "nvmlDeviceGetUtilizationRates", JAVA_LONG, ADDRESS);
  }

  private static MethodHandle bind(SymbolLookup symbols, String name, MemoryLayout... parameters) {
    return Linker.nativeLinker()
        .downcallHandle(symbols.findOrThrow(name), FunctionDescriptor.of(JAVA_INT, parameters));
  }

  int init() {
    try {
      return (int) init.invokeExact();
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  int shutdown() {
    try {
      return (int) shutdown.invokeExact();
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  int deviceByPciBusId(MemorySegment id, MemorySegment handle) {
    try {
      return (int) deviceByPciBusId.invokeExact(id, handle);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Writes total, free and used bytes, each unsigned long long. */
  int memoryInfo(long device, MemorySegment memory) {
    try {
      return (int) memoryInfo.invokeExact(device, memory);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }

  /** Writes percent of the GPU and percent of memory traffic, each unsigned int. */
  int utilizationRates(long device, MemorySegment rates) {
    try {
      return (int) utilizationRates.invokeExact(device, rates);
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }
}
