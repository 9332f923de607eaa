package dev.headway.cuda.kernel;

import dev.headway.cuda.device.DeviceInfo;

/** Launch shapes, and their checks; the messages name the kernel. */
final class Shapes {
  /** Most blocks of a grid in y and z. */
  static final int MAX_GRID_Y = 65_535;

  private static final int RESERVED_BYTES_PER_BLOCK = 1024; // of the shared memory, by the driver

  private Shapes() {}

  static void requireIn(String kernel, String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          kernel + ": " + name + " must be in [" + min + ", " + max + "]: " + name + "=" + value);
    }
  }

  static void requirePositive(String kernel, String name, int value) {
    requireIn(kernel, name, value, 1, Integer.MAX_VALUE);
  }

  /** Values from one row of shared memory to the next: {@code SharedRows::PITCH}. */
  static int sharedPitch(int headDim) {
    return headDim == 64 || headDim == 128 || headDim == 256 ? headDim : headDim + 8;
  }

  /**
   * Blocks that a device holds at once: as many per multiprocessor as their dynamic shared memory
   * leaves room for, at least one, at most {@code mostPerMultiprocessor}.
   */
  static int blocksAtOnce(DeviceInfo device, int sharedBytes, int mostPerMultiprocessor) {
    final int fitting =
        (device.maxSharedBytesPerBlock() + RESERVED_BYTES_PER_BLOCK)
            / (sharedBytes + RESERVED_BYTES_PER_BLOCK);
    return device.multiprocessors() * Math.clamp(fitting, 1, mostPerMultiprocessor);
  }

  static int ceilDiv(int a, int b) {
    return (a + b - 1) / b;
  }
}
