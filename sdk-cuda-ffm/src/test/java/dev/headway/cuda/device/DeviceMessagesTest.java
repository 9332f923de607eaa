package dev.headway.cuda.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.cuda.CudaException;
import dev.headway.cuda.CudaUnavailableException;
import dev.headway.cuda.emulation.ChildJvm;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.EmulatorOnly;
import dev.headway.cuda.emulation.OnCudaDriver;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a user is told when a device is missing, too old, too small or lost. */
@OnCudaDriver
class DeviceMessagesTest {
  private static final String ONE_DEVICE =
      "the device must be another one, as only the emulator can";

  /** In a JVM of its own, since the driver looks at the variable once. */
  @Test
  void shouldSayThatThereIsNoDevice() throws Exception {
    final ChildJvm.Ended ended = ChildJvm.run(OpenMain.class, Map.of("CUDA_VISIBLE_DEVICES", ""));

    assertThat(ended.lines())
        .containsExactly(
            "CUDA needs a device and the driver shows none: cuInit answers 100"
                + " (CUDA_ERROR_NO_DEVICE); check nvidia-smi, CUDA_VISIBLE_DEVICES, and that a"
                + " container is given the GPU");
  }

  /** Opens the first device and says why that cannot be. */
  public static final class OpenMain {
    /** Prints the message, or nothing. */
    public static void main(String[] arguments) {
      try {
        CudaDevice.open(0).close();
      } catch (CudaUnavailableException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @Test
  void shouldSayWhichOrdinalsThereAre() {
    if (Emulator.isActive()) {
      new Emulator.Device().count(2).install();
    }
    final int count = CudaDevice.count();

    assertThatThrownBy(() -> CudaDevice.open(count))
        .isInstanceOf(CudaUnavailableException.class)
        .hasMessage("device ordinal must be in [0, " + count + "): ordinal=" + count);
  }

  @Test
  @EmulatorOnly(ONE_DEVICE)
  void shouldRefuseADeviceWithoutTensorCoresForBf16() {
    new Emulator.Device().computeMajor(7).install();

    assertThatThrownBy(() -> CudaDevice.open(0))
        .isInstanceOf(CudaUnavailableException.class)
        .hasMessage(
            "the device must have compute capability >= 8.0 (Ampere or newer), since the kernels"
                + " use bf16 tensor cores: device=emulated device, computeCapability=7.5");
  }

  @Test
  void shouldAnswerWithoutTakingAContext() {
    assertThat(CudaDevice.unavailableBecause(0)).isEmpty();
    assertThat(CudaDevice.unavailableBecause(1_000))
        .hasValue("device ordinal must be in [0, " + CudaDevice.count() + "): ordinal=1000");
  }

  @Test
  @EmulatorOnly(ONE_DEVICE)
  void shouldAnswerWhatIsWrongWithTheDeviceOrTheDriver() {
    new Emulator.Device().computeMajor(7).install();
    assertThat(CudaDevice.unavailableBecause(0).orElseThrow())
        .startsWith("the device must have compute capability >= 8.0");
    Emulator.failNext("cuInit", 999);
    assertThat(CudaDevice.unavailableBecause(0).orElseThrow())
        .startsWith("cuInit failed: result=999");
  }

  @Test
  @EmulatorOnly("the driver must be an old one")
  void shouldSayThatTheDriverIsTooOldForTheKernels() {
    new Emulator.Device().newestPtx(65).install();

    try (CudaDevice device = CudaDevice.open(0)) {
      assertThatThrownBy(() -> TestModule.load(device))
          .isInstanceOf(CudaUnavailableException.class)
          .hasMessage(
              "the NVIDIA driver must be newer to compile the kernels of this version:"
                  + " module=test, driverSupportsCuda=13.0; update the driver to 470 or newer")
          .cause()
          .hasMessage(
              "cuModuleLoadDataEx failed: result=222 (CUDA_ERROR_UNSUPPORTED_PTX_VERSION),"
                  + " module=test, device=emulated device, computeCapability=8.0, compiler: ptxas"
                  + " fatal: unsupported .version");
    }
  }

  /** Which words the compiler has is its own affair. */
  @Test
  void shouldGiveTheCompilersWordsForADamagedImage() {
    try (CudaDevice device = CudaDevice.open(0)) {
      final String where =
          "module=test, device="
              + device.info().name()
              + ", computeCapability="
              + device.info().computeCapability();

      assertThatThrownBy(() -> device.loadModule("test", TestModule.damaged()))
          .isInstanceOf(CudaException.class)
          .hasMessageStartingWith("cuModuleLoadDataEx failed: result=218 (CUDA_ERROR_INVALID_PTX")
          .hasMessageContaining(", " + where + ", compiler: ptxas ");
      assertThatThrownBy(() -> device.loadModule("test", new byte[] {1, 2, 3}))
          .isInstanceOf(CudaException.class)
          .hasMessageStartingWith("cuModuleLoadDataEx failed: result=2")
          .hasMessageContaining(where);
      assertThat(device.openResources()).isZero();
    }
  }

  @Test
  void shouldNameTheOptionWhenMemoryRunsOut() {
    try (CudaDevice device = CudaDevice.open(0)) {
      final long total = device.info().totalBytes();
      device.allocate(MemoryUse.of("weights"), 400_000);

      assertThatThrownBy(() -> device.allocate(new MemoryUse("KV cache", "kvBlocks"), total + 1))
          .isInstanceOf(CudaException.class)
          .hasMessageMatching(
              "cuMemAlloc_v2 failed: result=2 \\(CUDA_ERROR_OUT_OF_MEMORY.*\\), use=KV cache,"
                  + " requestedBytes=%d, freeBytes=\\d+, totalBytes=%d; lower kvBlocks,"
                      .formatted(total + 1, total)
                  + " or free device memory");
      assertThat(device.allocate(MemoryUse.of("small"), 16).bytes()).isEqualTo(16);
    }
  }

  @Test
  @EmulatorOnly("a system that is asked for more memory than it has may stop")
  void shouldSayWhatCouldNotBePinned() {
    try (CudaDevice device = CudaDevice.open(0)) {
      Emulator.failNext("cuMemHostAlloc", 2);

      assertThatThrownBy(() -> device.allocatePinned(MemoryUse.of("staging"), 4096))
          .hasMessage(
              "cuMemHostAlloc failed: result=2 (CUDA_ERROR_OUT_OF_MEMORY), use=staging,"
                  + " requestedBytes=4096; free host memory");
    }
  }

  @Test
  void shouldSayWhichKernelIsMissing() {
    try (CudaDevice device = CudaDevice.open(0)) {
      final CudaModule module = TestModule.load(device);

      assertThatThrownBy(() -> module.kernel("nothing"))
          .hasMessageMatching(
              "cuModuleGetFunction failed: result=500 \\(CUDA_ERROR_NOT_FOUND.*\\),"
                  + " kernel=nothing, module=test");
    }
  }

  @Test
  void shouldTellTheShapeOfARefusedLaunch() {
    try (CudaDevice device = CudaDevice.open(0)) {
      final CudaStream stream = device.newStream();
      final Kernel kernel = TestModule.add(device);

      assertThatThrownBy(() -> kernel.pointer(0).i32(0).i32(0).launch(stream, 1, 70_000, 1, 64, 0))
          .hasMessageMatching(
              "cuLaunchKernel failed: result=1 \\(CUDA_ERROR_INVALID_VALUE.*\\), kernel=test_add,"
                  + " grid=1x70000x1, threads=64, sharedBytes=0");
      assertThatThrownBy(() -> kernel.allowSharedBytes(300_000))
          .hasMessageMatching(
              "cuFuncSetAttribute failed: result=1 \\(CUDA_ERROR_INVALID_VALUE.*\\),"
                  + " kernel=test_add, sharedBytes=300000, maxSharedBytesPerBlock="
                  + device.info().maxSharedBytesPerBlock());
    }
  }
}
