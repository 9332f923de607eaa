package dev.headway.cuda.kernel;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The compiled kernels, as PTX for compute capability 8.0 and newer. */
public final class KernelImage {
  static final String RESOURCE = "headway_80.ptx";

  private KernelImage() {}

  /** Reads the image from the jar; cold. Any thread. */
  public static byte[] ptx() {
    try (InputStream in = KernelImage.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException(
            "the kernels must be on the class path beside their classes: resource=" + RESOURCE);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
