package dev.headway.cuda.blas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.driver.CudaLibrary;
import dev.headway.cuda.driver.NativeLibrary;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.EmulatorOnly;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.SkipReason;
import dev.headway.cuda.emulation.TestSeed;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Products on cuBLASLt against plain Java, and its absence: the fake one, or the real one where the
 * driver is real and {@link BlasLt#open} finds it. Small integers are exact in bf16; long rows are
 * compared within the rounding of the result.
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
    Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
    device = CudaDevice.open(0);
    stream = device.newStream();
    blas =
        Emulator.isActive()
            ? BlasLt.open(CudaLibrary.library(), device, WORKSPACE_BYTES)
            : BlasLt.open(device, WORKSPACE_BYTES);
  }

  @AfterEach
  void close() {
    blas.close();
    device.close();
    if (Emulator.isActive()) {
      assertThat(Emulator.blasHandlesAlive()).isZero();
    }
  }

  private void needsTheLibrary() {
    if (Emulator.isActive()) {
      assertThat(blas.isPresent()).as(blas.absentBecause()).isTrue();
    }
    SkipReason.needsHere(blas.isPresent(), "cuBLASLt: " + blas.absentBecause());
  }

  @Test
  void shouldMultiplyRowMajorMatrices() {
    needsTheLibrary();
    for (int round = 0; round < 2; round++) { // the second time by the plan
      check(BlasOutput.BF16, 5, 64, 64, false, false);
      check(BlasOutput.FP32, 5, 64, 64, false, false);
      check(BlasOutput.BF16, 1, 128, 64, true, false);
      check(BlasOutput.BF16, 7, 64, 192, false, true);
      check(BlasOutput.BF16, 33, 128, 64, true, true);
      check(BlasOutput.FP32, 2, 64, 128, false, true);
    }
  }

  /** Rows of the result that are not aligned: a library may leave them to others. */
  @Test
  void shouldMultiplyWhatItTakesOfOddShapes() {
    needsTheLibrary();
    for (int[] shape : new int[][] {{5, 3, 8}, {7, 9, 24}, {2, 6, 16}, {33, 20, 8}}) {
      for (BlasOutput output : BlasOutput.values()) {
        final boolean taken = checkIfTaken(output, shape[0], shape[1], shape[2], false, true);
        assertThat(taken || !Emulator.isActive()).as("%s", shape).isTrue();
      }
    }
  }

  /** As long as the rows of an 8B model's last product: parts of the sum must stay fp32. */
  @Test
  void shouldSumLongRowsInFp32() {
    needsTheLibrary();
    for (int m : new int[] {2, 17}) {
      checkLongRows(m, 64, 14_336);
    }
  }

  private void checkLongRows(int m, int n, int k) {
    final float[] x = normal(m * k);
    final float[] w = normal(n * k);
    try (DeviceBuffer y = device.allocate(USE, 2L * m * n);
        DeviceBuffer dx = upload(x, BlasOutput.BF16);
        DeviceBuffer dw = upload(w, BlasOutput.BF16)) {
      assertThat(
              blas.multiply(
                  stream,
                  BlasOutput.BF16,
                  y.address(),
                  dx.address(),
                  new WeightMatrix(dw.address(), 0, n, k),
                  0,
                  m))
          .isTrue();

      final float[] actual = download(y, BlasOutput.BF16, m * n);
      for (int i = 0; i < m * n; i++) {
        double expected = 0;
        for (int j = 0; j < k; j++) {
          expected += (double) x[i / n * k + j] * w[i % n * k + j];
        }
        // one rounding to bf16, and what is left of fp32 sums whose size is sqrt(k)
        assertThat((double) actual[i])
            .as("m=%d, index=%d, seed=%d", m, i, seed)
            .isCloseTo(expected, within(Math.abs(expected) / 256 + Math.sqrt(k) / 10_000));
      }
    }
  }

  /** Numbers that bf16 has. */
  private float[] normal(int count) {
    final float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      final int bits = Float.floatToRawIntBits((float) random.nextGaussian());
      values[i] = Float.intBitsToFloat(bits & 0xffff_0000);
    }
    return values;
  }

  @Test
  void shouldPlanManyShapes() {
    needsTheLibrary();
    for (int m = 1; m < 150; m++) {
      check(BlasOutput.BF16, m, 64, 64, false, false);
    }
  }

  @Test
  void shouldRefuseWhatNobodyCanMultiply() {
    needsTheLibrary();
    final long a = device.allocate(USE, 4096).address();

    assertThat(blas.multiply(stream, BlasOutput.FP32, a, a, new WeightMatrix(a, a, 8, 8), 0, 2))
        .isFalse();
    assertThatThrownBy(
            () ->
                blas.multiply(
                    stream, BlasOutput.BF16, a, a, new WeightMatrix(a, 0, 2, 8), 0, 1 << 20))
        .hasMessage("m must be in [1, 2^18), n and k in [1, 2^20): m=1048576, n=2, k=8");
  }

  @Test
  @EmulatorOnly("which products it refuses is the library's own affair")
  void shouldLeaveToOthersWhatTheLibraryCannotDo() {
    final long a = device.allocate(USE, 4096).address();

    assertThat(blas.multiply(stream, BlasOutput.BF16, a, a, new WeightMatrix(a, 0, 2, 9), 0, 2))
        .isFalse();
  }

  /** A device that finds an address less aligned than promised loses its context. */
  @Test
  void shouldPromiseNoMoreAlignmentThanAddressesHave() {
    needsTheLibrary();
    final DeviceBuffer any = device.allocate(USE, 8_192);
    stream.fill(any, 0, any.bytes(), (byte) 0);
    for (int offset : new int[] {0, 64, 16, 2, 32, 128, 0}) {
      final long a = any.address() + offset;

      final boolean taken =
          blas.multiply(stream, BlasOutput.BF16, a + 4_096, a, new WeightMatrix(a, 0, 8, 8), 0, 2);
      final boolean withBias =
          blas.multiply(
              stream,
              BlasOutput.BF16,
              any.address() + 4_096,
              a,
              new WeightMatrix(any.address(), a, 8, 8),
              0,
              2);

      stream.synchronize();
      assertThat(taken && withBias || !Emulator.isActive()).as("offset=%d", offset).isTrue();
    }
  }

  @Test
  @EmulatorOnly("which products it refuses is the library's own affair")
  void shouldTellTheFirstProductThatTheLibraryRefused() {
    final long a = device.allocate(USE, 4096).address();
    assertThat(blas.refused()).isEmpty();

    blas.multiply(stream, BlasOutput.BF16, a, a, new WeightMatrix(a, 0, 3, 9), 0, 2);
    blas.multiply(stream, BlasOutput.BF16, a, a, new WeightMatrix(a, 0, 3, 17), 0, 2);

    assertThat(blas.refused()).isEqualTo("m=2, n=3, k=9: status=15");
  }

  @Test
  void shouldCloseOnceAndRefuseWorkBehind() {
    needsTheLibrary();
    final long a = device.allocate(USE, 4096).address();
    blas.close();
    blas.close();

    assertThatThrownBy(
            () -> blas.multiply(stream, BlasOutput.BF16, a, a, new WeightMatrix(a, 0, 2, 8), 0, 2))
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
      assertThat(none.multiply(stream, BlasOutput.BF16, 0, 0, new WeightMatrix(0, 0, 1, 8), 0, 1))
          .isFalse();
      assertThat(other.absentBecause()).startsWith("libm.so.6 is no cuBLASLt: ");
    }
  }

  private void check(BlasOutput output, int m, int n, int k, boolean bias, boolean residual) {
    assertThat(checkIfTaken(output, m, n, k, bias, residual)).as("%dx%dx%d", m, n, k).isTrue();
  }

  /** Compares the product if the library takes it; whether it did. */
  private boolean checkIfTaken(
      BlasOutput output, int m, int n, int k, boolean bias, boolean residual) {
    final int[] x = integers(m * k);
    final int[] w = integers(n * k);
    final int[] b = integers(n);
    final int[] r = integers(m * n);
    try (DeviceBuffer y = upload(floats(r), output);
        DeviceBuffer dx = upload(floats(x), BlasOutput.BF16);
        DeviceBuffer dw = upload(floats(w), BlasOutput.BF16);
        DeviceBuffer db = upload(floats(b), BlasOutput.BF16)) {
      if (!blas.multiply(
          stream,
          output,
          y.address(),
          dx.address(),
          new WeightMatrix(dw.address(), bias ? db.address() : 0, n, k),
          residual ? y.address() : 0,
          m)) {
        return false;
      }

      final float[] actual = download(y, output, m * n);
      for (int i = 0; i < m * n; i++) {
        int expected = (bias ? b[i % n] : 0) + (residual ? r[i] : 0);
        for (int j = 0; j < k; j++) {
          expected += x[i / n * k + j] * w[i % n * k + j];
        }
        assertThat(actual[i]).as("m=%d, index=%d, seed=%d", m, i, seed).isEqualTo(expected);
      }
      return true;
    }
  }

  /** So small that sums of 192 products stay below 256, where bf16 has all integers. */
  private int[] integers(int count) {
    return random.ints(count, -1, 2).toArray();
  }

  private static float[] floats(int[] values) {
    final float[] floats = new float[values.length];
    for (int i = 0; i < values.length; i++) {
      floats[i] = values[i];
    }
    return floats;
  }

  private DeviceBuffer upload(float[] values, BlasOutput type) {
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

  private float[] download(DeviceBuffer buffer, BlasOutput type, int count) {
    final float[] values = new float[count];
    try (PinnedBuffer pinned = device.allocatePinned(USE, buffer.bytes())) {
      stream.copyToHost(pinned, 0, buffer, 0, buffer.bytes());
      stream.synchronize();
      for (int i = 0; i < count; i++) {
        final MemorySegment from = pinned.segment();
        values[i] =
            type == BlasOutput.FP32
                ? from.getAtIndex(ValueLayout.JAVA_FLOAT, i)
                : Float.intBitsToFloat(from.getAtIndex(ValueLayout.JAVA_SHORT, i) << 16);
      }
    }
    return values;
  }
}
