package dev.headway.cuda.blas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.driver.CudaLibrary;
import dev.headway.cuda.driver.NativeLibrary;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.TestSeed;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Products on a fake cuBLASLt against plain Java, and its absence. Small integers: exact in bf16.
 */
@OnCudaDriver
class BlasLtTest {
  private static final long WORKSPACE_BYTES = 1 << 20;
  private static final MemoryUse USE = MemoryUse.of("test");

  private final int seed = TestSeed.VALUE;
  private final Random random = new Random(seed);
  private CudaDevice device;
  private CudaStream stream;
  private BlasLt blas;

  @BeforeEach
  void open() {
    Emulator.assumeActive();
    Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
    device = CudaDevice.open(0);
    stream = device.newStream();
    blas = BlasLt.open(CudaLibrary.library(), device, WORKSPACE_BYTES);
  }

  @AfterEach
  void close() throws Throwable {
    if (device != null) {
      blas.close();
      device.close();
      assertThat(
              (int)
                  Linker.nativeLinker()
                      .downcallHandle(
                          CudaLibrary.library()
                              .symbols()
                              .orElseThrow()
                              .findOrThrow("headway_emulation_blas_alive"),
                          FunctionDescriptor.of(ValueLayout.JAVA_INT))
                      .invokeExact())
          .isZero();
    }
  }

  @Test
  void shouldMultiplyRowMajorMatrices() {
    assertThat(blas.isPresent()).as(blas.absentBecause()).isTrue();
    for (int round = 0; round < 2; round++) { // the second time by the plan
      check(BlasOutput.BF16, 5, 3, 8, false, false);
      check(BlasOutput.FP32, 5, 3, 8, false, false);
      check(BlasOutput.BF16, 1, 40, 16, true, false);
      check(BlasOutput.BF16, 7, 9, 24, false, true);
      check(BlasOutput.BF16, 33, 20, 8, true, true);
      check(BlasOutput.FP32, 2, 6, 16, false, true);
    }
  }

  @Test
  void shouldPlanManyShapes() {
    for (int m = 1; m < 150; m++) {
      check(BlasOutput.BF16, m, 2, 8, false, false);
    }
  }

  @Test
  void shouldLeaveToOthersWhatTheLibraryCannotDo() {
    final DeviceBuffer any = device.allocate(USE, 4096);
    final long a = any.address();

    assertThat(blas.multiply(stream, BlasOutput.BF16, a, a, a, 0, 0, 2, 2, 9)).isFalse();
    assertThat(blas.multiply(stream, BlasOutput.FP32, a, a, a, a, 0, 2, 2, 8)).isFalse();
    assertThatThrownBy(() -> blas.multiply(stream, BlasOutput.BF16, a, a, a, 0, 0, 1 << 20, 2, 8))
        .hasMessage("m, n, k must be in [1, 2^20): m=1048576, n=2, k=8");
  }

  @Test
  void shouldPromiseNoMoreAlignmentThanAddressesHave() {
    final DeviceBuffer any = device.allocate(USE, 8_192);
    for (int offset : new int[] {0, 64, 16, 2, 32, 128, 0}) {
      final long a = any.address() + offset;

      assertThat(blas.multiply(stream, BlasOutput.BF16, a, a, a, 0, 0, 2, 2, 8))
          .as("offset=%d", offset)
          .isTrue();
      assertThat(
              blas.multiply(
                  stream, BlasOutput.BF16, any.address(), a, any.address(), a, 0, 2, 2, 8))
          .as("bias, offset=%d", offset)
          .isTrue();
    }
    stream.synchronize();
  }

  @Test
  void shouldTellTheFirstProductThatTheLibraryRefused() {
    final long a = device.allocate(USE, 4096).address();
    assertThat(blas.refused()).isEmpty();

    blas.multiply(stream, BlasOutput.BF16, a, a, a, 0, 0, 2, 3, 9);
    blas.multiply(stream, BlasOutput.BF16, a, a, a, 0, 0, 2, 3, 17);

    assertThat(blas.refused()).isEqualTo("m=2, n=3, k=9: status=15");
  }

  @Test
  void shouldCloseOnceAndRefuseWorkBehind() {
    final long a = device.allocate(USE, 4096).address();
    blas.close();
    blas.close();

    assertThatThrownBy(() -> blas.multiply(stream, BlasOutput.BF16, a, a, a, 0, 0, 2, 2, 8))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("cuBLASLt must be open: it was closed before");
  }

  @Test
  void shouldBeAbsentWithoutTheLibrary() {
    try (BlasLt none =
            BlasLt.open(NativeLibrary.open("libcublasLt-of-nobody.so"), device, WORKSPACE_BYTES);
        BlasLt other = BlasLt.open(NativeLibrary.open("libm.so.6"), device, WORKSPACE_BYTES)) {
      assertThat(none.isPresent()).isFalse();
      assertThat(none.absentBecause())
          .isEqualTo("cannot load libcublasLt-of-nobody.so: the system's loader does not find it");
      assertThat(none.multiply(stream, BlasOutput.BF16, 0, 0, 0, 0, 0, 1, 1, 8)).isFalse();
      assertThat(other.absentBecause()).startsWith("libm.so.6 is no cuBLASLt: ");
    }
  }

  private void check(BlasOutput output, int m, int n, int k, boolean bias, boolean residual) {
    final int[] x = integers(m * k);
    final int[] w = integers(n * k);
    final int[] b = integers(n);
    final int[] r = integers(m * n);
    try (DeviceBuffer y = upload(r, output);
        DeviceBuffer dx = upload(x, BlasOutput.BF16);
        DeviceBuffer dw = upload(w, BlasOutput.BF16);
        DeviceBuffer db = upload(b, BlasOutput.BF16)) {
      assertThat(
              blas.multiply(
                  stream,
                  output,
                  y.address(),
                  dx.address(),
                  dw.address(),
                  bias ? db.address() : 0,
                  residual ? y.address() : 0,
                  m,
                  n,
                  k))
          .isTrue();

      final int[] actual = download(y, output, m * n);
      for (int i = 0; i < m * n; i++) {
        int expected = (bias ? b[i % n] : 0) + (residual ? r[i] : 0);
        for (int j = 0; j < k; j++) {
          expected += x[i / n * k + j] * w[i % n * k + j];
        }
        assertThat(actual[i]).as("m=%d, index=%d, seed=%d", m, i, seed).isEqualTo(expected);
      }
    }
  }

  /** So small that sums of 24 products stay below 256, where bf16 has all integers. */
  private int[] integers(int count) {
    return random.ints(count, -3, 4).toArray();
  }

  private DeviceBuffer upload(int[] values, BlasOutput type) {
    final long bytes = (long) values.length * (type == BlasOutput.FP32 ? 4 : 2);
    final DeviceBuffer buffer = device.allocate(USE, bytes);
    try (PinnedBuffer pinned = device.allocatePinned(USE, bytes)) {
      final MemorySegment to = pinned.segment();
      for (int i = 0; i < values.length; i++) {
        if (type == BlasOutput.FP32) {
          to.setAtIndex(ValueLayout.JAVA_FLOAT, i, values[i]);
        } else {
          to.setAtIndex(
              ValueLayout.JAVA_SHORT, i, (short) (Float.floatToRawIntBits(values[i]) >>> 16));
        }
      }
      stream.copyToDevice(buffer, 0, pinned, 0, bytes);
      stream.synchronize();
    }
    return buffer;
  }

  private int[] download(DeviceBuffer buffer, BlasOutput type, int count) {
    final int[] values = new int[count];
    try (PinnedBuffer pinned = device.allocatePinned(USE, buffer.bytes())) {
      stream.copyToHost(pinned, 0, buffer, 0, buffer.bytes());
      stream.synchronize();
      for (int i = 0; i < count; i++) {
        final MemorySegment from = pinned.segment();
        values[i] =
            (int)
                (type == BlasOutput.FP32
                    ? from.getAtIndex(ValueLayout.JAVA_FLOAT, i)
                    : Float.intBitsToFloat(from.getAtIndex(ValueLayout.JAVA_SHORT, i) << 16));
      }
    }
    return values;
  }
}
