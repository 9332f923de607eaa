package dev.headway.cuda.device;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * A module with one kernel, {@code test_add}, that any driver compiles; the fake one looks at the
 * version and knows kernels by name.
 */
public final class TestModule {
  private TestModule() {}

  /** The module's text, saying that it is of another version of PTX. */
  static byte[] image(String version) {
    return text()
        .replace(".version 7.0", ".version " + version)
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** Text that no compiler takes. */
  static byte[] damaged() {
    return text().replace("mad.lo.s32", "no_such_instruction").getBytes(StandardCharsets.US_ASCII);
  }

  static CudaModule load(CudaDevice device) {
    return device.loadModule("test", image("7.0"));
  }

  /** {@code test_add(int* data, int n, int amount)}: {@code data[i] += amount} for i below n. */
  public static Kernel add(CudaDevice device) {
    return load(device).kernel("test_add", addParameters());
  }

  static KernelParameter[] addParameters() {
    return new KernelParameter[] {
      KernelParameter.POINTER, KernelParameter.I32, KernelParameter.I32
    };
  }

  private static String text() {
    try (InputStream in = TestModule.class.getResourceAsStream("test_add.ptx")) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
