package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.DeviceInfo;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.TestSeed;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/** A device with the kernels on it, arrays to and fro, random values, and one way to compare. */
final class KernelFixture implements AutoCloseable {
  private static final MemoryUse USE = MemoryUse.of("test");

  final int seed = TestSeed.VALUE;
  final Random random = new Random(seed);
  final CudaDevice device = CudaDevice.open(0);
  final CudaStream stream = device.newStream();
  final Kernels kernels = Kernels.load(device);
  private final Map<Long, DeviceBuffer> buffers = new HashMap<>();
  private long sampleState;

  /** Runs a check once per order of threads. */
  static void inEveryOrder(Check check) {
    for (Emulator.ThreadOrder order : Emulator.orders(TestSeed.VALUE)) {
      Emulator.schedule(order, Emulator.Streams.LAZY);
      try (KernelFixture fixture = new KernelFixture()) {
        check.run(fixture);
      } catch (AssertionError e) {
        throw new AssertionError("order=" + order.value() + ": " + e.getMessage(), e);
      }
    }
  }

  /** What is checked. */
  interface Check {
    void run(KernelFixture given);
  }

  /** The device as one of so many multiprocessors, by which work is cut. */
  DeviceInfo with(int multiprocessors) {
    final DeviceInfo is = device.info();
    return new DeviceInfo(
        is.ordinal(),
        is.name(),
        is.computeMajor(),
        is.computeMinor(),
        multiprocessors,
        is.totalBytes(),
        is.maxSharedBytesPerBlock(),
        is.driverVersion(),
        is.pciBusId());
  }

  short[] randomBf16(int count, double scale) {
    final short[] values = new short[count];
    for (int i = 0; i < count; i++) {
      values[i] = Bf16.of(random.nextGaussian() * scale);
    }
    return values;
  }

  long allocate(long bytes) {
    final DeviceBuffer buffer = device.allocate(USE, Math.max(1, bytes));
    buffers.put(buffer.address(), buffer);
    return buffer.address();
  }

  /** Memory that is zero, as {@code cuMemAlloc}'s need not be. */
  long zeros(long bytes) {
    return filled(bytes, (byte) 0);
  }

  /** Memory whose every byte is the same. */
  long filled(long bytes, byte value) {
    final long address = allocate(bytes);
    stream.fill(buffers.get(address), 0, Math.max(1, bytes), value);
    return address;
  }

  long upload(byte[] values) {
    return upload(MemorySegment.ofArray(values));
  }

  long upload(short[] values) {
    return upload(MemorySegment.ofArray(values));
  }

  long upload(int... values) {
    return upload(MemorySegment.ofArray(values));
  }

  long upload(float... values) {
    return upload(MemorySegment.ofArray(values));
  }

  private long upload(MemorySegment values) {
    final long address = allocate(values.byteSize());
    try (PinnedBuffer pinned = device.allocatePinned(USE, values.byteSize())) {
      pinned.segment().copyFrom(values);
      stream.copyToDevice(buffers.get(address), 0, pinned, 0, values.byteSize());
      stream.synchronize();
    }
    return address;
  }

  /** Zero before its first use; every use must leave it so. */
  long sampleState(int rows) {
    final long bytes = (long) rows * SamplingKernels.SAMPLE_STATE_BYTES;
    if (sampleState == 0 || buffers.get(sampleState).bytes() < bytes) {
      sampleState = allocate(bytes);
      stream.fill(buffers.get(sampleState), 0, bytes, (byte) 0);
    }
    return sampleState;
  }

  short[] downloadBf16(long address, int count) {
    final short[] values = new short[count];
    download(address, MemorySegment.ofArray(values));
    return values;
  }

  int[] downloadInts(long address, int count) {
    final int[] values = new int[count];
    download(address, MemorySegment.ofArray(values));
    return values;
  }

  byte[] downloadBytes(long address, int count) {
    final byte[] values = new byte[count];
    download(address, MemorySegment.ofArray(values));
    return values;
  }

  float[] downloadFloats(long address, int count) {
    final float[] values = new float[count];
    download(address, MemorySegment.ofArray(values));
    return values;
  }

  private void download(long address, MemorySegment values) {
    try (PinnedBuffer pinned = device.allocatePinned(USE, values.byteSize())) {
      stream.copyToHost(pinned, 0, buffers.get(address), 0, values.byteSize());
      stream.synchronize();
      values.copyFrom(pinned.segment());
    }
  }

  /**
   * Compares with the oracle: each value within 2^-8 of its own size and of all values' mean size,
   * and all errors together within 4e-3: what one rounding to bf16 leaves.
   */
  void assertClose(String what, double[] expected, double[] actual) {
    assertClose(what, expected, actual, 1.0 / 256);
  }

  void assertClose(String what, double[] expected, double[] actual, double tolerance) {
    final double size = norm(expected) / Math.sqrt(expected.length);
    final double[] error = new double[expected.length];
    assertThat(actual).hasSameSizeAs(expected);
    for (int i = 0; i < expected.length; i++) {
      error[i] = actual[i] - expected[i];
      final double allowed = (Math.abs(expected[i]) + size) * tolerance;
      assertThat(Math.abs(error[i]) <= allowed) // false for NaN
          .as(
              "%s: index=%d, expected=%s, actual=%s, allowed=%s, seed=%d",
              what, i, expected[i], actual[i], allowed, seed)
          .isTrue();
    }
    assertThat(norm(error) / norm(expected)).as("%s: all, seed=%d", what, seed).isLessThan(4e-3);
  }

  private static double norm(double[] values) {
    double squares = 0;
    for (double value : values) {
      squares += value * value;
    }
    return Math.sqrt(squares);
  }

  void assertClose(String what, double[] expected, short[] actual) {
    assertClose(what, expected, Bf16.toDoubles(actual));
  }

  @Override
  public void close() {
    device.close();
  }
}
