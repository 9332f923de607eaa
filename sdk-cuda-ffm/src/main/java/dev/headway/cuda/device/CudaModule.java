package dev.headway.cuda.device;

import dev.headway.cuda.CudaException;
import dev.headway.cuda.driver.CudaResult;
import dev.headway.cuda.driver.DriverFunction;
import dev.headway.cuda.driver.ModuleCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;

/** Kernels that were loaded together. Owner thread only. */
public final class CudaModule extends DeviceResource {
  private final String name;
  private final long handle;

  CudaModule(CudaDevice device, String name, long handle) {
    super(device, "module '" + name + "'");
    this.name = name;
    this.handle = handle;
  }

  /**
   * Finds a kernel; cold.
   *
   * @param kernel its exported name
   * @param parameters what it takes, in order; the driver cannot be asked, so this must be right
   * @throws CudaException if there is no kernel of this name
   */
  public Kernel kernel(String kernel, KernelParameter... parameters) {
    requireOpen();
    try (Arena arena = Arena.ofConfined()) {
      final int result =
          ModuleCalls.cuModuleGetFunction(device.scratch, handle, arena.allocateFrom(kernel));
      if (result != CudaResult.SUCCESS) {
        throw CudaResult.exception(
            DriverFunction.MODULE_GET_FUNCTION, result, "kernel=" + kernel + ", module=" + name);
      }
    }
    return new Kernel(this, kernel, device.scratch.get(ValueLayout.JAVA_LONG, 0), parameters);
  }

  @Override
  int release() {
    return ModuleCalls.cuModuleUnload(handle);
  }

  @Override
  DriverFunction releaseCall() {
    return DriverFunction.MODULE_UNLOAD;
  }
}
