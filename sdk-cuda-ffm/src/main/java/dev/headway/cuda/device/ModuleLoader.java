package dev.headway.cuda.device;

import dev.headway.cuda.CudaException;
import dev.headway.cuda.CudaUnavailableException;
import dev.headway.cuda.driver.CudaResult;
import dev.headway.cuda.driver.DriverFunction;
import dev.headway.cuda.driver.ModuleCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Loads an image and keeps what the driver's compiler says about it; cold. */
final class ModuleLoader {
  private static final int JIT_ERROR_LOG_BUFFER = 5;
  private static final int JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6;
  private static final int LOG_BYTES = 8192;

  private ModuleLoader() {}

  static CudaModule load(CudaDevice device, String name, byte[] image) {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment ended = arena.allocate(image.length + 1L, 16); // PTX must end with 0
      MemorySegment.copy(image, 0, ended, ValueLayout.JAVA_BYTE, 0, image.length);
      final MemorySegment log = arena.allocate(LOG_BYTES);
      final int result =
          ModuleCalls.cuModuleLoadDataEx(
              device.scratch,
              ended,
              2,
              arena.allocateFrom(
                  ValueLayout.JAVA_INT, JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER_SIZE_BYTES),
              arena.allocateFrom(ValueLayout.JAVA_LONG, log.address(), LOG_BYTES));
      if (result != CudaResult.SUCCESS) {
        throw refused(device, name, result, log.getString(0).strip());
      }
      return new CudaModule(device, name, device.scratch.get(ValueLayout.JAVA_LONG, 0));
    }
  }

  private static RuntimeException refused(
      CudaDevice device, String name, int result, String compilerLog) {
    final CudaException failure =
        CudaResult.exception(
            DriverFunction.MODULE_LOAD_DATA_EX,
            result,
            "module="
                + name
                + ", device="
                + device.info().name()
                + ", computeCapability="
                + device.info().computeCapability()
                + (compilerLog.isEmpty() ? "" : ", compiler: " + compilerLog));
    if (result != CudaResult.UNSUPPORTED_PTX_VERSION) {
      return failure;
    }
    final int version = device.info().driverVersion();
    return new CudaUnavailableException(
        "the NVIDIA driver must be newer to compile the kernels of this version: module="
            + name
            + ", driverSupportsCuda="
            + version / 1000
            + "."
            + version % 1000 / 10
            + "; update the driver to 470 or newer",
        failure);
  }
}
