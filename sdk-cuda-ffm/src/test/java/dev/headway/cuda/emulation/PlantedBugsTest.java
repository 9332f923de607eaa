package dev.headway.cuda.emulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.Kernel;
import dev.headway.cuda.device.KernelParameter;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The emulator finds mistakes that kernels are likely to have, and passes the kernel without them.
 */
@OnCudaDriver
@EmulatorOnly("it is the emulator that is tested: a device does not look for mistakes in kernels")
class PlantedBugsTest {
  private static final byte[] IMAGE = "//\n.version 7.0\n".getBytes(StandardCharsets.US_ASCII);

  private CudaDevice device;
  private CudaStream stream;
  private DeviceBuffer in;
  private DeviceBuffer out;
  private PinnedBuffer host;

  @BeforeEach
  void open() {
    device = CudaDevice.open(0);
    stream = device.newStream();
    in = device.allocate(MemoryUse.of("in"), 4096);
    out = device.allocate(MemoryUse.of("out"), 4096);
    host = device.allocatePinned(MemoryUse.of("host"), 4096);
  }

  @AfterEach
  void close() {
    if (device != null) {
      device.close();
    }
  }

  private Kernel kernel(String name, KernelParameter... parameters) {
    return device.loadModule("test", IMAGE).kernel(name, parameters);
  }

  private void fetch() {
    stream.copyToHost(host, 0, out, 0, 4096);
    stream.synchronize();
  }

  /** The sum of 0..255 in every order, or what came out instead. */
  private List<Integer> sums(String name) {
    for (int i = 0; i < 256; i++) {
      host.segment().setAtIndex(ValueLayout.JAVA_INT, i, i);
    }
    stream.copyToDevice(in, 0, host, 0, 1024);
    final Kernel kernel = kernel(name, KernelParameter.POINTER, KernelParameter.POINTER);
    final List<Integer> sums = new ArrayList<>();
    for (Emulator.ThreadOrder order : Emulator.orders(11)) {
      Emulator.schedule(order, Emulator.Streams.EAGER);
      kernel.pointer(out.address()).pointer(in.address()).launch(stream, 1, 1, 1, 256, 0);
      fetch();
      sums.add(host.segment().get(ValueLayout.JAVA_INT, 0));
    }
    return sums;
  }

  @Test
  void shouldPassACorrectKernelInEveryOrder() {
    assertThat(sums("test_sum")).containsOnly(256 * 255 / 2);
  }

  @Test
  void shouldFindAMissingBarrier() {
    assertThat(sums("test_sum_without_barrier")).anyMatch(sum -> sum != 256 * 255 / 2);
  }

  @Test
  void shouldFindABarrierInADivergentBranch() {
    final Kernel kernel = kernel("test_divergent_barrier", KernelParameter.POINTER);

    assertThatThrownBy(() -> kernel.pointer(out.address()).launch(stream, 1, 1, 1, 64, 0))
        .hasMessageMatching(
            "cuLaunchKernel failed: result=719 \\(CUDA_ERROR_LAUNCH_FAILED, kernel"
                + " test_divergent_barrier: deadlock: threads wait at different barriers: lines"
                + " \\d+ and \\d+\\), .*");
  }

  @Test
  void shouldFindABarrierBesideAWarpOperation() {
    final Kernel kernel = kernel("test_barrier_beside_warp_operation", KernelParameter.POINTER);

    assertThatThrownBy(() -> kernel.pointer(out.address()).launch(stream, 1, 1, 1, 64, 0))
        .hasMessageContaining("deadlock: threads wait at different places");
  }

  @Test
  void shouldFindALaneThatIsNotInItsMask() {
    final Kernel kernel = kernel("test_wrong_mask", KernelParameter.POINTER);

    assertThatThrownBy(() -> kernel.pointer(out.address()).launch(stream, 1, 1, 1, 32, 0))
        .hasMessageContaining("warp operation: the calling lane is not in its mask");
  }

  @Test
  void shouldFindArraysThatOverlapInSharedMemory() {
    for (int i = 0; i < 64; i++) {
      host.segment().setAtIndex(ValueLayout.JAVA_FLOAT, i, i);
    }
    stream.copyToDevice(in, 0, host, 0, 256);
    final Kernel kernel =
        kernel(
            "test_layout", KernelParameter.POINTER, KernelParameter.POINTER, KernelParameter.I32);

    kernel.pointer(out.address()).pointer(in.address()).i32(64).launch(stream, 1, 1, 1, 64, 512);
    fetch();
    final float right = host.segment().getAtIndex(ValueLayout.JAVA_FLOAT, 40);
    kernel.pointer(out.address()).pointer(in.address()).i32(32).launch(stream, 1, 1, 1, 64, 512);
    fetch();
    final float overlapping = host.segment().getAtIndex(ValueLayout.JAVA_FLOAT, 40);

    assertThat(right).isEqualTo(23f * 101);
    assertThat(overlapping).isNotEqualTo(23f * 101);
  }

  @Test
  void shouldFillSharedAndDeviceMemoryWithNaN() {
    final Kernel kernel = kernel("test_reads_unwritten", KernelParameter.POINTER);

    kernel.pointer(out.address()).launch(stream, 1, 1, 1, 32, 0);
    fetch();

    assertThat(host.segment().getAtIndex(ValueLayout.JAVA_FLOAT, 30)).isEqualTo(1f);
    assertThat(host.segment().getAtIndex(ValueLayout.JAVA_FLOAT, 31)).isNaN();
    assertThat(host.segment().getAtIndex(ValueLayout.JAVA_FLOAT, 100)).isNaN();
  }

  /** What {@code out} holds, once per order; {@code in} is 0..511. */
  private List<List<Integer>> copied(String name, int count) {
    for (int i = 0; i < 512; i++) {
      host.segment().setAtIndex(ValueLayout.JAVA_INT, i, i);
    }
    stream.copyToDevice(in, 0, host, 0, 2048);
    final Kernel kernel = kernel(name, KernelParameter.POINTER, KernelParameter.POINTER);
    final List<List<Integer>> all = new ArrayList<>();
    for (Emulator.ThreadOrder order : Emulator.orders(12)) {
      Emulator.schedule(order, Emulator.Streams.EAGER);
      kernel.pointer(out.address()).pointer(in.address()).launch(stream, 1, 1, 1, 64, 0);
      fetch();
      final List<Integer> values = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        values.add(host.segment().getAtIndex(ValueLayout.JAVA_INT, i));
      }
      all.add(values);
    }
    return all;
  }

  @Test
  void shouldCopyInTheBackground() {
    final List<Integer> sums = new ArrayList<>();
    final List<Integer> neighbours = new ArrayList<>();
    for (int thread = 0; thread < 64; thread++) {
      sums.add(16 * thread + 6 + (thread < 32 ? 16 * thread + 4 * 256 + 6 : 0));
      neighbours.add((thread * 4 + 4) % 256);
    }

    assertThat(copied("test_async_copies", 64)).containsOnly(sums);
    assertThat(copied("test_async_copies_of_a_neighbour", 64)).containsOnly(neighbours);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "test_async_copies_read_early",
        "test_async_copies_wait_for_the_wrong_group",
      })
  void shouldShowACopyThatIsReadBeforeItIsWaitedFor(String name) {
    // the first four integers of every thread read as -1, which is NaN
    assertThat(copied(name, 1)).containsOnly(List.of(-4 + 4 * 256 + 6));
  }

  @ParameterizedTest
  @ValueSource(strings = {"test_async_copies_never_waited_for", "test_async_copies_not_committed"})
  void shouldFindACopyThatIsNeverWaitedFor(String name) {
    assertThatThrownBy(() -> copied(name, 1))
        .hasMessageContaining("kernel " + name + ": cp.async: a copy that nobody waited for");
  }

  @Test
  void shouldFindAMissingBarrierBetweenAWaitAndAnotherThread() {
    final var right = copied("test_async_copies_of_a_neighbour", 64).getFirst();

    assertThat(copied("test_async_copies_of_a_neighbour_without_barrier", 64))
        .anyMatch(values -> !values.equals(right));
  }

  /** A guard page behind each allocation: the launch fails as on a device. */
  @Test
  void shouldStopAKernelThatWritesBehindItsBuffer() {
    add(1024);
    fetch();

    assertThatThrownBy(() -> add(1025))
        .hasMessageStartingWith(
            "cuLaunchKernel failed: result=700 (CUDA_ERROR_ILLEGAL_ADDRESS, kernel test_add: an"
                + " illegal memory access), kernel=test_add, ");
  }

  private void add(int ints) {
    kernel("test_add", KernelParameter.POINTER, KernelParameter.I32, KernelParameter.I32)
        .pointer(out.address())
        .i32(ints)
        .i32(1)
        .launch(stream, (ints + 255) / 256, 1, 1, 256, 0);
  }

  /** Compiled code finds a null by a fault of its own, after kernels have run too. */
  @Test
  void shouldLeaveTheFaultsOfTheJvmToIt() {
    add(1024);
    final int[] some = {1};
    long sum = 0;
    for (int i = 0; i < 200_000; i++) {
      sum += first(some);
    }

    assertThat(sum).isEqualTo(200_000);
    assertThatThrownBy(() -> first(NO_ARRAY.get(0))).isInstanceOf(NullPointerException.class);
  }

  private static final List<int[]> NO_ARRAY = java.util.Collections.singletonList(null);

  private static int first(int[] values) {
    return values[0];
  }
}
