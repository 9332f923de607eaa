package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.cuda.CudaException;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.EmulatorOnly;
import dev.headway.cuda.emulation.OnCudaDriver;
import org.junit.jupiter.api.Test;

/** Which image a device gets. */
@OnCudaDriver
class KernelLoadingTest {
  private static final int INVALID_IMAGE = 200;
  private static final int LAUNCH_FAILED = 719;
  private static final String LOAD = "cuModuleLoadDataEx";

  private static final String MACHINE_CODE = "machine code for compute capability 9.0";
  private static final String PTX = "PTX, compiled by the driver";
  private static final String OTHER_DEVICE = "the device must be of another kind";
  private static final String REFUSED = "a call of the driver must fail at will";

  /** On a real device too: its driver takes the machine code that the jar has for it. */
  @Test
  void shouldLoadWhatTheJarHasForTheDevice() {
    try (CudaDevice device = CudaDevice.open(0)) {
      final boolean hasCode = "9.0".equals(device.info().computeCapability());

      assertThat(Kernels.load(device).origin()).isEqualTo(hasCode ? MACHINE_CODE : PTX);
    }
  }

  @Test
  @EmulatorOnly(OTHER_DEVICE)
  void shouldLoadMachineCodeWhereThereIsAny() {
    new Emulator.Device().computeMajor(9).install();

    assertLoaded(1, MACHINE_CODE);
  }

  @Test
  @EmulatorOnly(OTHER_DEVICE)
  void shouldLetTheDriverCompileForOtherDevices() {
    for (int major : new int[] {8, 10}) {
      new Emulator.Device().computeMajor(major).install();

      assertLoaded(1, PTX);
    }
  }

  @Test
  @EmulatorOnly(REFUSED)
  void shouldLetTheDriverCompileIfItRefusesTheMachineCode() {
    new Emulator.Device().computeMajor(9).install();
    Emulator.failNext(LOAD, INVALID_IMAGE);

    assertLoaded(
        2,
        "PTX, compiled by the driver, which refused the machine code: cuModuleLoadDataEx failed:"
            + " result=200 (CUDA_ERROR_INVALID_IMAGE), module=headway kernels in machine code,"
            + " device=emulated device, computeCapability=9.0");
  }

  @Test
  @EmulatorOnly(REFUSED)
  void shouldNotGoOnWithALostDevice() {
    new Emulator.Device().computeMajor(9).install();
    Emulator.failNext(LOAD, LAUNCH_FAILED);
    final int before = Emulator.calls(LOAD);

    try (CudaDevice device = CudaDevice.open(0)) {
      assertThatThrownBy(() -> Kernels.load(device))
          .isInstanceOf(CudaException.class)
          .hasMessageContaining("result=719");
    }
    assertThat(Emulator.calls(LOAD) - before).isOne();
  }

  @Test
  @EmulatorOnly(OTHER_DEVICE)
  void shouldRefuseMachineCodeOfAnotherDevice() {
    try (CudaDevice device = CudaDevice.open(0)) { // 8.0
      final byte[] code = KernelImage.ALL.machineCode(9, 0).orElseThrow();

      assertThatThrownBy(() -> device.loadModule("other", code))
          .isInstanceOf(CudaException.class)
          .hasMessageContaining("result=209");
    }
  }

  private static void assertLoaded(int attempts, String origin) {
    final int before = Emulator.calls(LOAD);
    try (CudaDevice device = CudaDevice.open(0)) {
      assertThat(Kernels.load(device).origin()).isEqualTo(origin);
    }
    assertThat(Emulator.calls(LOAD) - before).isEqualTo(attempts);
  }
}
