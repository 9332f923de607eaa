package dev.headway.cuda.gpu;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntUnaryOperator;

/** Arrays on a device, filled with what is to be computed on. */
final class DeviceArrays {
  private static final MemoryUse USE = MemoryUse.of("measured");
  private static final int RANDOM_VALUES = 1 << 20;

  private final CudaDevice device;
  private final CudaStream stream;

  DeviceArrays(CudaDevice device, CudaStream stream) {
    this.device = device;
    this.stream = stream;
  }

  DeviceBuffer allocate(long bytes) {
    return device.allocate(USE, Math.max(16, bytes));
  }

  DeviceBuffer zeros(long bytes) {
    final DeviceBuffer buffer = allocate(bytes);
    stream.fill(buffer, 0, buffer.bytes(), (byte) 0);
    return buffer;
  }

  /**
   * Normal numbers in bf16; a device multiplies zeros with less power. A million, over and over.
   */
  DeviceBuffer randomBf16(long values) {
    final DeviceBuffer buffer = allocate(2 * values);
    final int count = (int) Math.min(values, RANDOM_VALUES);
    final Random random = new Random(7);
    final short[] numbers = new short[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = (short) (Float.floatToRawIntBits((float) random.nextGaussian()) >>> 16);
    }
    write(buffer, MemorySegment.ofArray(numbers));
    for (long done = count; done < values; ) { // doubles what is there
      final long more = Math.min(done, values - done);
      stream.copy(buffer, 2 * done, buffer, 0, 2 * more);
      done += more;
    }
    stream.synchronize();
    return buffer;
  }

  DeviceBuffer ints(int count, IntUnaryOperator value) {
    final int[] ints = new int[count];
    java.util.Arrays.setAll(ints, value);
    final DeviceBuffer buffer = allocate(4L * count);
    write(buffer, MemorySegment.ofArray(ints));
    return buffer;
  }

  /** A row of floats, {@code rows} times. */
  DeviceBuffer rowsOfFloats(int rows, int columns, IntToDoubleFunction value) {
    final float[] row = new float[columns];
    for (int i = 0; i < columns; i++) {
      row[i] = (float) value.applyAsDouble(i);
    }
    final DeviceBuffer buffer = allocate(4L * rows * columns);
    write(buffer, MemorySegment.ofArray(row));
    for (int i = 1; i < rows; i++) {
      stream.copy(buffer, 4L * i * columns, buffer, 0, 4L * columns);
    }
    stream.synchronize();
    return buffer;
  }

  private void write(DeviceBuffer target, MemorySegment values) {
    try (PinnedBuffer pinned = device.allocatePinned(USE, values.byteSize())) {
      pinned.segment().copyFrom(values);
      stream.copyToDevice(target, 0, pinned, 0, values.byteSize());
      stream.synchronize();
    }
  }
}
