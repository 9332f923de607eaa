package dev.headway.cuda.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.cuda.CudaException;
import dev.headway.cuda.CudaUnavailableException;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.OnCudaDriver;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a user is told when a device is missing, too old, too small or lost. */
@OnCudaDriver
class DeviceMessagesTest {
  @BeforeEach
  void onTheFakeDriver() {
    Emulator.assumeActive();
  }

  @Test
  void shouldSayThatThereIsNoDevice() {
    new Emulator.Device().count(0).install();

    assertThatThrownBy(() -> CudaDevice.open(0))
        .isInstanceOf(CudaUnavailableException.class)
        .hasMessage(
            "CUDA needs a device and the driver shows none: cuInit answers 100"
                + " (CUDA_ERROR_NO_DEVICE); check nvidia-smi, CUDA_VISIBLE_DEVICES, and that a"
                + " container is given the GPU");
  }

  @Test
  void shouldSayWhichOrdinalsThereAre() {
    new Emulator.Device().count(2).install();

    assertThatThrownBy(() -> CudaDevice.open(2))
        .isInstanceOf(CudaUnavailableException.class)
        .hasMessage("device ordinal must be in [0, 2): ordinal=2");
  }

  @Test
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
    assertThat(CudaDevice.unavailableBecause(5))
        .hasValue("device ordinal must be in [0, 1): ordinal=5");
    new Emulator.Device().computeMajor(7).install();
    assertThat(CudaDevice.unavailableBecause(0).orElseThrow())
        .startsWith("the device must have compute capability >= 8.0");
    Emulator.failNext("cuInit", 999);
    assertThat(CudaDevice.unavailableBecause(0).orElseThrow())
        .startsWith("cuInit failed: result=999");
  }

  @Test
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

  @Test
  void shouldGiveTheCompilersWordsForADamagedImage() {
    try (CudaDevice device = CudaDevice.open(0)) {
      assertThatThrownBy(() -> device.loadModule("test", TestModule.image("x")))
          .isInstanceOf(CudaException.class)
          .hasMessage(
              "cuModuleLoadDataEx failed: result=218 (CUDA_ERROR_INVALID_PTX), module=test,"
                  + " device=emulated device, computeCapability=8.0, compiler: ptxas fatal: no"
                  + " .version directive");
      assertThatThrownBy(() -> device.loadModule("test", new byte[] {1, 2, 3}))
          .hasMessageStartingWith("cuModuleLoadDataEx failed: result=200");
    }
  }

  @Test
  void shouldNameTheOptionWhenMemoryRunsOut() {
    new Emulator.Device().totalBytes(1_000_000).install();

    try (CudaDevice device = CudaDevice.open(0)) {
      device.allocate(MemoryUse.of("weights"), 400_000);

      assertThatThrownBy(() -> device.allocate(new MemoryUse("KV cache", "kvBlocks"), 700_000))
          .isInstanceOf(CudaException.class)
          .hasMessage(
              "cuMemAlloc_v2 failed: result=2 (CUDA_ERROR_OUT_OF_MEMORY), use=KV cache,"
                  + " requestedBytes=700000, freeBytes=600000, totalBytes=1000000; lower kvBlocks,"
                  + " or free device memory");
    }
  }

  @Test
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
          .hasMessage(
              "cuModuleGetFunction failed: result=500 (CUDA_ERROR_NOT_FOUND), kernel=nothing,"
                  + " module=test");
    }
  }

  @Test
  void shouldTellTheShapeOfARefusedLaunch() {
    try (CudaDevice device = CudaDevice.open(0)) {
      final CudaStream stream = device.newStream();
      final Kernel kernel = TestModule.load(device).kernel("test_add", addParameters());

      assertThatThrownBy(() -> kernel.pointer(0).i32(0).i32(0).launch(stream, 1, 70_000, 1, 64, 0))
          .hasMessage(
              "cuLaunchKernel failed: result=1 (CUDA_ERROR_INVALID_VALUE), kernel=test_add,"
                  + " grid=1x70000x1, threads=64, sharedBytes=0");
      assertThatThrownBy(() -> kernel.allowSharedBytes(300_000))
          .hasMessage(
              "cuFuncSetAttribute failed: result=1 (CUDA_ERROR_INVALID_VALUE), kernel=test_add,"
                  + " sharedBytes=300000, maxSharedBytesPerBlock=232448");
    }
  }

  static KernelParameter[] addParameters() {
    return new KernelParameter[] {
      KernelParameter.POINTER, KernelParameter.I32, KernelParameter.I32
    };
  }
}
