package dev.headway.cuda.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.cuda.CudaException;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.EmulatorOnly;
import dev.headway.cuda.emulation.OnCudaDriver;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Who may use what, and until when. */
@OnCudaDriver
class OwnershipTest {

  @Test
  void shouldRefuseAnotherThread() throws InterruptedException {
    try (CudaDevice device = CudaDevice.open(0);
        DeviceBuffer buffer = device.allocate(MemoryUse.of("x"), 16)) {
      final AtomicReference<Throwable> seen = new AtomicReference<>();
      final Thread other =
          Thread.ofPlatform()
              .name("other")
              .start(
                  () -> {
                    try {
                      buffer.address();
                    } catch (IllegalStateException e) {
                      seen.set(e);
                    }
                  });
      other.join();

      assertThat(seen.get())
          .hasMessage(
              "a device must be used by the thread that opened it: owner="
                  + Thread.currentThread().getName()
                  + ", caller=other");
    }
  }

  /** A stream and memory of one device are none of the other's: the driver refuses them. */
  @Test
  @EmulatorOnly("a second device must be there")
  void shouldKeepTwoDevicesOfAThreadApart() {
    new Emulator.Device().count(2).install();
    try (CudaDevice first = CudaDevice.open(0)) {
      final CudaStream stream = first.newStream();
      final CudaDevice second = CudaDevice.open(1);
      final long freeOfFirst = first.freeBytes();
      final long freeOfSecond = second.freeBytes();

      final DeviceBuffer buffer = first.allocate(MemoryUse.of("x"), 4_096);
      final CudaStream other = second.newStream();
      stream.fill(buffer, 0, 4_096, (byte) 0);
      other.fill(second.allocate(MemoryUse.of("y"), 16), 0, 16, (byte) 0);

      assertThat(freeOfFirst - first.freeBytes()).isEqualTo(4_096);
      assertThat(freeOfSecond - second.freeBytes()).isEqualTo(16);
      second.close();
      stream.fill(buffer, 0, 4_096, (byte) 1);
      stream.synchronize();
    }
  }

  @Test
  void shouldRefuseAVirtualThread() throws InterruptedException {
    final AtomicReference<Throwable> seen = new AtomicReference<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                CudaDevice.open(0).close();
              } catch (IllegalStateException e) {
                seen.set(e);
              }
            })
        .join();

    assertThat(seen.get()).hasMessageStartingWith("a device must be opened on a platform thread");
  }

  @Test
  void shouldRefuseUseAfterClose() {
    try (CudaDevice device = CudaDevice.open(0)) {
      final DeviceBuffer buffer = device.allocate(MemoryUse.of("x"), 16);
      final PinnedBuffer pinned = device.allocatePinned(MemoryUse.of("y"), 16);
      buffer.close();
      pinned.close();

      assertThatThrownBy(buffer::address)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("device buffer 'x' must be open: it was closed before");
      assertThatThrownBy(buffer::close)
          .hasMessage("device buffer 'x' must be open: it was closed before");
      assertThatThrownBy(() -> pinned.segment().fill((byte) 0))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
      assertThat(device.openResources()).isZero();
    }
  }

  @Test
  void shouldRefuseACopyOutsideABuffer() {
    try (CudaDevice device = CudaDevice.open(0)) {
      final DeviceBuffer buffer = device.allocate(MemoryUse.of("x"), 16);
      final PinnedBuffer pinned = device.allocatePinned(MemoryUse.of("y"), 64);
      final CudaStream stream = device.newStream();

      assertThatThrownBy(() -> stream.copyToDevice(buffer, 8, pinned, 0, 16))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessage(
              "device buffer 'x': range must be inside: offsetBytes=8, lengthBytes=16, bytes=16");
      assertThatThrownBy(() -> stream.copyToHost(pinned, 60, buffer, 0, 16))
          .hasMessage(
              "pinned buffer 'y': range must be inside: offsetBytes=60, lengthBytes=16, bytes=64");
    }
  }

  /** Everything is left open on purpose: the extension fails the test if something stays alive. */
  @Test
  void shouldCloseWhatIsLeftOpenWithTheDevice() {
    final CudaDevice device = CudaDevice.open(0);
    device.allocate(MemoryUse.of("x"), 16);
    device.allocatePinned(MemoryUse.of("y"), 16);
    final CudaStream stream = device.newStream();
    stream.record(device.newEvent());
    stream.capture(() -> {});
    TestModule.load(device);
    if (Emulator.isActive()) {
      assertThat(Emulator.alive()).isPositive();
    }

    device.close();

    assertThatThrownBy(device::newStream).hasMessage("device 0 must be open: it was closed");
    assertThatThrownBy(stream::synchronize).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldCheckArguments() {
    try (CudaDevice device = CudaDevice.open(0)) {
      final CudaStream stream = device.newStream();
      final Kernel kernel = TestModule.add(device);

      assertThatThrownBy(() -> kernel.i32(1))
          .hasMessage(
              "kernel test_add: argument 0 must be as declared: written=I32,"
                  + " declared=[POINTER, I32, I32]");
      assertThatThrownBy(() -> kernel.pointer(0).i32(1).launch(stream, 1, 1, 1, 32, 0))
          .hasMessage(
              "kernel test_add: all arguments must be written: count=2,"
                  + " declared=[POINTER, I32, I32]");
      assertThatThrownBy(() -> kernel.pointer(0).i32(1).i32(2).i32(3))
          .hasMessageStartingWith("kernel test_add: argument 3 must be as declared");
    }
  }

  /** A failed launch loses the context: later calls say the same, closing stays silent. */
  @Test
  @EmulatorOnly("a call must fail at will; LostContextTest loses a real context")
  void shouldReportALostContextUntilItIsClosed() {
    try (CudaDevice device = CudaDevice.open(0)) {
      final CudaStream stream = device.newStream();
      device.allocate(MemoryUse.of("x"), 16);
      final Kernel kernel =
          TestModule.load(device).kernel("test_divergent_barrier", KernelParameter.POINTER);
      Emulator.failNext("cuStreamSynchronize", 719);

      assertThatThrownBy(stream::synchronize)
          .isInstanceOfSatisfying(CudaException.class, e -> assertThat(e.isSticky()).isTrue())
          .hasMessage(
              "cuStreamSynchronize failed: result=719 (CUDA_ERROR_LAUNCH_FAILED, injected)");
      assertThatThrownBy(() -> kernel.pointer(0).launch(stream, 1, 1, 1, 32, 0))
          .hasMessageStartingWith("cuLaunchKernel failed: result=719 (CUDA_ERROR_LAUNCH_FAILED");
    }
    assertThatThrownBy(() -> CudaDevice.open(0)) // a new context does not help
        .isInstanceOfSatisfying(CudaException.class, e -> assertThat(e.isSticky()).isTrue());
  }
}
