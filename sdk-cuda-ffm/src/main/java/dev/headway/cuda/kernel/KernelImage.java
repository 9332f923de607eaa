package dev.headway.cuda.kernel;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * The compiled kernels: PTX for compute capability 8.0 and newer, which the driver compiles, and
 * machine code for 9.0, which it does not have to.
 */
public final class KernelImage {
  static final String PTX = "headway_80.ptx";
  static final String MACHINE_CODE = "headway_90.cubin";

  private KernelImage() {}

  /** Reads the PTX from the jar; cold. Any thread. */
  public static byte[] ptx() {
    return read(PTX);
  }

  /**
   * Reads the machine code for a device from the jar; empty if there is none for its compute
   * capability. Cold. Any thread.
   */
  public static Optional<byte[]> machineCode(int computeMajor, int computeMinor) {
    return computeMajor == 9 && computeMinor == 0
        ? Optional.of(read(MACHINE_CODE))
        : Optional.empty();
  }

  private static byte[] read(String resource) {
    try (InputStream in = KernelImage.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(
            "the kernels must be on the class path beside their classes: resource=" + resource);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
